// What a reader sees of a page: its words, with line breaks where the page breaks lines.

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'", "&amp;": "&" };

/** HTML without its tags. */
export function words(html) {
  return html.replace(/<br\/?>/g, "\n").replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|quot|#x27|amp);/g, (entity) => ENTITIES[entity]);
}

/** The same with links and code as a record writes them: `[words](url)`, code in backticks. */
export function marked(html) {
  return words(html.replace(/<code>(.*?)<\/code>/gs, (_, code) => inBackticks(code)).replace(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs, link));
}

function inBackticks(code) {
  const longest = Math.max(0, ...(code.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = code.startsWith("`") || code.endsWith("`") ? " " : "";
  return fence + pad + code + pad + fence;
}

/** A link whose words are its address is one that GFM made. */
function link(_, url, inner) {
  const shown = words(inner);
  const address = decodeURI(words(url).replace(/%(?![0-9a-f]{2})/gi, "%25"));
  const bare = [shown, `http://${shown}`, `mailto:${shown}`];
  return bare.includes(address) || bare.includes(words(url)) || words(url).endsWith(encodeURI(shown)) ? inner : `[${inner}](${url})`;
}

/** A text as it is compared: white space single, controls as the replacement character that pages show for them. */
export function plain(text) {
  return text
    .replace(/[\t\n\r]/g, " ")
    .replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g, "\ufffd")
    .replace(/[\s\u0085]+/g, " ")
    .trim();
}

/** The text of the last code block, k6's output. */
export function lastCodeBlock(html) {
  const blocks = [...html.matchAll(/<pre><code[^>]*>(.*?)<\/code><\/pre>/gs)];
  return blocks.length === 0 ? undefined : words(blocks.at(-1)[1]);
}

/** Rows of all tables: the cells of the head, then each row's, as texts. */
export function tables(html) {
  return [...html.matchAll(/<table>(.*?)<\/table>/gs)].map(([, table]) =>
    [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) => [...row.matchAll(/<t[hd](?: [^>]*)?>(.*?)<\/t[hd]>/gs)].map(([, cell]) => words(cell))),
  );
}
