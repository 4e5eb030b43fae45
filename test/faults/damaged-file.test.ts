import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { temporaryDirectory } from "../fixtures/server.js";
import { APP, EVENTS, storedEvent, storedHistory, storedProduct, VISITORS } from "./children/damaged-data.js";
import { rounds } from "./faults.js";
import { linesOf } from "./reader-process.js";
import { recordFault } from "./report.js";

const READ = fileURLToPath(new URL("./children/read-damaged.ts", import.meta.url));
const ROUNDS = rounds(12, 200);
const KEPT = 2 * EVENTS + VISITORS;

interface Outcome {
  readonly seed: number;
  readonly right: number;
  readonly wrong: number;
  readonly missing: number;
  readonly refused: number;
  readonly reported: number;
  readonly faults: number;
}

/** Reads copies of a store with damage of these seeds; the outcomes up to the end or to a crash. */
async function readDamaged(kind: string, directory: string, seeds: readonly number[]): Promise<Outcome[]> {
  return (await linesOf(READ, kind, directory, ...seeds.map(String))).map(parseOutcome);
}

async function fill(directory: string): Promise<void> {
  const store = await openEmbeddedStore({ directory, now: () => 0 });
  await store.unitOfWork.run(APP, (tx) => {
    for (let n = 0; n < EVENTS; n++) {
      tx.events.put(storedEvent(n).eventId, storedEvent(n));
      tx.products.put(storedProduct(n).productId, storedProduct(n));
    }
    for (let n = 0; n < VISITORS; n++) {
      const history = storedHistory(n)!;
      for (const one of history.interactions) tx.putInteraction(history.visitorId, one);
    }
  });
  await store.close();
}

describe("the damaged file of an embedded store", () => {
  it.each([
    ["flipped-bits", "flip"],
    ["torn-file", "tear"],
  ] as const)(
    "returns no wrong value, and verification finds the damage: %s",
    async (fault, kind) => {
      const directory = join(await temporaryDirectory(), "store");
      await fill(directory);
      const outcomes: Outcome[] = [];
      let crashes = 0;
      for (let next = 0; next <= ROUNDS; ) {
        const seeds = Array.from({ length: ROUNDS - next + 1 }, (_, i) => next + i);
        const read = await readDamaged(kind, directory, seeds);
        outcomes.push(...read);
        next += read.length;
        if (next > ROUNDS) break;
        crashes++; // LMDB itself crashed on this one
        next++;
      }
      expect(outcomes.filter((one) => one.wrong > 0)).toEqual([]);
      expect(outcomes.length + crashes).toBe(ROUNDS + 1);
      expect(outcomes[0]).toMatchObject({ seed: 0, missing: 0, refused: 0, faults: 0 });
      const unnoticed = outcomes.filter((one) => one.missing + one.refused > 0 && one.faults === 0);
      expect(unnoticed).toEqual([]);
      expect(crashes).toBeLessThan(ROUNDS / 2);
      const sum = (key: keyof Outcome) => outcomes.reduce((total, one) => total + one[key], 0);
      expect(sum("refused")).toBeGreaterThan(ROUNDS / 2); // the damage was real
      expect(sum("reported")).toBeGreaterThanOrEqual(sum("refused") - ROUNDS);
      expect(sum("right")).toBeGreaterThan(ROUNDS * (kind === "flip" ? EVENTS : EVENTS / 10));
      const damaged = outcomes.filter(({ faults }) => faults > 0).length;
      const seen = `${damaged} stores found damaged by verification; LMDB ended the reader in ${crashes} rounds`;
      const counts = { lost: unnoticed.length, duplicated: 0, wrong: sum("wrong") };
      recordFault(fault, "embedded", { rounds: ROUNDS, acknowledged: ROUNDS * KEPT, ...counts, seen });
    },
    60_000 + ROUNDS * 2_000,
  );
});

function parseOutcome(line: string): Outcome {
  const parsed: unknown = JSON.parse(line);
  const field = (name: string): number => {
    const value: unknown = typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, name) : undefined;
    if (typeof value !== "number") throw new Error(`no number ${name} in a line of the reader`);
    return value;
  };
  return {
    seed: field("seed"),
    right: field("right"),
    wrong: field("wrong"),
    missing: field("missing"),
    refused: field("refused"),
    reported: field("reported"),
    faults: field("faults"),
  };
}
