import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const DOCS = join(import.meta.dirname, "../../docs");
const pages = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));

describe("pages of docs", () => {
  it.each(pages)("%s says under its title for whom it is, and what they can do or know after it", (page) => {
    const [title = "", , first = ""] = readFileSync(join(DOCS, page), "utf8").split("\n");
    expect(title).toMatch(/^# \S/);
    expect(first).toMatch(/^For [^.]+\. After this page you (can|know) /);
  });
});
