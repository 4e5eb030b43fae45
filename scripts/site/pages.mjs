// Turns the Markdown of the repository into pages of the site: docs/, and each file that they link to.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname, join, posix } from "node:path";
import { filesBelow, root } from "../lib.mjs";

const START = "docs/README.md";
const PICTURE = /\.(png|svg|jpe?g)$/;
const LINK = /(!?\[(?:[^\]\\]|\\.)*\]\()(?!https?:|mailto:)([^)#\s]*)(#[^)\s]*)?(\))/g;
const isFolder = (path) => statSync(join(root, path)).isDirectory();

/** The path of a page or file on the site. */
function placeOf(path) {
  if (path === START) return "index.md";
  if (PICTURE.test(path)) return `pictures/${posix.basename(path)}`;
  if (path.startsWith("docs/") && path.endsWith(".md")) return path.slice("docs/".length);
  if (path === "docs/openapi.json") return "public/files/openapi.json";
  if (path.endsWith(".html")) return `public/files/${posix.basename(path)}`;
  return path.endsWith(".md") ? `repository/${path}` : `repository/${path}.md`;
}

/** Applies `change` to what is not inside a fenced block. */
const outsideFences = (text, change) =>
  text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");

/** Writes all pages below `folder`; returns the site path of each repository file that became a page. */
export function writePages(folder) {
  const queue = filesBelow(join(root, "docs"))
    .filter((path) => path.endsWith(".md"))
    .map((path) => `docs/${path}`);
  const places = new Map();
  for (const path of queue) {
    if (places.has(path)) continue;
    places.set(path, placeOf(path));
    const target = join(folder, placeOf(path));
    mkdirSync(dirname(target), { recursive: true });
    if (PICTURE.test(path) || placeOf(path).startsWith("public/")) copyFileSync(join(root, path), target);
    else writeFileSync(target, path.endsWith(".md") ? pageOf(path, queue) : sourcePage(path));
  }
  return places;
}

/** The text of a page; the files that it links to go into `queue`. */
function pageOf(path, queue) {
  const to = (link, anchor = "") => {
    if (link === "") return anchor;
    const target = posix.normalize(posix.join(posix.dirname(path), link)).replace(/\/$/, "");
    queue.push(target);
    if (placeOf(target).startsWith("public/")) return placeOf(target).slice("public".length);
    const relative = posix.relative(posix.dirname(placeOf(path)), placeOf(target));
    return `${relative.startsWith(".") ? relative : `./${relative}`}${anchor}`;
  };
  return outsideFences(readFileSync(join(root, path), "utf8"), (text) =>
    text
      .replace(LINK, (_all, before, link, anchor, after) => `${before}${to(link, anchor)}${after}`)
      .replace(
        /<picture>[\s\S]*?srcset="([^"]+)"[\s\S]*?<img alt="([^"]*)" src="([^"]+)"[\s\S]*?<\/picture>/g,
        (_all, dark, alt, light) =>
          `<img class="only-dark" alt="${alt}" src="${to(dark)}"><img class="only-light" alt="${alt}" src="${to(light)}">`,
      ),
  );
}

/** A file of another kind, or the names in a folder. */
function sourcePage(path) {
  if (isFolder(path)) {
    const names = readdirSync(join(root, path), { withFileTypes: true }).map(
      (entry) => `- \`${entry.name}${entry.isDirectory() ? "/" : ""}\``,
    );
    return `---\nsearch: false\n---\n\n# ${path}\n\nA folder of the repository:\n\n${names.join("\n")}\n`;
  }
  const language = { ".yaml": "yaml", ".json": "json", ".proto": "proto", ".ts": "ts" }[extname(path)] ?? "text";
  return `---\nsearch: false\n---\n\n# ${path}\n\n\`\`\`\`${language}\n${readFileSync(join(root, path), "utf8")}\n\`\`\`\`\n`;
}

/** The navigation: one group for each reader in the table of docs/README.md, in its order. */
export function sidebarOf(places) {
  const rows = readFileSync(join(root, START), "utf8").matchAll(/^\| (?!-|you are)([^|]+) \|(.*)\|$/gm);
  return [...rows].map(([, reader, cell]) => ({
    text: reader[0].toUpperCase() + reader.slice(1),
    items: [...cell.matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g)].map(([, name, link]) => ({
      text: titleOf(posix.join("docs", link)) ?? name,
      link: `/${places.get(posix.join("docs", link)).replace(/\.md$/, "")}`,
    })),
  }));
}

const titleOf = (path) => /^# (.+)$/m.exec(readFileSync(join(root, path), "utf8"))?.[1];
