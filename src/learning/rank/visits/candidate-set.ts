import { createTopK } from "../../common/top-k.js";
import { BestOfBoard } from "./best-of-board.js";
import type { ItemScores } from "./item-scores.js";
import { createLowerBound } from "./lower-bound.js";
import type { NeighbourVotes } from "./neighbour-votes.js";
import { type RankerSources, STATS, statAt } from "./ranker-sources.js";
import type { ScoreBoard, Slots } from "./score-board.js";

export const MAX_CANDIDATES = 240;

const RECENTLY_POPULAR = 10;
const POPULAR_5 = statAt("popular5");

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

/** How many of a board's best become candidates. */
interface Take {
  /** Undefined when its best were found already. */
  readonly board?: ScoreBoard;
  readonly best: BestOfBoard;
  readonly take: number;
  /** The best of a board that is much like it. */
  readonly like?: BestOfBoard;
}

export function createCandidateSet(
  sources: RankerSources,
  votes: NeighbourVotes,
  scores: ItemScores,
  slots: Slots,
): CandidateSet {
  const takes = takesOf(votes, scores, slots);
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

  return {
    products,
    places,
    gather(newest) {
      for (const product of newest) put(slots.of(product));
      for (const { board, best, take, like } of takes) {
        if (board) best.find(board, like);
        const taken = Math.min(take, best.count);
        for (let i = 0; i < taken; i++) put(best.slots[i]!);
      }
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

/** The boards whose best become candidates, in this order. The walk has found some of them on its way. */
function takesOf(votes: NeighbourVotes, scores: ItemScores, slots: Slots): readonly Take[] {
  const best = (take: number) => new BestOfBoard(slots, take);
  const closest = new BestOfBoard(slots, 80, createLowerBound());
  const { bestNear, bestWalk } = scores;
  return [
    { board: votes.close, best: closest, take: 80 },
    { board: votes.plain, best: best(20), take: 20, like: closest },
    { board: votes.next, best: best(20), take: 20, like: closest },
    { board: scores.nearLast, best: best(20), take: 20, like: bestNear },
    { best: bestNear, take: 40 },
    { best: bestWalk, take: 40 },
    { board: scores.longWalk, best: best(20), take: 20, like: bestWalk },
  ];
}

function mostPopularLately({ stats, neighbours }: RankerSources): Uint32Array {
  const top = createTopK();
  top.reset(RECENTLY_POPULAR);
  for (let product = 0; product < neighbours.productCount; product++) {
    const score = stats[product * STATS.length + POPULAR_5]!;
    if (score > 0) top.offer(product, score);
  }
  return top.take().indices;
}
