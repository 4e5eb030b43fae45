/**
 * The k best of a stream of scored numbers. A buffer takes each offer better than the k-th best so far. When it holds
 * much more than k, buckets (`score-buckets.ts`) select the best and the rest are dropped. Time: O(n) for n offers, with
 * no allocation after the first use. Ties go to the larger index, so the order of offers does not matter.
 */
import type { Candidates } from "./candidates.js";
import { createScoreBuckets } from "./score-buckets.js";

export interface TopK {
  /** Forgets all entries; keeps at most `k` new ones. */
  reset(k: number): void;
  /** Scores are numbers, no index comes twice. */
  offer(index: number, score: number): void;
  /** Number of kept entries. */
  size(): number;
  /** The i-th kept index and score, in any order, but a fixed one; after `size` has been asked. */
  indexAt(i: number): number;
  scoreAt(i: number): number;
  /** Removes and returns the kept entries, best first. */
  take(): Candidates;
}

/** Base-2 logarithm of the bucket count. Fewer buckets scan faster but leave more entries to select within one. */
const BITS = 8;
const BUCKETS = 1 << BITS;
/** Smallest buffer, or twice k if larger; a full buffer triggers the selection. */
const MIN_BUFFER = 256;
/** Insertion sort up to this many entries. */
const MAX_INSERTION_SORT = 12;

export function createTopK(): TopK {
  let limit = 0;
  let most = 0;
  let size = 0;
  let indices = new Uint32Array(64);
  let scores = new Float64Array(64);
  // Those of one bucket, of which some are kept.
  let someIndices = new Uint32Array(64);
  let someScores = new Float64Array(64);
  // Lower scores cannot be among the k best.
  let floor = Number.NEGATIVE_INFINITY;
  const buckets = createScoreBuckets(BITS);
  /** Where the next one of a bucket goes. */
  const next = new Uint32Array(BUCKETS);

  function grow(): void {
    const longer = Math.min(most, indices.length * 2);
    const moreIndices = new Uint32Array(longer);
    const moreScores = new Float64Array(longer);
    moreIndices.set(indices);
    moreScores.set(scores);
    indices = moreIndices;
    scores = moreScores;
    someIndices = new Uint32Array(longer);
    someScores = new Float64Array(longer);
  }

  /** Leaves the `limit` best of more. */
  function prune(): void {
    buckets.fill(scores, size);
    const { bucketOf, counts } = buckets;
    let last = BUCKETS - 1;
    let missing = limit;
    while (counts[last]! < missing) missing -= counts[last--]!;
    let kept = 0;
    let some = 0;
    for (let i = 0; i < size; i++) {
      const bucket = bucketOf[i]!;
      if (bucket < last) continue;
      const index = indices[i]!;
      const score = scores[i]!;
      if (bucket > last) {
        indices[kept] = index;
        scores[kept++] = score;
      } else {
        someIndices[some] = index;
        someScores[some++] = score;
      }
    }
    if (some > missing) select(someIndices, someScores, 0, some - 1, missing);
    floor = Number.POSITIVE_INFINITY;
    for (let i = 0; i < missing; i++) {
      const score = someScores[i]!;
      if (score < floor) floor = score;
      indices[kept] = someIndices[i]!;
      scores[kept++] = score;
    }
    size = limit;
  }

  /** Sorts the kept entries bucket by bucket, best first. */
  function inOrder(): Candidates {
    const best = { indices: new Uint32Array(size), scores: new Float64Array(size) };
    buckets.fill(scores, size);
    const { bucketOf, counts } = buckets;
    for (let bucket = BUCKETS - 1, at = 0; at < size; bucket--) {
      next[bucket] = at;
      at += counts[bucket]!;
    }
    for (let i = 0; i < size; i++) {
      const at = next[bucketOf[i]!]!++;
      best.indices[at] = indices[i]!;
      best.scores[at] = scores[i]!;
    }
    for (let bucket = BUCKETS - 1, at = 0; at < size; bucket--) {
      const count = counts[bucket]!;
      if (count > 1) sort(best.indices, best.scores, at, at + count - 1);
      at += count;
    }
    return best;
  }

  return {
    reset(k) {
      limit = k;
      most = Math.max(2 * k, MIN_BUFFER);
      size = 0;
      floor = Number.NEGATIVE_INFINITY;
    },
    offer(index, score) {
      if (score < floor || limit === 0) return;
      if (size === indices.length || size === most) {
        if (size < most) grow();
        else prune();
      }
      indices[size] = index;
      scores[size++] = score;
    },
    size() {
      if (size > limit) prune();
      return size;
    },
    indexAt: (i) => indices[i]!,
    scoreAt: (i) => scores[i]!,
    take() {
      if (size > limit) prune();
      const best = inOrder();
      size = 0;
      return best;
    },
  };
}

/** Puts the `k` best of the places `from` to `to` at the front of them. */
function select(indices: Uint32Array, scores: Float64Array, from: number, to: number, k: number): void {
  while (from < to) {
    const middle = partition(indices, scores, from, to);
    if (k <= middle) to = middle;
    else from = middle + 1;
  }
}

/** Best first. */
function sort(indices: Uint32Array, scores: Float64Array, from: number, to: number): void {
  while (to - from >= MAX_INSERTION_SORT) {
    const middle = partition(indices, scores, from, to);
    sort(indices, scores, middle + 1, to);
    to = middle;
  }
  for (let i = from + 1; i <= to; i++) {
    const index = indices[i]!;
    const score = scores[i]!;
    let at = i;
    for (; at > from && isBetter(index, score, indices[at - 1]!, scores[at - 1]!); at--) {
      indices[at] = indices[at - 1]!;
      scores[at] = scores[at - 1]!;
    }
    indices[at] = index;
    scores[at] = score;
  }
}

/**
 * Puts the better ones of two or more in front; returns the last place of the front, which is not the last of all. They
 * are compared with the one in the middle of the first, the middle and the last.
 */
function partition(indices: Uint32Array, scores: Float64Array, from: number, to: number): number {
  const pivot = middleOf(indices, scores, from, (from + to) >> 1, to);
  const index = indices[pivot]!;
  const score = scores[pivot]!;
  let left = from - 1;
  let right = to + 1;
  for (;;) {
    do left++;
    while (isBetter(indices[left]!, scores[left]!, index, score));
    do right--;
    while (isBetter(index, score, indices[right]!, scores[right]!));
    if (left >= right) return right;
    const otherIndex = indices[left]!;
    const otherScore = scores[left]!;
    indices[left] = indices[right]!;
    scores[left] = scores[right]!;
    indices[right] = otherIndex;
    scores[right] = otherScore;
  }
}

function middleOf(indices: Uint32Array, scores: Float64Array, a: number, b: number, c: number): number {
  const ab = isBetter(indices[a]!, scores[a]!, indices[b]!, scores[b]!);
  const bc = isBetter(indices[b]!, scores[b]!, indices[c]!, scores[c]!);
  if (ab === bc) return b;
  return ab === isBetter(indices[a]!, scores[a]!, indices[c]!, scores[c]!) ? c : a;
}

function isBetter(index: number, score: number, otherIndex: number, otherScore: number): boolean {
  return score > otherScore || (score === otherScore && index > otherIndex);
}
