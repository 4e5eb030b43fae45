/**
 * The order of some hundred scores by buckets (`score-buckets.ts`) and one insertion sort over all of them, which has
 * little left to move: half the time of `descending-order.ts`, which is made for more of them.
 */
import { createScoreBuckets } from "../../common/score-buckets.js";

/** Buckets, as a power of two: about one for each score. */
const BITS = 7;

/**
 * Places 0 to `count` - 1 by falling score, equal scores by rising place. Scores are numbers above 0. Calls must not
 * overlap, and the order is overwritten by the next one.
 */
export type Ranks = (scores: Float64Array, count: number) => Uint32Array;

/** `most`: scores of one call. */
export function createRanks(most: number): Ranks {
  const order = new Uint32Array(most);
  const buckets = createScoreBuckets(BITS);

  return (scores, count) => {
    buckets.fill(scores, count);
    buckets.place(order, count);
    for (let i = 1; i < count; i++) {
      const place = order[i]!;
      const score = scores[place]!;
      let at = i;
      for (; at > 0 && scores[order[at - 1]!]! < score; at--) order[at] = order[at - 1]!;
      order[at] = place;
    }
    return order;
  };
}
