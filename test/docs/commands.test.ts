import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { DOCS, outputPattern, readPage } from "./page.js";
import { createReader } from "./reader.js";

/** What a shop's people read, in their order. */
const GUIDES = ["start.md", "integrate.md", "move.md", "operate.md", "algorithms.md"];

/** Blocks that need a container engine, a service manager or a network may not become many. */
const MOST_NOT_RUN = 10;

/** A page is read in seconds; a busy machine takes longer. */
const PAGE_MS = 180_000;

/** Every page with a block of commands; each is typed by a reader with a server and a store of its own. */
const pages = readdirSync(DOCS)
  .filter((name) => name.endsWith(".md"))
  .map(readPage)
  .filter(({ blocks }) => blocks.length > 0);
const hasCurl = (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, "curl")));
if (!hasCurl && process.env.CI) throw new Error("the pages of docs/ need curl on the PATH");
if (!hasCurl) process.stderr.write("\nSkipped: the pages of docs/ need curl on the PATH\n");

describe("docs/", () => {
  it("has commands in each guide, and its index names every guide", () => {
    expect(pages.map(({ name }) => name)).toEqual(expect.arrayContaining(GUIDES));
    const index = readPage("README.md");
    expect(GUIDES.filter((name) => !index.text.includes(`](${name})`))).toEqual([]);
  });

  it("has few commands that are not run, and the test lists them", () => {
    const untyped = pages.flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === "not-run"));
    process.stderr.write(untyped.map(({ place, text }) => `\nNot run: ${place}: ${text}`).join(""));
    expect(untyped.length).toBeLessThanOrEqual(MOST_NOT_RUN);
  });

  it.each(pages)("has the commands of $name in blocks that are run", (page) => {
    const withoutBlocks = page.text.replace(/^```[\s\S]*?^```$/gm, "");
    expect(withoutBlocks.match(/^ {4}\S.*$/gm) ?? []).toEqual([]);
  });

  it.skipIf(!hasCurl).each(pages)(
    "shows in $name what its commands print",
    async (page) => {
      const reader = await createReader(onTestFinished);
      await reader.follow(page);
    },
    PAGE_MS,
  );
});

describe("the comparison of output with a page", () => {
  it("matches any text for … within a line, and any lines for … alone", () => {
    const shown = outputPattern("id: … of 3\n…\nthe end\n");
    expect("id: 7 of 3\nmore\nand more\nthe end\n").toMatch(shown);
    expect("id: 7 of 3\nthe end\n").toMatch(shown);
    expect("id: 7 of 4\nthe end\n").not.toMatch(shown);
    expect("id: 7 of 3\nthe end\nnot shown\n").not.toMatch(shown);
  });
});
