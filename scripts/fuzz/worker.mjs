// The loop: runs changed inputs, keeps those that reach new code.
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { COUNTERS } from "./bundle.mjs";
import { createMutator, createRandom } from "./mutate.mjs";

/** An input of some kilobytes that takes more processor time, three times in turn, is a finding. */
const SLOW_MS = 500;
const MINIMISE_MS = 5_000;

const { bundle, shared, seconds, seed, input } = workerData;
const place = new Int32Array(shared, 0, 2);
const shown = new Uint8Array(shared, 8);

const target = createRequire(import.meta.url)(bundle);
const counters = gatherCounters(globalThis[COUNTERS] ?? {});
/** Which classes of counts each counter has shown: once, twice, 3, 4–7, 8–15, 16–31, 32–127, more. */
const seen = new Uint8Array(counters.length);

/** Puts all counters of the instrumented code into one array, which is read and cleared faster. */
function gatherCounters(files) {
  const places = Object.values(files).flatMap((file) => [
    [file, "s"],
    [file, "f"],
    ...Object.keys(file.b).map((branch) => [file.b, branch]),
  ]);
  const size = places.reduce((sum, [owner, key]) => sum + Object.keys(owner[key]).length, 0);
  const all = new Uint32Array(size);
  let at = 0;
  for (const [owner, key] of places) {
    const { length } = Object.keys(owner[key]);
    owner[key] = all.subarray(at, at + length);
    at += length;
  }
  return all;
}

function classOf(count) {
  if (count < 4) return 1 << (count - 1);
  if (count < 8) return 8;
  if (count < 16) return 16;
  if (count < 32) return 32;
  return count < 128 ? 64 : 128;
}

function noteCoverage() {
  let isNew = false;
  for (let at = 0; at < counters.length; at++) {
    const count = counters[at];
    if (count === 0) continue;
    const bit = classOf(count);
    if ((seen[at] & bit) !== 0) continue;
    seen[at] |= bit;
    isNew = true;
  }
  return isNew;
}

/** Runs the target on an input; answers why it is a finding, or undefined. */
async function attempt(bytes) {
  shown.set(bytes);
  place[1] = bytes.length;
  Atomics.add(place, 0, 1);
  const copy = Buffer.from(bytes); // a target may keep or change what it got
  const start = process.cpuUsage();
  try {
    const result = target.fuzz(copy);
    if (result !== undefined) await result;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : `It threw ${String(error)}`;
  }
  const { user, system } = process.cpuUsage(start);
  const tookMs = (user + system) / 1000;
  return tookMs > SLOW_MS ? `It took ${Math.round(tookMs)} ms` : undefined;
}

/** The same of an input that may have met a garbage collection: slow is what is slow three times. */
async function verdict(bytes) {
  let reason = await attempt(bytes);
  for (let again = 0; again < 2 && reason?.startsWith("It took "); again++) reason = await attempt(bytes);
  return reason;
}

/** Leaves pieces out as long as the finding stays one. */
async function minimise(bytes, reason) {
  const first = (text) => text.split("\n", 1)[0];
  if (reason.startsWith("It took ")) return { input: bytes, reason };
  let best = { input: bytes, reason };
  const end = performance.now() + MINIMISE_MS;
  for (let size = bytes.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at < best.input.length && performance.now() < end; ) {
      const less = Buffer.concat([best.input.subarray(0, at), best.input.subarray(at + size)]);
      const other = await attempt(less);
      if (other !== undefined && first(other) === first(reason)) best = { input: less, reason: other };
      else at += size;
    }
  }
  return best;
}

async function main() {
  if (input !== undefined) return { kept: 0, finding: await findingOf(Buffer.from(input)) };
  const random = createRandom(seed);
  const mutate = createMutator(
    random,
    (target.dictionary ?? []).map((word) => Buffer.from(word, "latin1")),
  );
  const corpus = [];
  for (const text of target.seeds) {
    const bytes = Buffer.from(text);
    counters.fill(0);
    const finding = await findingOf(bytes);
    if (finding !== undefined) return { kept: corpus.length, finding };
    noteCoverage();
    corpus.push(bytes);
  }
  const pick = () => corpus[Math.floor(corpus.length * (random() < 0.5 ? random() : 1 - random() ** 3))] ?? corpus[0];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const bytes = mutate(pick(), pick());
    counters.fill(0);
    const finding = await findingOf(bytes);
    if (finding !== undefined) return { kept: corpus.length, finding };
    if (noteCoverage()) corpus.push(bytes);
  }
  return { kept: corpus.length, finding: undefined };
}

async function findingOf(bytes) {
  const reason = await verdict(bytes);
  return reason === undefined ? undefined : minimise(bytes, reason);
}

const { kept, finding } = await main();
const reached = seen.reduce((sum, bits) => sum + (bits > 0 ? 1 : 0), 0);
parentPort.postMessage({ counts: { runs: Atomics.load(place, 0), kept, reached, counters: counters.length }, finding });
