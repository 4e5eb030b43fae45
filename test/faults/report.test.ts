import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ALL_FAULTS, FAULTS } from "./faults.js";
import { committedRows } from "./report.js";

const tests = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".test.ts") && name !== "report.test.ts")
  .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"));

describe("the fault report in docs/faults.md", () => {
  const rows = committedRows();

  it("has one row for each fault and store, in the order of the list", () => {
    expect(rows.map(([what, store]) => [what, store])).toEqual(ALL_FAULTS.map(({ what, store }) => [what, store]));
  });

  it("reports for each fault that it ran, that something was acknowledged, and that nothing was lost, doubled or wrong", () => {
    for (const [what, store, rounds, acknowledged, ...rest] of rows) {
      const row = `${what} on ${store}`;
      expect(Number(rounds?.replaceAll(",", "")), row).toBeGreaterThan(0);
      expect(Number(acknowledged?.replaceAll(",", "")), row).toBeGreaterThan(0);
      expect(rest, row).toEqual(["0", "0", "0", expect.stringMatching(/./)]);
    }
  });

  it("lists only faults that a test injects", () => {
    const untested = FAULTS.filter(({ fault }) => !tests.some((text) => text.includes(`"${fault}"`)));
    expect(untested).toEqual([]);
  });
});
