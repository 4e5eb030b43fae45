import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../fixtures/server.js";
import { fillSmall } from "./children/flipped-small.js";
import { rounds } from "./faults.js";
import { linesOf } from "./reader-process.js";
import { recordFault } from "./report.js";

const FLIP = fileURLToPath(new URL("./children/flip-many.ts", import.meta.url));
const FLIPS = Number(process.env.AISLE_FLIPS ?? rounds(250, 10_000));
const READINGS = 39;

interface Flip {
  readonly seed: number;
  readonly outcome: "whole" | "refused" | "wrong" | "unnoticed";
  readonly names: readonly string[];
}

it(`no reading after any of ${FLIPS} flipped bits gives a wrong answer, and a verification finds what one refuses`, {
  timeout: 120_000 + FLIPS * 400,
}, async () => {
  const flips: Flip[] = [];
  let crashes = 0;
  let directory = "";
  for (let next = 0; next <= FLIPS; ) {
    if (directory === "" || next > 0) {
      directory = join(await temporaryDirectory(), "store");
      await fillSmall(directory); // a crash leaves the bit turned over
      if (next > 0) await linesOf(FLIP, directory, "0", "0"); // and the truth beside it
    }
    const lines = await linesOf(FLIP, directory, String(next), String(FLIPS));
    flips.push(...lines.map((line): Flip => JSON.parse(line)));
    next += lines.length;
    if (next > FLIPS) break;
    crashes++; // LMDB itself ended the reader
    next++;
  }
  expect(flips[0]).toEqual({ seed: 0, outcome: "whole", names: [] });
  expect(flips.filter(({ outcome }) => outcome === "wrong" || outcome === "unnoticed")).toEqual([]);
  expect(flips.length + crashes).toBe(FLIPS + 1);
  const refused = flips.filter(({ outcome }) => outcome === "refused").length;
  expect(refused, "the damage was real").toBeGreaterThan(FLIPS / 20);
  expect(crashes).toBeLessThan(FLIPS / 20);
  const seen = `${refused.toLocaleString("en")} stores refused to answer some of ${READINGS} questions, the others gave all; LMDB ended the reader in ${crashes}`;
  process.stderr.write(`flips: ${FLIPS.toLocaleString("en")}, none answered wrong; ${seen}\n`);
  recordFault("flipped-bit", "embedded", {
    rounds: FLIPS,
    acknowledged: FLIPS * READINGS,
    lost: 0,
    duplicated: 0,
    wrong: 0,
    seen,
  });
});
