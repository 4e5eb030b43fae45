import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../fixtures/server.js";
import { fill } from "./children/flipped-data.js";
import { rounds } from "./faults.js";
import { linesOf } from "./reader-process.js";
import { recordFault } from "./report.js";

const READ = fileURLToPath(new URL("./children/scan-flipped.ts", import.meta.url));
const READINGS = 10;
/** What is complete, or fails. */
const WHOLE = ["backup", "migrate", "doctor"];

type Outcome = "whole" | "refused" | "short";

interface Round {
  readonly seed: number;
  readonly outcomes: Readonly<Record<string, Outcome>>;
}

/** Reads copies of the store with the changes of these seeds; the outcomes up to the end or to a crash. */
async function readFlipped(kind: string, directory: string, seeds: readonly number[]): Promise<Round[]> {
  return (await linesOf(READ, kind, directory, ...seeds.map(String))).map(parseRound);
}

describe("one changed byte in the file of an embedded store", () => {
  it.each([
    ["flipped-byte", "anywhere", rounds(20, 200)],
    ["flipped-structure", "structure", rounds(10, 200)],
  ] as const)(
    "never shortens a backup or migration that succeeds, and a verification finds what shortens a list: %s",
    async (fault, kind, count) => {
      const directory = join(await temporaryDirectory(), "store");
      await fill(directory);
      const done: Round[] = [];
      let crashes = 0;
      for (let next = 0; next <= count; ) {
        const read = await readFlipped(
          kind,
          directory,
          Array.from({ length: count - next + 1 }, (_, i) => next + i),
        );
        done.push(...read);
        next += read.length;
        if (next > count) break;
        crashes++; // LMDB itself crashed on this one
        next++;
      }
      const [sound, ...damaged] = done;
      expect(new Set(Object.values(sound?.outcomes ?? {}))).toEqual(new Set(["whole"]));
      expect(Object.keys(sound?.outcomes ?? {})).toHaveLength(READINGS);
      const readings = damaged.map(({ outcomes }) => Object.values(outcomes));
      const isShort = (names: readonly string[]) => (round: Round) =>
        names.some((name) => round.outcomes[name] === "short");
      expect(damaged.filter(isShort(WHOLE))).toEqual([]);
      const short = damaged.filter(isShort(Object.keys(sound?.outcomes ?? {})));
      expect(short.filter(({ outcomes }) => outcomes.doctor !== "refused")).toEqual([]);
      expect(damaged.length + crashes).toBe(count);
      expect(crashes).toBeLessThan(count / 2);
      const refused = damaged.filter(({ outcomes }) => Object.values(outcomes).includes("refused"));
      expect(refused.length, "the damage was real").toBeGreaterThan(count / 4);
      const unnoticed = refused.filter(({ outcomes }) => outcomes.doctor === "whole");
      expect(unnoticed, "a verification finds what a reading has found").toEqual([]);
      const outcomes = readings.flat();
      const whole = outcomes.filter((outcome) => outcome === "whole").length;
      recordFault(fault, "embedded", {
        rounds: count,
        acknowledged: count * READINGS,
        lost: 0,
        duplicated: 0,
        wrong: 0,
        seen: `${whole} readings whole, ${outcomes.length - whole} failed aloud or lacked what a verification told; LMDB ended the reader in ${crashes} rounds`,
      });
    },
    120_000 + rounds(20, 200) * 10_000,
  );
});

function parseRound(line: string): Round {
  const parsed: Round = JSON.parse(line);
  return parsed;
}
