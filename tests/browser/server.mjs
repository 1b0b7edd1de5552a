// A static server on this machine that does what GitHub Pages does with a folder: `/a` is sent to `/a/` where that is a folder, else
// `a.html` is sent; what is not there gets status 404. The folder lies under a prefix, `/some/project`, or at `/`.
import { createServer } from "node:http";
import { readFile, stat } from "node:fs/promises";
import { extname, join, resolve, sep } from "node:path";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".xml": "application/xml",
};

/** Whether a path is a file, a folder or nothing. */
async function kind(path) {
  const found = await stat(path).catch(() => null);
  if (found?.isFile()) return "file";
  return found?.isDirectory() ? "folder" : "nothing";
}

/** What is sent for the path of a request: a file, another place to ask, or nothing. */
async function answer(folder, prefix, path) {
  if (path === prefix) return { moved: `${prefix}/` };
  if (!path.startsWith(`${prefix}/`)) return {};
  const inside = path.slice(prefix.length);
  for (const name of [decodeURIComponent(inside), inside]) {
    const at = resolve(join(folder, name));
    if (at !== folder && !at.startsWith(folder + sep)) return {};
    const found = await kind(at);
    if (found === "file") return { file: at };
    if ((await kind(`${at}.html`)) === "file" && !name.endsWith("/")) return { file: `${at}.html` };
    if (found === "folder" && !name.endsWith("/")) return { moved: `${path}/` };
    if (found === "folder" && (await kind(join(at, "index.html"))) === "file") return { file: join(at, "index.html") };
  }
  return {};
}

/** Serves a folder under a prefix (`""` is the root) until it is closed: `{ origin, asked, close }`; `asked` lists all requests. */
export async function serve(folder, prefix = "") {
  const root = resolve(folder);
  const asked = [];
  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url, "http://here.example");
    const { file, moved } = await answer(root, prefix, pathname);
    asked.push({ path: pathname, status: file ? 200 : moved ? 301 : 404 });
    if (moved) response.writeHead(301, { location: moved + search }).end();
    else if (!file) response.writeHead(404, { "content-type": "text/plain" }).end("not here");
    else response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(await readFile(file));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, asked, close };
}
