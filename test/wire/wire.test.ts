import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openAppTarget } from "./app-target.js";
import { type Pair, play, readPairs } from "./pair.js";

/** The rows of the contract by name, each with the beginning of its text. */
const rows: Readonly<Record<string, string>> = JSON.parse(readFileSync(`${import.meta.dirname}/rows.json`, "utf8"));

const pairs = readPairs();

describe("the wire contract", () => {
  it("has at least one pair for each of its rows", () => {
    const shown = new Set(pairs.map(({ pair }) => pair.row));
    expect(Object.keys(rows).filter((row) => !shown.has(row))).toEqual([]);
  });

  it("has no pair for a row it does not have", () => {
    expect(pairs.map(({ pair }) => pair.row).filter((row) => !Object.hasOwn(rows, row))).toEqual([]);
  });

  it("names each of its pairs differently", () => {
    const names = pairs.map(({ pair }) => `${pair.row}: ${pair.note}`);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });
});

/** A pair that sends a hundred events waits for as many syncs, and the disk may have other work. */
const PAIR_MS = 60_000;

const byFile = new Map<string, Pair[]>();
for (const { file, pair } of pairs) byFile.set(file, [...(byFile.get(file) ?? []), pair]);

for (const [file, list] of byFile) {
  describe(file, () => {
    for (const pair of list) {
      it(
        `${pair.row}: ${pair.note}`,
        async () => {
          expect(await play(pair, openAppTarget)).toEqual([]);
        },
        PAIR_MS,
      );
    }
  });
}
