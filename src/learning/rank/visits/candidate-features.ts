/**
 * Candidates for a visitor's next product, each with a row of `FEATURE_COUNT` features. Candidates are the union of three
 * sets: proposals of the sources, products of the visit (repeats are valid predictions) and recently popular products.
 * These are about 100 products. They contain the next one about as often as the first 200 session neighbours do.
 *
 * A feature holds a source's score as a share of the best candidate's score. Some sources add the rank.
 */
import { createCandidateSet, MAX_CANDIDATES } from "./candidate-set.js";
import { FEATURE_COUNT, OF_ITEM, OF_SITUATION, OF_VISIT, type Score, VISIT } from "./feature-names.js";
import { createItemScores } from "./item-scores.js";
import { createLikeness } from "./likeness.js";
import { createNeighbourVotes } from "./neighbour-votes.js";
import { type RankerSources, STATS, statAt } from "./ranker-sources.js";
import { type ScoreBoard, Slots } from "./score-board.js";
import { createScoreFeatures } from "./score-features.js";
import { createVisitFacts } from "./visit-facts.js";
import type { VisitQuery } from "./visits.js";

const SMALL = 1e-5;
const [POPULAR_5, POPULAR_20, POPULAR_100] = [statAt("popular5"), statAt("popular20"), statAt("popular100")];
const [REPEATED, ENDED] = [statAt("repeated"), statAt("ended")];

export interface CandidateFeatures {
  /** Candidates and their rows of the last query; overwritten by the next one. */
  readonly candidates: Uint32Array;
  readonly rows: Float32Array;
  /** What session neighbours say of the last query, also of products that are no candidates; by slot. */
  readonly close: ScoreBoard;
  /** What each source says of the last query, by slot. */
  readonly boards: Readonly<Record<Score, ScoreBoard>>;
  readonly slots: Slots;
  /** Makes candidates and rows; returns how many. None for a visit without known products. */
  make(query: VisitQuery): number;
}

export function createCandidateFeatures(sources: RankerSources): CandidateFeatures {
  const { stats } = sources;
  const { productCount } = sources.neighbours;
  const slots = new Slots(productCount);
  const votes = createNeighbourVotes(sources.neighbours, slots);
  const scores = createItemScores(sources, slots);
  const facts = createVisitFacts(productCount);
  const set = createCandidateSet(sources, votes, scores, slots);
  const candidates = set.products;
  const rows = new Float32Array(MAX_CANDIDATES * FEATURE_COUNT);
  const boards = { ...votes, ...scores };
  const writeScores = createScoreFeatures(boards, set.places, rows);
  const likeness = createLikeness(sources.embedding);

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

  function writeSituation(situation: readonly number[], count: number): void {
    for (let c = 0, at = OF_SITUATION; c < count; c++, at += FEATURE_COUNT)
      for (let s = 0; s < situation.length; s++) rows[at + s] = situation[s]!;
  }

  /** The numbers that are the same for all candidates. */
  function situationOf(last: number, neighbours: number): readonly number[] {
    const from = last * STATS.length;
    const its = [stats[from + POPULAR_20]!, stats[from + REPEATED]!, stats[from + ENDED]!];
    return [...facts.situation(), ...its, neighbours];
  }

  return {
    candidates,
    rows,
    close: votes.close,
    boards,
    slots,
    make(query) {
      const { items } = query;
      const last = items.at(-1);
      if (last === undefined) return 0;
      set.clear();
      votes.clear();
      scores.clear();
      slots.clear();
      const neighbours = votes.ask(items);
      scores.ask(items);
      facts.read(query);
      likeness.turnTo(items);
      const count = set.gather(facts.newest());
      writeScores(count);
      writeStats(last, count);
      likeness.write(candidates, count, rows);
      writeSituation(situationOf(last, neighbours), count);
      writeVisit(count);
      return count;
    },
  };
}
