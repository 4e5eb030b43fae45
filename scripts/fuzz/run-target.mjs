// Runs a target in a thread of its own, so that an input on which it hangs can be told.
import { rmSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { bundleTarget } from "./bundle.mjs";
import { MAX_BYTES } from "./mutate.mjs";

/** An input that takes longer than this never ends. */
const HANG_MS = 20_000;

/**
 * Resolves to the counts and the first finding, if there is one.
 * @param {string} name of a target, or the path of a TypeScript file that is one
 * @param {{ seconds: number, seed: number, input?: Buffer }} options with `input`, it alone is run
 */
export async function fuzzTarget(name, { seconds, seed, input }) {
  const bundle = await bundleTarget(name);
  // The number of the run, the length of its input, and the input.
  const shared = new SharedArrayBuffer(8 + MAX_BYTES);
  const [place] = [new Int32Array(shared, 0, 2)];
  const current = () => Buffer.from(new Uint8Array(shared, 8, place[1]));
  const start = performance.now();
  const worker = new Worker(new URL("worker.mjs", import.meta.url), {
    workerData: { bundle, shared, seconds, seed, input },
  });
  let counts = { runs: 0, kept: 0, reached: 0, counters: 0 };
  try {
    return await new Promise((resolve) => {
      const found = (reason) =>
        resolve({
          ...counts,
          runs: Atomics.load(place, 0),
          tookMs: performance.now() - start,
          finding: { reason, input: current() },
        });
      let before = -1;
      let since = performance.now();
      const watch = setInterval(() => {
        const run = Atomics.load(place, 0);
        if (run !== before) [before, since] = [run, performance.now()];
        else if (performance.now() - since > HANG_MS) found(`It had not ended after ${HANG_MS / 1000} s`);
      }, 500);
      worker.on("message", (message) => {
        counts = message.counts;
        const { finding } = message;
        resolve({
          ...counts,
          tookMs: performance.now() - start,
          finding: finding && { reason: finding.reason, input: Buffer.from(finding.input) },
        });
      });
      worker.on("error", (error) => found(`An exception outside of the target: ${error?.stack ?? error}`));
      // Without a word: nothing was left that could settle the promise of the target.
      worker.on("exit", () => {
        clearInterval(watch);
        found("The promise of the target never settled");
      });
    });
  } finally {
    await worker.terminate();
    rmSync(bundle, { force: true });
  }
}
