import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../fixtures/server.js";
import { fillSmall } from "./children/flipped-small.js";
import { rounds } from "./faults.js";
import { linesOf } from "./reader-process.js";
import { recordFault } from "./report.js";

const FLIP = fileURLToPath(new URL("./children/flip-many.ts", import.meta.url));
/** In one file, since LMDB ends it often and each start would compile all. Packages are found from here. */
const BUNDLED = fileURLToPath(new URL(`../../node_modules/.cache/flips/flip-many-${process.pid}.mjs`, import.meta.url));
const FLIPS = Number(process.env.AISLE_FLIPS ?? rounds(250, 10_000));
const READINGS = 39; // of each store

interface Flip {
  readonly seed: number;
  readonly wrong: readonly string[];
  readonly missing: readonly string[];
  readonly refused: readonly string[];
  readonly isFound: boolean;
}

it(`no reading after any of ${FLIPS} flipped bits gives a wrong record, and a verification finds what one refuses or lacks`, {
  timeout: 120_000 + FLIPS * 400,
}, async () => {
  await build({
    entryPoints: [FLIP],
    outfile: BUNDLED,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
  });
  onTestFinished(() => rm(BUNDLED, { force: true }));
  const flips: Flip[] = [];
  let crashes = 0;
  let directory = "";
  for (let next = 0; next <= FLIPS; ) {
    if (directory === "" || next > 0) {
      directory = join(await temporaryDirectory(), "store");
      await fillSmall(directory); // a crash leaves the bit turned over
      if (next > 0) await linesOf(BUNDLED, directory, "0", "0"); // and the truth beside it
    }
    const lines = await linesOf(BUNDLED, directory, String(next), String(FLIPS));
    flips.push(...lines.map((line): Flip => JSON.parse(line)));
    next += lines.length;
    if (next > FLIPS) break;
    crashes++; // LMDB itself ended the reader
    next++;
  }
  expect(flips[0]).toEqual({ seed: 0, wrong: [], missing: [], refused: [], isFound: true });
  expect(flips.filter(({ wrong, isFound }) => wrong.length > 0 || !isFound)).toEqual([]);
  expect(flips.length + crashes).toBe(FLIPS + 1);
  const count = (kind: "missing" | "refused") => flips.filter((flip) => flip[kind].length > 0).length;
  const missing = count("missing");
  expect(count("refused"), "the damage was real").toBeGreaterThan(FLIPS / 20);
  expect(crashes).toBeLessThan(FLIPS / 20);
  const seen = `${count("refused").toLocaleString("en")} times some questions were refused, ${missing} times a record was not found or not listed, which a verification told; LMDB ended the reader ${crashes} times`;
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
