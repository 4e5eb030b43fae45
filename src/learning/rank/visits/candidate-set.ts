import { createTopK } from "../../common/top-k.js";
import { BestOfBoard } from "./best-of-board.js";
import type { GraphWalk } from "./graph-walk.js";
import { type RankerSources, STATS, statAt } from "./ranker-sources.js";
import type { ScoreBoard, Slots } from "./score-board.js";

export const MAX_CANDIDATES = 240;

/** How many of a board's best become candidates. Nearly all that are near are reached by the walk as well. */
export const TAKEN = { close: 80, walk: 40, longWalk: 20 } as const;
const RECENTLY_POPULAR = 10;

/** The candidates of one query. Overwritten by the next one. */
export interface CandidateSet {
  readonly products: Uint32Array;
  /** Their slots. */
  readonly places: Uint32Array;
  /** Collects the candidates; `newest` are the products of the visit. Returns how many there are. */
  gather(newest: Iterable<number>): number;
  /** Which candidate has this slot; -1 when none has. */
  indexOf(slot: number): number;
  /** Forgets the candidates; before the slots are emptied. */
  clear(): void;
}

export function createCandidateSet(
  sources: RankerSources,
  close: ScoreBoard,
  { best: bestWalk, longWalk }: GraphWalk,
  slots: Slots,
): CandidateSet {
  const closest = new BestOfBoard(slots, TAKEN.close);
  const bestLongWalk = new BestOfBoard(slots, TAKEN.longWalk);
  const recentlyPopular = mostPopularLately(sources);
  /** By slot: the candidate's number + 1, 0 for the others. */
  const numbers = new Uint8Array(sources.neighbours.productCount);
  const products = new Uint32Array(MAX_CANDIDATES);
  const places = new Uint32Array(MAX_CANDIDATES);
  let count = 0;

  function put(slot: number): void {
    if (numbers[slot] !== 0 || count === MAX_CANDIDATES) return;
    places[count] = slot;
    products[count++] = slots.products[slot]!;
    numbers[slot] = count;
  }

  function putBest(best: BestOfBoard, most: number): void {
    const taken = Math.min(most, best.count);
    for (let i = 0; i < taken; i++) put(best.slots[i]!);
  }

  return {
    products,
    places,
    gather(newest) {
      for (const product of newest) put(slots.of(product));
      closest.find(close);
      putBest(closest, TAKEN.close);
      // The walk has found its best on its way.
      putBest(bestWalk, TAKEN.walk);
      bestLongWalk.find(longWalk);
      putBest(bestLongWalk, TAKEN.longWalk);
      for (const product of recentlyPopular) put(slots.of(product));
      return count;
    },
    indexOf: (slot) => numbers[slot]! - 1,
    clear() {
      for (let c = 0; c < count; c++) numbers[places[c]!] = 0;
      count = 0;
    },
  };
}

function mostPopularLately({ stats, neighbours }: RankerSources): Uint32Array {
  const popular = statAt("popular5");
  const top = createTopK();
  top.reset(RECENTLY_POPULAR);
  for (let product = 0; product < neighbours.productCount; product++) {
    const score = stats[product * STATS.length + popular]!;
    if (score > 0) top.offer(product, score);
  }
  return top.take().indices;
}
