import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readContract } from "../openapi/contract.js";
import { openAppTarget } from "./app-target.js";
import { type Pair, play, readPairs } from "./pair.js";
import type { OpenWireTarget } from "./target.js";

/** A row of the contract: the beginning of its text, and its clauses with what shows each. */
interface Row {
  readonly text: string;
  /** Notes of pairs of the row; or, where a pair cannot show it, `test/file.test.ts: name of a test`. */
  readonly clauses: Readonly<Record<string, readonly string[]>>;
}

const rows: Readonly<Record<string, Row>> = read("rows.json");
/** The fields, tables and rules of the published interface, each with what shows it: `row: note`, or a test elsewhere. */
const published: Readonly<Record<string, readonly string[]>> = read("interface.json");

const pairs = readPairs();
const names = new Set(pairs.map(({ pair }) => `${pair.row}: ${pair.note}`));

describe("the wire contract", () => {
  it("has at least one pair for each of its rows", () => {
    const shown = new Set(pairs.map(({ pair }) => pair.row));
    expect(Object.keys(rows).filter((row) => !shown.has(row))).toEqual([]);
  });

  it("has no pair for an unknown row", () => {
    expect(pairs.map(({ pair }) => pair.row).filter((row) => !Object.hasOwn(rows, row))).toEqual([]);
  });

  it("gives each pair a unique name", () => {
    const all = pairs.map(({ pair }) => `${pair.row}: ${pair.note}`);
    expect(all.filter((name, i) => all.indexOf(name) !== i)).toEqual([]);
  });

  it("has a pair or a test for each clause of its rows", () => {
    const clauses = Object.entries(rows).flatMap(([row, { clauses }]) =>
      Object.entries(clauses).map(([clause, shownBy]) => ({
        clause: `${row}: ${clause}`,
        shownBy: shownBy.map((name) => (name.startsWith("test/") ? name : `${row}: ${name}`)),
      })),
    );
    expect(clauses.flatMap(({ clause, shownBy }) => unshown(clause, shownBy))).toEqual([]);
  });

  it("has a clause for each of its pairs", () => {
    const claimed = new Set(
      Object.entries(rows).flatMap(([row, { clauses }]) =>
        Object.values(clauses).flatMap((shownBy) => shownBy.map((name) => `${row}: ${name}`)),
      ),
    );
    expect([...names].filter((name) => !claimed.has(name))).toEqual([]);
  });

  it("covers each field, table and rule of the published interface", () => {
    expect(Object.entries(published).flatMap(([clause, shownBy]) => unshown(clause, shownBy))).toEqual([]);
  });
});

/** What of the things that are to show a clause is not there, as lines. */
function unshown(clause: string, shownBy: readonly string[]): string[] {
  if (shownBy.length === 0) return [`${clause}: nothing shows it`];
  return shownBy.filter((name) => !names.has(name) && !isTest(name)).map((name) => `${clause}: there is no ${name}`);
}

/** True for `test/file.test.ts: name` when that file has a test of that name. */
function isTest(name: string): boolean {
  const [, file = "", title = ""] = /^(test\/\S+\.test\.ts): (.+)$/.exec(name) ?? [];
  const path = `${import.meta.dirname}/../../${file}`;
  return file !== "" && existsSync(path) && readFileSync(path, "utf8").includes(`("${title}"`);
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(`${import.meta.dirname}/${file}`, "utf8"));
}

const contract = readContract();
/** The answers of the OpenAPI document that pairs have shown. */
const shown = new Set<string>();

/** The application, with what its answers have that the OpenAPI document does not say. */
function openDocumentedTarget(deviations: string[]): OpenWireTarget {
  return async (options) => {
    const target = await openAppTarget(options);
    return {
      ...target,
      async inject(request) {
        const answer = await target.inject(request);
        deviations.push(...(await contract.differences({ request, answer })));
        shown.add(`${request.method} ${request.url.split("?")[0]} ${answer.status}`);
        return answer;
      },
    };
  };
}

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
          const deviations: string[] = [];
          expect(await play(pair, openDocumentedTarget(deviations))).toEqual([]);
          expect(deviations).toEqual([]);
        },
        PAIR_MS,
      );
    }
  });
}

describe("the OpenAPI document", () => {
  it("has only answers that a pair shows", () => {
    // Other paths of an operation share its errors.
    const shownAs = (answer: string) =>
      answer.replace("/trace.php", "/trace").replace(/\/recommend_page (?!200)/, "/recommend ");
    const missing = contract.answers.filter((answer) => !shown.has(shownAs(answer)));
    // Answers to what is no request yet: test/facade/server-limits.test.ts; the helper's script: test/facade/static-files.test.ts;
    // pages: test/facade/recommend-page.test.ts.
    const isElsewhere = (answer: string) =>
      / (408|431)$|\/(healthz|readyz|openapi\.json) 400$|\/aisle\.(js|css) |\/recommend_page 200$/.test(answer);
    expect(missing.filter((answer) => !isElsewhere(answer))).toEqual([]);
  });
});
