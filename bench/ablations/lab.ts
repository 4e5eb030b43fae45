/**
 * What a training of the learned order works on, kept so that trees can be learned again and again: the binned candidates
 * of the questions it learns from, and those of the questions of dev.
 */
import { createRowBinner, type FeatureBins } from "../../src/learning/rank/trees/bins.js";
import type { RankedGroups } from "../../src/learning/rank/trees/listwise.js";
import { createRankedGroups } from "../../src/learning/rank/trees/ranked-groups.js";
import { BestOfBoard } from "../../src/learning/rank/visits/best-of-board.js";
import { type CandidateFeatures, createCandidateFeatures } from "../../src/learning/rank/visits/candidate-features.js";
import { MAX_CANDIDATES, TAKEN } from "../../src/learning/rank/visits/candidate-set.js";
import { FEATURE_COUNT } from "../../src/learning/rank/visits/feature-names.js";
import {
  addQuestion,
  newestSlices,
  pilotBins,
  RANKER_BUDGET,
  type Slice,
} from "../../src/learning/rank/visits/learn-ranker.js";
import { type Question, queryOf } from "../../src/learning/rank/visits/questions.js";
import { fitRankerSources } from "../../src/learning/rank/visits/ranker-sources.js";
import type { VisitQuery, Visits } from "../../src/learning/rank/visits/visits.js";
import { fitSessionNeighbours } from "../../src/learning/sources/sessions/session-neighbours.js";
import { chooseSessionParams } from "../../src/learning/sources/sessions/session-tuning.js";
import { readSessionData } from "./session-data.js";

export const SEED = 20_261_121;
const DEPTH = 20;

/** What proposes candidates: the best of a board, products of the visit, or recently popular products. */
const BOARDS = ["close", "walk", "longWalk"] as const satisfies readonly (keyof typeof TAKEN)[];
export const PROPOSERS = [...BOARDS, "visit", "popular"] as const;
export type Proposer = (typeof PROPOSERS)[number];

/** Candidates of questions, binned, and who proposed each: a bit for each of `PROPOSERS`. */
export interface Asked extends RankedGroups {
  readonly proposed: Uint16Array;
}

/** Questions of dev. `answers` are rows of the answers; -1 where it is no candidate. */
export interface DevQuestions {
  readonly binned: Uint8Array;
  readonly groups: Uint32Array;
  readonly answers: Int32Array;
  readonly proposed: Uint16Array;
  /** 1 for candidates that the visit holds. */
  readonly isOld: Uint8Array;
  /** 1 for questions whose answer the visit does not hold. */
  readonly isNew: Uint8Array;
  /** What session neighbours say of each candidate. */
  readonly close: Float64Array;
  readonly units: readonly number[];
}

export interface Lab {
  readonly name: string;
  readonly bins: FeatureBins;
  readonly learned: Asked;
  readonly heldOut: Asked;
  readonly dev: DevQuestions;
}

/** Of so many steps learned from, one is held out to stop the boosting. */
const HELD_OUT = 5;

/** Prepares a recorded shop as a training does, with at most `steps` to learn from; every `every`-th session of dev asks. */
export function prepareLab(name: string, every: number, steps: number): Lab {
  const { productCount, visits, judged, questions } = readSessionData(name, every);
  const { params } = chooseSessionParams(visits, productCount);
  const budget = { ...RANKER_BUDGET, learned: steps, heldOut: Math.ceil(steps / HELD_OUT) };
  const slices = newestSlices(visits, productCount, budget);
  const [newest] = slices;
  if (newest === undefined) throw new Error(`${name} has no steps to learn from`);
  const featuresOf = (older: Visits) =>
    createCandidateFeatures(fitRankerSources(older, fitSessionNeighbours(older, productCount, params), SEED, "visits"));
  const newestFeatures = featuresOf(newest.older);
  const bins = pilotBins(newestFeatures, visits, newest);
  const learned = createAsked(bins);
  const heldOut = createAsked(bins);
  for (const slice of slices) {
    const features = slice === newest ? newestFeatures : featuresOf(slice.older);
    const add = (to: typeof learned, list: Slice["learned"]) => {
      for (const question of list) to.add(features, queryOf(visits, question), question.next);
    };
    add(learned, slice.learned);
    add(heldOut, slice.heldOut);
  }
  const dev = askDev(bins, featuresOf(visits), judged, questions);
  return { name, bins, learned: learned.all(), heldOut: heldOut.all(), dev };
}

