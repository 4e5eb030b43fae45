/**
 * Candidates for a visitor's next product, each with a row of `FEATURE_COUNT` features. Candidates are the union of three
 * sets: proposals of session neighbours and of the walk, products of the visit (repeats are valid predictions) and recently
 * popular products. These are about 100 products. They contain the next one about as often as the first 200 session
 * neighbours do.
 */

import { createSessionRecommender, type SessionRecommender } from "../../sources/sessions/session-recommender.js";
import { createCandidateSet, MAX_CANDIDATES } from "./candidate-set.js";
import { FEATURE_COUNT, OF_ITEM, OF_SITUATION, OF_VISIT, SCORES, type Score, VISIT } from "./feature-names.js";
import { createGraphWalk } from "./graph-walk.js";
import { createLikeness } from "./likeness.js";
import { type RankerSources, STATS, statAt } from "./ranker-sources.js";
import { ScoreBoard, Slots } from "./score-board.js";
import { createVisitFacts } from "./visit-facts.js";
import type { VisitQuery } from "./visits.js";

const SMALL = 1e-5;
const [POPULAR_5, POPULAR_20, POPULAR_100] = [statAt("popular5"), statAt("popular20"), statAt("popular100")];

export interface CandidateFeatures {
  /** Candidates and their rows of the last query; overwritten by the next one. */
  readonly candidates: Uint32Array;
  readonly rows: Float32Array;
  /** What each source says of the last query, also of products that are no candidates; by slot. */
  readonly boards: Readonly<Record<Score, ScoreBoard>>;
  readonly slots: Slots;
  /** Makes candidates and rows; returns how many. None for a visit without known products. */
  make(query: VisitQuery): number;
}

/** `sessions` answers by the neighbours of `sources`. */
export function createCandidateFeatures(
  sources: RankerSources,
  sessions: SessionRecommender = createSessionRecommender(sources.neighbours),
): CandidateFeatures {
  const { stats } = sources;
  const { productCount } = sources.neighbours;
  const slots = new Slots(productCount);
  const close = new ScoreBoard(productCount);
  const walk = createGraphWalk(sources.near, productCount, slots);
  const boards = { close, near: walk.near, walk: walk.walk, longWalk: walk.longWalk };
  const facts = createVisitFacts(productCount);
  const set = createCandidateSet(sources, close, walk, slots);
  const candidates = set.products;
  const rows = new Float32Array(MAX_CANDIDATES * FEATURE_COUNT);
  const likeness = createLikeness(sources.embedding);

  /** Asks session neighbours; returns how many there are. */
  function askNeighbours(items: Uint32Array): number {
    const { products, scores, count, neighbours } = sessions.scoresOf({ items });
    for (let i = 0; i < count; i++) close.values[slots.of(products[i]!)] = scores[i]!;
    return neighbours;
  }

  /** Writes each candidate's score as a share of the best one's. */
  function writeShares({ values }: ScoreBoard, count: number, column: number): void {
    let most = 0;
    for (let c = 0; c < count; c++) most = Math.max(most, values[set.places[c]!]!);
    const scale = most > 0 ? 1 / most : 0;
    for (let c = 0, at = column; c < count; c++, at += FEATURE_COUNT) rows[at] = values[set.places[c]!]! * scale;
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

  /** Most candidates are no products of the visit. */
  function writeVisit(count: number): void {
    for (let c = 0, at = OF_VISIT; c < count; c++, at += FEATURE_COUNT)
      for (let v = 0; v < VISIT.length; v++) rows[at + v] = 0;
    for (const product of facts.products()) {
      const c = set.indexOf(slots.of(product));
      if (c >= 0) facts.write(product, rows, c * FEATURE_COUNT + OF_VISIT);
    }
  }

  /** Writes the numbers that are the same for all candidates. */
  function writeSituation(situation: readonly number[], count: number): void {
    for (let c = 0, at = OF_SITUATION; c < count; c++, at += FEATURE_COUNT)
      for (let s = 0; s < situation.length; s++) rows[at + s] = situation[s]!;
  }

  return {
    candidates,
    rows,
    boards,
    slots,
    make(query) {
      const { items } = query;
      const last = items.at(-1);
      if (last === undefined) return 0;
      set.clear();
      close.clear(slots.count);
      walk.clear();
      slots.clear();
      const neighbours = askNeighbours(items);
      walk.ask(items);
      facts.read(query);
      likeness.turnTo(items);
      const count = set.gather(facts.newest());
      for (const [column, name] of SCORES.entries()) writeShares(boards[name], count, column);
      writeStats(last, count);
      likeness.write(candidates, count, rows);
      writeSituation([...facts.situation(), stats[last * STATS.length + POPULAR_20]!, neighbours], count);
      writeVisit(count);
      return count;
    },
  };
}
