import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const pages = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** The anchors of a page's headings as hosts of Markdown make them, and those written as `<a id="…">`. */
function anchorsOf(text: string): Set<string> {
  const written = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id);
  const seen = new Map<string, number>();
  const headings = [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => {
    const anchor = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
  return new Set([...written, ...headings]);
}

/** The links of a page to files and headings of this repository that are not there. */
function deadLinks(page: string): string[] {
  const text = read(page).replace(/^```[\s\S]*?^```$/gm, "");
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g)];
  return links
    .filter(([, path = "", anchor = ""]) => {
      const target = path === "" ? page : relative(ROOT, join(ROOT, dirname(page), path));
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== "" && target.endsWith(".md") && !anchorsOf(read(target)).has(anchor.slice(1));
    })
    .map(([link]) => link);
}

describe("links", () => {
  it.each(pages)("of %s lead to files and headings that exist", (page) => {
    expect(deadLinks(page)).toEqual([]);
  });

  it("lead from docs/README.md to every page of docs/", () => {
    const index = read("docs/README.md");
    const missing = pages
      .filter((page) => page.startsWith("docs/") && page !== "docs/README.md")
      .filter((page) => !index.includes(`](${relative("docs", page)})`));
    expect(missing).toEqual([]);
  });
});