function createAsked(bins: FeatureBins) {
  const groups = createRankedGroups(bins);
  const proposed: number[] = [];
  return {
    add(features: CandidateFeatures, query: VisitQuery, answer: number): void {
      const count = addQuestion(groups, features, query, answer);
      if (count > 0) for (const bits of proposersOf(features, count, query)) proposed.push(bits);
    },
    all: (): Asked => ({ ...groups.all(), proposed: Uint16Array.from(proposed) }),
  };
}

/** Who proposed each of `count` candidates. Recently popular ones are those that nobody else proposed. */
function proposersOf({ candidates, slots, boards }: CandidateFeatures, count: number, { items }: VisitQuery) {
  const bits = new Uint16Array(count);
  const places = new Map(Array.from(candidates.subarray(0, count), (product, c) => [product, c]));
  const mark = (product: number, by: Proposer) => {
    const c = places.get(product);
    if (c !== undefined) bits[c]! |= bitOf(by);
  };
  for (const name of BOARDS) {
    const best = new BestOfBoard(slots, TAKEN[name]);
    best.find(boards[name]);
    for (let i = 0; i < best.count; i++) mark(slots.products[best.slots[i]!]!, name);
  }
  for (const product of items) mark(product, "visit");
  for (const [c, set] of bits.entries()) if (set === 0) bits[c] = bitOf("popular");
  return bits;
}

export function bitOf(proposer: Proposer): number {
  return 1 << PROPOSERS.indexOf(proposer);
}

function askDev(
  bins: FeatureBins,
  features: CandidateFeatures,
  judged: Visits,
  questions: readonly Question[],
): DevQuestions {
  const groups = [0];
  const answers: number[] = [];
  const proposed: number[] = [];
  const isOld: number[] = [];
  const close: number[] = [];
  const binRows = createRowBinner(bins);
  let binned = new Uint8Array(1 << 24);
  let rows = 0;
  const isNew: number[] = [];
  for (const question of questions) {
    const query = queryOf(judged, question);
    const count = features.make(query);
    if ((rows + MAX_CANDIDATES) * FEATURE_COUNT > binned.length) {
      const larger = new Uint8Array(binned.length * 2);
      larger.set(binned);
      binned = larger;
    }
    binRows(features.rows, count, binned, rows * FEATURE_COUNT);
    const candidates = features.candidates.subarray(0, count);
    const place = candidates.indexOf(question.next);
    answers.push(place < 0 ? -1 : rows + place);
    isNew.push(query.items.includes(question.next) ? 0 : 1);
    for (const bits of proposersOf(features, count, query)) proposed.push(bits);
    for (const product of candidates) {
      isOld.push(query.items.includes(product) ? 1 : 0);
      close.push(features.boards.close.values[features.slots.of(product)]!);
    }
    rows += count;
    groups.push(rows);
  }
  return {
    binned: binned.subarray(0, rows * FEATURE_COUNT),
    groups: Uint32Array.from(groups),
    answers: Int32Array.from(answers),
    proposed: Uint16Array.from(proposed),
    isOld: Uint8Array.from(isOld),
    isNew: Uint8Array.from(isNew),
    close: Float64Array.from(close),
    units: questions.map(({ session }) => session),
  };
}

export interface Judged {
  /** Of each question: 1 / place of the answer, 0 beyond the 20th. */
  readonly all: Float64Array;
  /** The same among products that are new to the visit; NaN for questions whose answer is not. */
  readonly fresh: Float64Array;
}

/** Of equal scores the answer's counts last. Candidates of which `isLeft` is false are not proposed. */
export function judgeScores(dev: DevQuestions, scores: Float64Array, isLeft: (row: number) => boolean): Judged {
  const { groups, answers, isOld, isNew } = dev;
  const all = new Float64Array(answers.length);
  const fresh = new Float64Array(answers.length).fill(Number.NaN);
  for (const [q, answer] of answers.entries()) {
    if (isNew[q] === 1) fresh[q] = 0;
    if (answer < 0 || !isLeft(answer) || scores[answer] === Number.NEGATIVE_INFINITY) continue;
    let place = 1;
    let freshPlace = 1;
    for (let row = groups[q]!; row < groups[q + 1]!; row++) {
      if (row === answer || !(scores[row]! >= scores[answer]!) || !isLeft(row)) continue;
      place++;
      if (isOld[row] === 0) freshPlace++;
    }
    if (place <= DEPTH) all[q] = 1 / place;
    if (isNew[q] === 1 && freshPlace <= DEPTH) fresh[q] = 1 / freshPlace;
  }
  return { all, fresh };
}
