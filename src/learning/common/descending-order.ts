/**
 * Puts scored things in order without a function that compares two of them, in scratch space of its own: buckets of the
 * scores (`score-buckets.ts`), each of which is put in order by insertion, a large one by merging (Knuth: The Art of
 * Computer Programming 3, 5.2.4).
 */
import { createScoreBuckets } from "./score-buckets.js";

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

/** Up to so many are one bucket. */
const FEW = 64;
/** Buckets, as a power of two. */
const BITS = 10;
/** Runs of this length are put in order by insertion. */
const RUN = 8;

export function createDescendingOrder(): DescendingOrder {
  let order = new Uint32Array(256);
  let other = new Uint32Array(256);
  const buckets = createScoreBuckets(BITS);
  const { counts, ends } = buckets;

  /** Puts the places from `from` to before `to` in order. */
  function arrange(from: number, to: number, scores: Float64Array, ids: Uint32Array): void {
    for (let run = from; run < to; run += RUN) insert(order, run, Math.min(to, run + RUN), scores, ids);
    for (let width = RUN; width < to - from; width *= 2) {
      for (let run = from; run < to; run += 2 * width) merge(order, other, run, width, to, scores, ids);
      order.set(other.subarray(from, to), from);
    }
  }

  return {
    of(scores, ids, count) {
      if (count > order.length) {
        order = new Uint32Array(2 * count);
        other = new Uint32Array(2 * count);
      }
      if (count <= FEW) {
        for (let place = 0; place < count; place++) order[place] = place;
        arrange(0, count, scores, ids);
        return order.subarray(0, count);
      }
      buckets.fill(scores, count);
      buckets.place(order, count);
      for (let bucket = ends.length - 1; bucket >= 0; bucket--) {
        const size = counts[bucket]!;
        if (size > 1) arrange(ends[bucket]! - size, ends[bucket]!, scores, ids);
      }
      return order.subarray(0, count);
    },
  };
}

function insert(order: Uint32Array, from: number, to: number, scores: Float64Array, ids: Uint32Array): void {
  for (let next = from + 1; next < to; next++) {
    const place = order[next]!;
    let at = next;
    for (; at > from && isBefore(place, order[at - 1]!, scores, ids); at--) order[at] = order[at - 1]!;
    order[at] = place;
  }
}

/** Merges the runs of `width` that begin at `from` and behind it, of which nothing lies at `to` or behind. */
function merge(
  order: Uint32Array,
  into: Uint32Array,
  from: number,
  width: number,
  to: number,
  scores: Float64Array,
  ids: Uint32Array,
): void {
  const middle = Math.min(to, from + width);
  const end = Math.min(to, middle + width);
  let left = from;
  let right = middle;
  for (let at = from; at < end; at++) {
    if (left < middle && (right === end || isBefore(order[left]!, order[right]!, scores, ids)))
      into[at] = order[left++]!;
    else into[at] = order[right++]!;
  }
}

function isBefore(a: number, b: number, scores: Float64Array, ids: Uint32Array): boolean {
  const difference = scores[a]! - scores[b]!;
  return difference > 0 || (difference === 0 && ids[a]! < ids[b]!);
}
