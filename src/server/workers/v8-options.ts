import { availableParallelism } from "node:os";

/**
 * Size of the young generation, MiB for each half; Node 24 has the same by default. A thousand requests that wait for one
 * commit outlive collections of 16 MiB, which copy them again and again: with 64 an event costs a quarter less CPU then.
 */
const YOUNG = "--max-semi-space-size=64";

/**
 * When most objects of an allocation site live long for a while, V8 allocates its later objects in the old generation, for
 * good. That happens while requests wait. Each such object, and all that it refers to, then stays until a major
 * collection.
 */
const NO_PRETENURING = "--no-allocation-site-pretenuring";

/**
 * V8 marks in threads of its own, and in tasks of its own for 1 ms in each turn of the event loop. Where there is but one
 * processor they take it from requests for a tenth of a second at a time. Without them it marks as much as is allocated.
 */
const ONE_PROCESSOR = ["--no-concurrent-marking", "--no-incremental-marking-task"];

/** Options for the processes that serve. `own` are the operator's options for Node, which take precedence. */
export function v8Options(own: readonly string[], processors = availableParallelism()): string[] {
  const ours = [NO_PRETENURING, ...(processors === 1 ? ONE_PROCESSOR : [])];
  return own.some((option) => /semi[-_]space|heap[-_]size|old[-_]space/.test(option)) ? ours : [YOUNG, ...ours];
}
