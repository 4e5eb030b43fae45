/**
 * Plays 200 batches, each staging 100 kB and cleared, with a minor collection after each and no major one if V8 begins
 * none, and prints how many bytes the heap grew by since the first few. Run with --expose-gc.
 */

import { appKey } from "../../../../src/store/lmdb/keys.js";
import { Journal, Staged } from "../../../../src/store/lmdb/staged-tables.js";
import type { Table } from "../../../../src/store/lmdb/table.js";

const BATCHES = 200;
const SETTLED = 10;
const { gc } = globalThis;
if (gc === undefined) throw new Error("the collector is not exposed");

const none = { get: () => undefined } satisfies Pick<Table<number[]>, "get">;
// Only what is written is read here: of the table nothing but `get` is asked.
const journal = new Journal();
const staged = new Staged<number[]>(none as unknown as Table<number[]>, journal);
const end = () => {
  staged.clear();
  journal.clear();
};
let grownFrom = 0;
for (let batch = 0; batch < BATCHES; batch++) {
  if (batch === SETTLED) grownFrom = process.memoryUsage().heapUsed;
  staged.put(appKey(`app ${batch}`), new Array<number>(12_500).fill(batch + 0.5));
  // The first outlives two collections, and is in the old generation then.
  for (let n = 0; batch === 0 && n < 2; n++) gc({ type: "minor" });
  end();
  staged.put(appKey("app"), []);
  gc({ type: "minor" });
  end();
}
console.log(process.memoryUsage().heapUsed - grownFrom);
