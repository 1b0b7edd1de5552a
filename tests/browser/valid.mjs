// Holds every page of a built site against HTML as the standard has it: elements where they may stand, attributes that they may have, one id
// once, nothing unescaped.
//
//     node tests/browser/valid.mjs SITE
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { HtmlValidate, StaticConfigLoader } from "html-validate";
import { check, conclude } from "./checks.mjs";

const site = resolve(process.argv[2] ?? "site");
const rules = {
  // Ways of writing, not of meaning: a doctype is as valid in small letters, and a table that scrolls is a region but no section.
  "doctype-style": "off",
  "prefer-native-element": "off",
  "aria-label-misuse": ["error", { allowAnyNamable: true }],
};
/** HTML lets whatever is no section stand in a heading of a table; the checker takes this one for a section. */
const isAllowed = (message) => message.startsWith("<details> element is not permitted as a descendant of <th>");
const validator = new HtmlValidate(new StaticConfigLoader({ root: true, extends: ["html-validate:standard"], rules }));

const pages = readdirSync(site, { recursive: true }).filter((name) => name.endsWith(".html")).sort();
for (const path of pages) {
  const { results } = validator.validateStringSync(readFileSync(join(site, path), "utf8"), path);
  const wrong = results.flatMap(({ messages }) => messages.filter(({ message }) => !isAllowed(message)).map(({ line, column, message, ruleId }) => `${line}:${column} ${message} (${ruleId})`));
  check(`${path}: is HTML as the standard has it`, wrong.length === 0, wrong.slice(0, 5).join("; "));
}
console.log(`${pages.length} pages`);
conclude();
