/**
 * The candidates of a visitor's situation, and what is known of each as a row of numbers. Candidates are the union of
 * what the sources propose, the products of the visit itself (repeats are a prediction like any other) and what is
 * popular lately: some 100 products, which hold the next one about as often as the first 200 of session neighbours do.
 *
 * A source's score is given as its share of the best one among the candidates, and for some sources as a rank and as it
 * is; trees then see both how a product compares and how much there is to go by.
 */
import { createTopK } from "../top-k.js";
import { BestOfBoard } from "./best-of-board.js";
import {
  FEATURE_COUNT,
  FEATURES,
  FEATURES_FORMAT,
  KEPT,
  OF_ITEM,
  OF_SITUATION,
  OF_VISIT,
  RANKED,
  SCORES,
  type Score,
  VISIT,
} from "./feature-names.js";
import { createItemScores } from "./item-scores.js";
import { createLowerBound } from "./lower-bound.js";
import { createNeighbourVotes } from "./neighbour-votes.js";
import { type RankerSources, STATS, statAt } from "./ranker-sources.js";
import { createRanks } from "./ranks.js";
import { type ScoreBoard, Slots } from "./score-board.js";
import { createVisitFacts } from "./visit-facts.js";
import type { VisitQuery } from "./visits.js";

export { FEATURE_COUNT, FEATURES, FEATURES_FORMAT };

export const MAX_CANDIDATES = 240;
const RECENTLY_POPULAR = 10;
const NO_RANK = 250;
const SMALL = 1e-5;
const [POPULAR_5, POPULAR_20, POPULAR_100] = [statAt("popular5"), statAt("popular20"), statAt("popular100")];
const [REPEATED, ENDED] = [statAt("repeated"), statAt("ended")];

export interface CandidateFeatures {
  /** Candidates and their rows of the last query; overwritten by the next one. */
  readonly candidates: Uint32Array;
  readonly rows: Float32Array;
  /** What session neighbours say of the last query, also of products that are no candidates; by slot. */
  readonly close: ScoreBoard;
  readonly slots: Slots;
  /** Makes candidates and rows; returns how many. None for a visit without known products. */
  make(query: VisitQuery): number;
}

interface Take {
  /** Undefined when its best were found already. */
  readonly board?: ScoreBoard;
  readonly best: BestOfBoard;
  readonly take: number;
  /** The best of a board that is much like it. */
  readonly like?: BestOfBoard;
}

