import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const SITE = join(ROOT, "build/docs-site/site");
/** Exit code of scripts/docs.mjs when VitePress cannot be fetched. */
const UNAVAILABLE = 69;

const sources = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".md"),
);
const htmlOf = (source: string) => (source === "README.md" ? "index.html" : source.replace(/\.md$/, ".html"));
const titleOf = (source: string) =>
  /^# (.+)$/m.exec(readFileSync(join(ROOT, "docs", source), "utf8"))?.[1]?.replaceAll("`", "") ?? "";
const read = (page: string) => readFileSync(join(SITE, page), "utf8");
const plain = (html: string) =>
  html
    .replace(/<[^>]+>/g, "")
    .replaceAll("&amp;", "&")
    .replaceAll("&#39;", "'");

/** The links of a page to a page, an anchor or a file of the site that is not there. */
function deadLinks(page: string): string[] {
  const targets = [...read(page).matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link = ""]) => link);
  return targets.filter((link) => {
    if (/^(https?:|data:|mailto:)/.test(link)) return false;
    const [path = "", anchor = ""] = link.replaceAll("&amp;", "&").split("#");
    const file = path === "" ? page : path.startsWith("/") ? path.slice(1) : join(dirname(page), path);
    const target = file === "" || file.endsWith("/") ? `${file}index.html` : file;
    if (!existsSync(join(SITE, target))) return true;
    return anchor !== "" && !read(target).includes(` id="${decodeURIComponent(anchor)}"`);
  });
}

let code: number | null;
let output = "";
let pages: string[] = [];
beforeAll(() => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/docs.mjs")], {
    encoding: "utf8",
  });
  code = status;
  output = `${stdout}${stderr}`;
  if (code !== 0) return;
  pages = readdirSync(SITE, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".html") && name !== "404.html")
    // Files of the repository as they are.
    .filter((name) => !name.startsWith("files/"));
}, 240_000);

describe("npm run docs", () => {
  it("builds a page with the title of each page in docs/", ({ skip }) => {
    skip(code === UNAVAILABLE, output);
    expect(code, output).toBe(0);
    const found = sources.map((source) => [source, plain(/<h1[\s\S]*?<\/h1>/.exec(read(htmlOf(source)))?.[0] ?? "")]);
    expect(found).toEqual(sources.map((source) => [source, expect.stringContaining(titleOf(source))]));
  });

  it("indexes the words of each page for the search", ({ skip }) => {
    skip(code === UNAVAILABLE, output);
    const chunks = join(SITE, "assets/chunks");
    const index = readdirSync(chunks).find((name) => name.startsWith("@localSearchIndexroot"));
    const text = readFileSync(join(chunks, index ?? ""), "utf8");
    expect(sources.filter((source) => !text.includes(`/${htmlOf(source).replace(/^index\.html$/, "")}#`))).toEqual([]);
  });

  it("leaves no link to a page, heading or picture that is not there", ({ skip }) => {
    skip(code === UNAVAILABLE, output);
    expect(pages.length).toBeGreaterThanOrEqual(sources.length);
    const dead = pages.flatMap((page) => deadLinks(page).map((link) => `${page}: ${link}`));
    expect(dead).toEqual([]);
  });

  it("leads from every page to every page in docs/README.md", ({ skip }) => {
    skip(code === UNAVAILABLE, output);
    const index = readFileSync(join(ROOT, "docs/README.md"), "utf8");
    const listed = [...index.matchAll(/^\|.*\|$/gm)].flatMap(([row]) =>
      [...row.matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name]) => `/${name}.html`),
    );
    expect(listed.length).toBeGreaterThan(20);
    const missing = pages.flatMap((page) => {
      const text = read(page);
      return listed.filter((link) => !text.includes(`href="${link}"`)).map((link) => `${page}: ${link}`);
    });
    expect(missing).toEqual([]);
  });
});
