/**
 * Runs simulated histories of the core: `npm run faults -- simulate [--histories N] [--seed N]`. A failed one names its seed,
 * which repeats it. Ends with 1 when one failed.
 */
import { parseArgs } from "node:util";
import { runHistory } from "./history.js";

const { values } = parseArgs({
  options: {
    histories: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    "stop-at-fault": { type: "boolean", default: false },
  },
});
const first = Number(values.seed);
// A seed alone is repeated alone.
const count = Number(values.histories || (process.argv.includes("--seed") ? 1 : 1000));
const from = performance.now();
const total = { acknowledged: 0, commits: 0, failed: 0, histories: 0 };
const done: Record<string, number> = {};
for (let seed = first; seed < first + count; seed++) {
  const history = await runHistory(seed);
  total.histories++;
  total.acknowledged += history.acknowledged;
  total.commits += history.commits;
  for (const [name, times] of Object.entries(history.done)) done[name] = (done[name] ?? 0) + times;
  if (history.faults.length === 0) continue;
  total.failed++;
  for (const fault of history.faults.slice(0, 10)) console.log(`seed ${seed}: ${fault}`);
  if (values["stop-at-fault"]) break;
}
const seconds = Math.round((performance.now() - from) / 100) / 10;
const { user, system } = process.cpuUsage();
const perMinute = Math.round((total.histories / (user + system)) * 60e6);
// Of a minute of one processor, however busy the machine is.
console.log(JSON.stringify({ ...total, seconds, perMinute, done }));
process.exitCode = total.failed === 0 ? 0 : 1;
