/**
 * The k best of many scored products, and scored products by falling score. All work in arrays that
 * they keep, so that an answer leaves nothing to collect.
 *
 * Top k: quickselect (Hoare: Algorithm 65, Find, CACM 1961) over a buffer of 2 k, O(n) for n offers. Falling order: one
 * pass puts scores into about as many buckets as there are scores, an insertion sort does the rest. For some hundred
 * scores that takes a tenth of the time of a sort with a comparison function.
 */
import type { Candidates } from "./candidates.js";

export interface TopK {
  /** Forgets all entries; keeps at most `k` new ones. */
  reset(k: number): void;
  /** Scores are numbers, no index comes twice. Of equal scores the larger index is better, whatever was offered first. */
  offer(index: number, score: number): void;
  /** Number of kept entries. */
  size(): number;
  /** The i-th kept index and score, in no order, but the same one for the same offers; after `size` has been asked. */
  indexAt(i: number): number;
  scoreAt(i: number): number;
  /** Removes and returns the kept entries, best first. */
  take(): Candidates;
}

/** Smallest buffer, or twice k if larger. A full buffer is cut to its k best. */
const MIN_BUFFER = 256;

export function createTopK(): TopK {
  let limit = 0;
  let most = 0;
  let size = 0;
  let indices = new Uint32Array(64);
  let scores = new Float64Array(64);
  // Lower scores cannot be among the k best.
  let floor = Number.NEGATIVE_INFINITY;
  const falling = createDescendingOrder();

  function grow(): void {
    const [shorterIndices, shorterScores] = [indices, scores];
    indices = new Uint32Array(2 * size);
    scores = new Float64Array(2 * size);
    indices.set(shorterIndices);
    scores.set(shorterScores);
  }

  /** Leaves the `limit` best of more. */
  function cut(): void {
    select(indices, scores, size, limit);
    size = limit;
    floor = Number.POSITIVE_INFINITY;
    for (let i = 0; i < size; i++) if (scores[i]! < floor) floor = scores[i]!;
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
      if (size === most) cut();
      if (size === indices.length) grow();
      indices[size] = index;
      scores[size++] = score;
    },
    size() {
      if (size > limit) cut();
      return size;
    },
    indexAt: (i) => indices[i]!,
    scoreAt: (i) => scores[i]!,
    take() {
      if (size > limit) cut();
      const best = { indices: new Uint32Array(size), scores: new Float64Array(size) };
      // Equal scores by rising complement are equal scores by falling index.
      for (let i = 0; i < size; i++) indices[i] = ~indices[i]!;
      const order = falling.of(scores, indices, size);
      for (let i = 0; i < size; i++) {
        best.indices[i] = ~indices[order[i]!]!;
        best.scores[i] = scores[order[i]!]!;
      }
      size = 0;
      return best;
    },
  };
}

/** Puts the `k` best of the first `count` entries in front. */
function select(indices: Uint32Array, scores: Float64Array, count: number, k: number): void {
  let from = 0;
  let to = count - 1;
  while (from < to) {
    const middle = partition(indices, scores, from, to);
    if (k <= middle) to = middle;
    else from = middle + 1;
  }
}

/**
 * Puts the better ones of two or more entries in front. Returns the last place of the front, which is not the last of
 * all. The pivot is the middle one of the first, the middle and the last entry.
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

/** Calls must not overlap, and the order is overwritten by the next one. */
export interface DescendingOrder {
  /**
   * Places 0 to `count` - 1 by falling score, equal scores by rising id.
   *
   * @param scores By place; finite numbers.
   * @param ids By place, no two alike.
   */
  of(scores: Float64Array, ids: Uint32Array, count: number): Uint32Array;
}

/** Buckets at most, as a power of two. */
const MOST_BITS = 10;
/** A larger bucket is sorted by comparison before the insertion sort, whose time grows with the square. */
const LARGE_BUCKET = 200;

export function createDescendingOrder(): DescendingOrder {
  let order = new Uint32Array(256);
  let buckets = new Int32Array(256);
  const ends = new Uint32Array(1 << MOST_BITS);

  return {
    of(scores, ids, count) {
      if (count > order.length) {
        order = new Uint32Array(2 * count);
        buckets = new Int32Array(2 * count);
      }
      const bucketCount = writeBuckets(scores, count, buckets);
      ends.fill(0, 0, bucketCount);
      for (let place = 0; place < count; place++) ends[buckets[place]!]!++;
      for (let bucket = bucketCount - 1, begin = 0; bucket >= 0; bucket--) {
        const size = ends[bucket]!;
        ends[bucket] = begin;
        begin += size;
      }
      // Each is where the next place of its bucket goes, and in the end where the bucket ends.
      for (let place = 0; place < count; place++) order[ends[buckets[place]!]!++] = place;
      for (let bucket = bucketCount - 1, begin = 0; bucket >= 0; bucket--) {
        const end = ends[bucket]!;
        if (end - begin > LARGE_BUCKET)
          order.subarray(begin, end).sort((a, b) => scores[b]! - scores[a]! || ids[a]! - ids[b]!);
        begin = end;
      }
      insert(order, count, scores, ids);
      return order.subarray(0, count);
    },
  };
}

/** Of the halves of a number, the one with the sign: numbers lie with the lower one first wherever Node runs. */
const UPPER = 1;
const MINUS_ZERO = -0x8000_0000;

/**
 * Writes the bucket of each place by the leading bits of the scores' range, better scores into higher buckets; returns
 * the number of buckets. The bits of two numbers have the order of the numbers (IEEE 754), once those of negative
 * numbers are inverted.
 */
function writeBuckets(scores: Float64Array, count: number, buckets: Int32Array): number {
  const halves = new Int32Array(scores.buffer, scores.byteOffset, 2 * count);
  let least = 0x7fff_ffff;
  let most = -0x8000_0000;
  for (let place = 0; place < count; place++) {
    const half = halves[2 * place + UPPER]!;
    // -0 goes with 0.
    const key = half === MINUS_ZERO ? 0 : half ^ ((half >> 31) & 0x7fff_ffff);
    buckets[place] = key;
    least = Math.min(least, key);
    most = Math.max(most, key);
  }
  const bits = Math.min(MOST_BITS, 32 - Math.clz32(count));
  const shift = Math.max(0, 32 - Math.clz32((most - least) | 0) - bits);
  for (let place = 0; place < count; place++) buckets[place] = ((buckets[place]! - least) | 0) >>> shift;
  return 1 << bits;
}

/** Insertion sort of places that are nearly in order. */
function insert(order: Uint32Array, count: number, scores: Float64Array, ids: Uint32Array): void {
  for (let next = 1; next < count; next++) {
    const place = order[next]!;
    const score = scores[place]!;
    let at = next;
    for (; at > 0; at--) {
      const before = order[at - 1]!;
      const other = scores[before]!;
      if (other > score || (other === score && ids[before]! < ids[place]!)) break;
      order[at] = before;
    }
    order[at] = place;
  }
}
