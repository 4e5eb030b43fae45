import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const sources = ["src", "bin", "scripts"]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(ts|js|mjs)$/.test(name) && !name.startsWith("gen/"))
      .map((name) => readFileSync(join(ROOT, folder, name), "utf8")),
  )
  .join("\n");

/** Texts of programs in the column of symptoms; commands, paths and placeholders are none. */
const quoted = [...readFileSync(join(ROOT, "docs/troubleshooting.md"), "utf8").matchAll(/^\| ([^|]+) \|/gm)]
  .flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text))
  .filter((text) => !/^(aisle|npm|\/|FILE)/.test(text))
  .map((text) => text.replace(/: …$/, ""));

describe("docs/troubleshooting.md", () => {
  it("quotes texts that the program prints", () => {
    expect(quoted.length).toBeGreaterThan(25);
    expect(quoted.filter((text) => !sources.includes(text))).toEqual([]);
  });
});
