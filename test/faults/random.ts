import { seed as seedOfThisRun } from "../fixtures/runs.js";

/** Numbers that each run of the tests draws anew, and that its seed repeats; `stream` tells tests apart. */
export function randomOfThisRun(stream: number): () => number {
  return seededRandom(seedOfThisRun() ^ Math.imul(stream + 1, 0x9e3779b1));
}

/** Numbers from 0 to below 1 that are the same for a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Turns so many bits over, in place. */
export function flipBits(bytes: Buffer, count: number, random: () => number): Buffer {
  for (let n = 0; n < count; n++) {
    const bit = Math.floor(random() * bytes.length * 8);
    bytes[bit >> 3] = bytes[bit >> 3]! ^ (1 << (bit & 7));
  }
  return bytes;
}

/** Some of a list, in its order. */
export function someOf<T>(list: readonly T[], count: number, random: () => number): T[] {
  const places = list.map((_, at) => ({ at, by: random() })).sort((a, b) => a.by - b.by);
  const chosen = new Set(places.slice(0, count).map(({ at }) => at));
  return list.filter((_, at) => chosen.has(at));
}
