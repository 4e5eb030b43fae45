/**
 * The k best of a stream of scored numbers, in a binary heap whose root is the worst one kept: O(n log k), no
 * allocation after the first use. Better is the larger score and, of equal scores, the larger index, which makes the
 * choice independent of the order of offers.
 */
import type { Candidates } from "./candidates.js";

export interface TopK {
  /** Empties the heap; at most `k` will be kept. */
  reset(k: number): void;
  offer(index: number, score: number): void;
  /** How many are kept. */
  size(): number;
  /** The i-th kept index and score, in heap order: any order, but a fixed one. */
  indexAt(i: number): number;
  scoreAt(i: number): number;
  /** What is kept, best first; the heap is empty afterwards. */
  take(): Candidates;
}

export function createTopK(): TopK {
  let limit = 0;
  let size = 0;
  let indices = new Uint32Array(64);
  let scores = new Float64Array(64);

  function worse(aIndex: number, aScore: number, bIndex: number, bScore: number): boolean {
    return aScore < bScore || (aScore === bScore && aIndex < bIndex);
  }

  function grow(): void {
    const longer = Math.min(limit, indices.length * 2);
    const moreIndices = new Uint32Array(longer);
    const moreScores = new Float64Array(longer);
    moreIndices.set(indices);
    moreScores.set(scores);
    indices = moreIndices;
    scores = moreScores;
  }

  function siftDown(index: number, score: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && worse(indices[child + 1]!, scores[child + 1]!, indices[child]!, scores[child]!)) child++;
      if (!worse(indices[child]!, scores[child]!, index, score)) break;
      indices[at] = indices[child]!;
      scores[at] = scores[child]!;
      at = child;
    }
    indices[at] = index;
    scores[at] = score;
  }

  function siftUp(index: number, score: number): void {
    let at = size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!worse(index, score, indices[parent]!, scores[parent]!)) break;
      indices[at] = indices[parent]!;
      scores[at] = scores[parent]!;
      at = parent;
    }
    indices[at] = index;
    scores[at] = score;
  }

  return {
    reset(k) {
      limit = k;
      size = 0;
    },
    offer(index, score) {
      if (size < limit) {
        if (size === indices.length) grow();
        siftUp(index, score);
      } else if (limit > 0 && worse(indices[0]!, scores[0]!, index, score)) siftDown(index, score);
    },
    size: () => size,
    indexAt: (i) => indices[i]!,
    scoreAt: (i) => scores[i]!,
    take() {
      const best = { indices: new Uint32Array(size), scores: new Float64Array(size) };
      while (size > 0) {
        size--;
        best.indices[size] = indices[0]!;
        best.scores[size] = scores[0]!;
        if (size > 0) siftDown(indices[size]!, scores[size]!);
      }
      return best;
    },
  };
}
