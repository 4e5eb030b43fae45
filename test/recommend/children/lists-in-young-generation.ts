/**
 * Parts 200 pairs of lists, each beside 100 kB that its own functions refer to, with a minor collection after each and no
 * major one if V8 begins none, and prints how many bytes the heap grew by since the first few. Run with --expose-gc.
 */
import { besideAlternative } from "../../../src/recommend/arrange/two-lists.js";

const ANSWERS = 200;
const SETTLED = 10;
const { gc } = globalThis;
if (gc === undefined) throw new Error("the collector is not exposed");

/** Reads the first of a list that was parted beside 100 kB. */
function part(answer: number): void {
  const large = new Array<number>(12_500).fill(answer + 0.5);
  const parted = besideAlternative(
    [1, 2],
    [1],
    [2],
    () => 1,
    (proposal) => large[Number(proposal)] === 0,
  );
  for (const _ of parted) break;
}

let grownFrom = 0;
for (let answer = 0; answer < ANSWERS; answer++) {
  if (answer === SETTLED) grownFrom = process.memoryUsage().heapUsed;
  part(answer);
  gc({ type: "minor" });
  gc({ type: "minor" });
}
console.log(process.memoryUsage().heapUsed - grownFrom);