export function createCandidateFeatures(sources: RankerSources): CandidateFeatures {
  const { stats, vectors, dimensions, neighbours: model } = sources;
  const { productCount } = model;
  const slots = new Slots(productCount);
  const votes = createNeighbourVotes(model, slots);
  const scores = createItemScores(sources, slots);
  const facts = createVisitFacts(productCount);
  const boards: Readonly<Record<Score, ScoreBoard>> = { ...votes, ...scores };
  const best = (take: number) => new BestOfBoard(slots, take);
  const closest = new BestOfBoard(slots, 80, createLowerBound());
  const { bestNear, bestWalk } = scores;
  /** How many of a board's best become candidates, in this order; the walk has found some of them on its way. */
  const takes: readonly Take[] = [
    { board: votes.close, best: closest, take: 80 },
    { board: votes.plain, best: best(20), take: 20, like: closest },
    { board: votes.next, best: best(20), take: 20, like: closest },
    { board: scores.nearLast, best: best(20), take: 20, like: bestNear },
    { best: bestNear, take: 40 },
    { board: scores.followsLast, best: best(20), take: 20, like: bestNear },
    { board: scores.followsSum, best: new BestOfBoard(slots, 40, createLowerBound()), take: 40 },
    { best: bestWalk, take: 40 },
    { board: scores.longWalk, best: best(20), take: 20, like: bestWalk },
  ];
  const recentlyPopular = mostPopularLately(sources);
  /** By slot: the candidate's number + 1, 0 for the others. */
  const numbers = new Uint8Array(productCount);
  const candidates = new Uint32Array(MAX_CANDIDATES);
  /** Slots of the candidates. */
  const places = new Uint32Array(MAX_CANDIDATES);
  const rows = new Float32Array(MAX_CANDIDATES * FEATURE_COUNT);
  /** Scores of the candidates, board by board. */
  const columns = SCORES.map(() => new Float64Array(MAX_CANDIDATES));
  const columnOf = (name: Score) => columns[SCORES.indexOf(name)]!;
  const rankedColumns = RANKED.map(columnOf);
  const keptColumns = KEPT.map(columnOf);
  // Candidates that a board scores, and their scores.
  const rankedPlaces = new Uint32Array(MAX_CANDIDATES);
  const rankedScores = new Float64Array(MAX_CANDIDATES);
  const ranks = createRanks(MAX_CANDIDATES);
  const direction = new Float64Array(dimensions);
  const lastVector = new Float64Array(dimensions);

  function gather(): number {
    let count = 0;
    const put = (slot: number) => {
      if (numbers[slot] !== 0 || count === MAX_CANDIDATES) return;
      places[count] = slot;
      candidates[count++] = slots.products[slot]!;
      numbers[slot] = count;
    };
    for (const product of facts.newest()) put(slots.of(product));
    for (const { board, best, take, like } of takes) {
      if (board) best.find(board, like);
      const taken = Math.min(take, best.count);
      for (let i = 0; i < taken; i++) put(best.slots[i]!);
    }
    for (const product of recentlyPopular) put(slots.of(product));
    return count;
  }

  function writeShare({ values, width, place }: ScoreBoard, own: Float64Array, count: number, column: number): void {
    let most = 0;
    for (let c = 0; c < count; c++) {
      const score = values[places[c]! * width + place]!;
      own[c] = score;
      if (score > most) most = score;
    }
    const scale = most > 0 ? 1 / most : 0;
    for (let c = 0, at = column; c < count; c++, at += FEATURE_COUNT) rows[at] = own[c]! * scale;
  }

  function writeRank(own: Float64Array, count: number, column: number): void {
    let scored = 0;
    for (let c = 0, at = column; c < count; c++, at += FEATURE_COUNT) {
      rows[at] = NO_RANK;
      const value = own[c]!;
      if (!(value > 0)) continue;
      rankedScores[scored] = value;
      rankedPlaces[scored++] = c;
    }
    const order = ranks(rankedScores, scored);
    for (let rank = 0; rank < scored; rank++) rows[rankedPlaces[order[rank]!]! * FEATURE_COUNT + column] = rank + 1;
  }

  function writeScores(count: number): void {
    let column = 0;
    for (const [b, name] of SCORES.entries()) writeShare(boards[name], columns[b]!, count, column++);
    for (const own of rankedColumns) writeRank(own, count, column++);
    for (const own of keptColumns) {
      for (let c = 0, at = column; c < count; c++, at += FEATURE_COUNT) rows[at] = own[c]!;
      column++;
    }
  }

  /** The direction of the newest ten steps, later ones counting more. */
  function turnTo({ items }: VisitQuery): void {
    direction.fill(0);
    let weight = 1;
    for (let at = items.length - 1; at >= Math.max(0, items.length - 10); at--) {
      const from = items[at]! * dimensions;
      for (let d = 0; d < dimensions; d++) direction[d]! += weight * vectors[from + d]!;
      weight *= 0.75;
    }
    let squares = 0;
    for (let d = 0; d < dimensions; d++) squares += direction[d]! ** 2;
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let d = 0; d < dimensions; d++) direction[d]! *= scale;
  }

  // Candidates lie far apart in the tables about products: one short loop for each table lets the processor ask for the
  // next candidate's numbers while it waits for one's.
  function writeStats(last: number, count: number): void {
    const lastPopular = stats[last * STATS.length + POPULAR_20]! + SMALL;
    for (let c = 0, at = OF_ITEM; c < count; c++, at += FEATURE_COUNT) {
      const from = candidates[c]! * STATS.length;
      for (let s = 0; s < STATS.length; s++) rows[at + s] = stats[from + s]!;
      rows[at + STATS.length] = (stats[from + POPULAR_5]! + SMALL) / (stats[from + POPULAR_100]! + SMALL);
      rows[at + STATS.length + 1] = stats[from + POPULAR_20]! / lastPopular;
    }
  }

  function writeLikeness(last: number, count: number): void {
    for (let d = 0; d < dimensions; d++) lastVector[d] = vectors[last * dimensions + d]!;
    for (let c = 0, at = OF_ITEM + STATS.length + 2; c < count; c++, at += FEATURE_COUNT) {
      const from = candidates[c]! * dimensions;
      let likeLast = 0;
      let likeVisit = 0;
      for (let d = 0; d < dimensions; d++) {
        const value = vectors[from + d]!;
        likeLast += value * lastVector[d]!;
        likeVisit += value * direction[d]!;
      }
      rows[at] = likeLast;
      rows[at + 1] = likeVisit;
    }
  }

  /** Most candidates are no products of the visit. */
  function writeVisit(count: number): void {
    for (let c = 0, at = OF_VISIT; c < count; c++, at += FEATURE_COUNT)
      for (let v = 0; v < VISIT.length; v++) rows[at + v] = 0;
    for (const product of facts.products()) {
      const number = numbers[slots.of(product)]!;
      if (number !== 0) facts.write(product, rows, (number - 1) * FEATURE_COUNT + OF_VISIT);
    }
    for (let c = 0; c < count; c++) numbers[places[c]!] = 0;
  }

  function writeSituation(situation: readonly number[], count: number): void {
    for (let c = 0, at = OF_SITUATION; c < count; c++, at += FEATURE_COUNT)
      for (let s = 0; s < situation.length; s++) rows[at + s] = situation[s]!;
  }

  /** The numbers that are the same for all candidates. */
  function situationOf(last: number, neighbours: number): readonly number[] {
    const { values, width, place } = scores.followsLast;
    let mostFollowing = 0;
    for (let slot = 0, at = place; slot < slots.count; slot++, at += width)
      if (values[at]! > mostFollowing) mostFollowing = values[at]!;
    const from = last * STATS.length;
    const its = [stats[from + POPULAR_20]!, stats[from + REPEATED]!, stats[from + ENDED]!];
    return [...facts.situation(), ...its, neighbours, mostFollowing];
  }

  return {
    candidates,
    rows,
    close: votes.close,
    slots,
    make(query) {
      const { items } = query;
      const last = items.at(-1);
      if (last === undefined) return 0;
      votes.clear();
      scores.clear();
      slots.clear();
      const neighbours = votes.ask(items);
      scores.ask(items);
      facts.read(query);
      turnTo(query);
      const count = gather();
      writeScores(count);
      writeStats(last, count);
      writeLikeness(last, count);
      writeSituation(situationOf(last, neighbours), count);
      writeVisit(count);
      return count;
    },
  };
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
