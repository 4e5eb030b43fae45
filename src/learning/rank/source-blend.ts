/**
 * How much each source counts when lists of several are blended, learned from questions with known answers.
 *
 * A product's score is the sum over the sources of weight * f(place), f(place) = ln(1 + 100 / place), 0 where a source
 * does not propose it: scores of different sources cannot be compared, places can. Weights maximise the probability of
 * the answers under a softmax over the candidates of each question (conditional logit; McFadden: Conditional logit
 * analysis of qualitative choice behavior, 1974), none below 0. Under it the logarithm did better than reciprocal places
 * with offsets of 0, 5, 20 and 60 on a demo shop; a search over a grid for the best hit rate did as well within the noise
 * of some hundred questions, takes up more of it and costs more.
 *
 * Questions come in kinds, as of short and long histories. Each kind's weights are drawn towards those of all questions
 * together as if `PRIOR` had been seen of them. Which weights are used is decided by questions they were not learned
 * from, in three folds: each kind's own, those of all, or the best single source; so a blend is never worse there than
 * that one, and loses no more than it gains on further questions that only judge. Time: some seconds for 1,500 questions
 * of 250 candidates and five sources, all folds.
 */

import { type Estimate, meanOfUnits } from "../common/proportions.js";

/** What a source's place counts; places begin at 1. */
export function placeWorth(place: number): number {
  return Math.log1p(DEPTH / place);
}

/** Places up to which sources are asked in learning. */
export const DEPTH = 100;

export interface BlendQuestion {
  /** What each source proposes, best first; sources in one order for all questions. */
  readonly proposals: readonly Uint32Array[];
  /** Never judged. */
  readonly excluded: ReadonlySet<number>;
  readonly answer: number;
  /** From 0. */
  readonly kind: number;
  /** Questions that belong together are learned from or judged together: a number from 0. */
  readonly unit: number;
}

export interface BlendJudgement {
  /** Share of the questions whose answer is among the first 20. */
  readonly hitRate: number;
  /** Mean of 1 / place of the answer, 0 beyond the first 20. */
  readonly reciprocalRank: number;
}

export type BlendChoice = "by_kind" | "all" | "single";

export interface LearnedBlend {
  readonly choice: BlendChoice;
  /** For each kind a weight of each source: finite, from 0, the largest 1. */
  readonly weights: readonly (readonly number[])[];
  /** Of the weights chosen, on questions they were not learned from; a single source learns nothing. */
  readonly judged: BlendJudgement;
  /** Of each source alone, on the same questions. */
  readonly singles: readonly BlendJudgement[];
  /** How much the hit rate of the weights chosen is above that of each source alone. */
  readonly gains: readonly Estimate[];
}

const FOLDS = 3;
const JUDGED_PLACES = 20;
const ROUNDS = 12;
/** Questions of average doubt whose say the weights of all have in those of a kind. */
const PRIOR = 20;
/** Keeps weights finite where one source always has the answer first. */
const SHRINK = 0.05;
/** Changes of all weights below which a round was the last. */
const PRECISION = 1e-3;
/** A step's length at most. */
const MAX_STEP = 3;
/** Rounds of the search for a step at most. */
const SWEEPS = 100;
/** What has less than this share of the largest weight is chance: 0. */
const LEAST_SHARE = 0.03;

/** A question's candidates as rows of `sourceCount` worths, and the row of the answer; -1 when nobody proposes it. */
interface Packed {
  readonly rows: Float64Array;
  readonly answer: number;
  readonly kind: number;
  readonly unit: number;
}

/**
 * Undefined without a question, or when no source ever proposes an answer.
 *
 * @param further Questions of another sort, that no weights are learned from: on these a blend may not lose to the best
 *   single source what it gains on the others.
 */
export function learnBlend(
  questions: readonly BlendQuestion[],
  sourceCount: number,
  kindCount: number,
  further: readonly BlendQuestion[] = [],
): LearnedBlend | undefined {
  const packed = questions.map((question) => pack(question, sourceCount));
  if (packed.every(({ answer }) => answer < 0)) return undefined;
  const foldOf = folds(packed);
  const kinds = Array.from({ length: kindCount }, (_, kind) => kind);
  const learn = (from: readonly Packed[]) => {
    const all = fit(from, sourceCount, undefined);
    const byKind = kinds.map((kind) => {
      const own = from.filter((question) => question.kind === kind);
      return own.length === 0 ? all : fit(own, sourceCount, all);
    });
    return { all: kinds.map(() => scaled(all)), by_kind: byKind.map(scaled) };
  };
  const places = { all: [] as number[], by_kind: [] as number[] };
  for (let fold = 0; fold < FOLDS; fold++) {
    const learned = learn(packed.filter((_, i) => foldOf[i] !== fold));
    for (const [i, question] of packed.entries()) {
      if (foldOf[i] !== fold) continue;
      for (const name of ["all", "by_kind"] as const)
        places[name][i] = placeOf(question, learned[name][question.kind]!, sourceCount);
    }
  }
  const placesOn = (asked: readonly Packed[], weights: readonly (readonly number[])[]) =>
    asked.map((question) => placeOf(question, weights[question.kind]!, sourceCount));
  const judgeOn = (asked: readonly Packed[], weights: readonly (readonly number[])[]) =>
    judgementOf(placesOn(asked, weights));
  const packedFurther = further.map((question) => pack(question, sourceCount));
  const alone = (source: number) =>
    kinds.map(() => Array.from({ length: sourceCount }, (_, s) => (s === source ? 1 : 0)));
  const placesAlone = Array.from({ length: sourceCount }, (_, source) => placesOn(packed, alone(source)));
  const singles = placesAlone.map(judgementOf);
  const single = singles.reduce((best, judged, s) => (worth(judged) > worth(singles[best]!) ? s : best), 0);

  const final = learn(packed);
  const tried = [
    { choice: "single", weights: alone(single), judged: singles[single]!, places: placesAlone[single]! },
    { choice: "all", weights: final.all, judged: judgementOf(places.all), places: places.all },
    { choice: "by_kind", weights: final.by_kind, judged: judgementOf(places.by_kind), places: places.by_kind },
  ] as const;
  /** How much better than the best single source on the questions, and on the further ones. */
  const gainsOver = (weights: readonly (readonly number[])[]) =>
    [packed, packedFurther].map((asked) =>
      asked.length === 0 ? 0 : worth(judgeOn(asked, weights)) - worth(judgeOn(asked, alone(single))),
    );
  const best = tried.reduce((a, b) => {
    const [gain = 0, further = 0] = gainsOver(b.weights);
    return worth(b.judged) > worth(a.judged) && gain >= 0 && gain + further >= 0 ? b : a;
  });
  const units = packed.map(({ unit }) => unit);
  const gains = placesAlone.map((own) =>
    meanOfUnits(
      best.places.map((place, i) => Number(place <= JUDGED_PLACES) - Number(own[i]! <= JUDGED_PLACES)),
      units,
    ),
  );
  return { choice: best.choice, weights: best.weights, judged: best.judged, singles, gains };
}

function worth({ hitRate, reciprocalRank }: BlendJudgement): number {
  return hitRate + reciprocalRank;
}

function judgementOf(places: readonly number[]): BlendJudgement {
  const near = places.filter((place) => place <= JUDGED_PLACES);
  return {
    hitRate: near.length / places.length,
    reciprocalRank: near.reduce((sum, place) => sum + 1 / place, 0) / places.length,
  };
}

/** Fold of each question: units in turn, in the order in which they are met. */
function folds(questions: readonly Packed[]): readonly number[] {
  const of = new Map<number, number>();
  return questions.map(({ unit }) => {
    const known = of.get(unit);
    if (known !== undefined) return known;
    const fold = of.size % FOLDS;
    of.set(unit, fold);
    return fold;
  });
}

function pack({ proposals, excluded, answer, kind, unit }: BlendQuestion, sourceCount: number): Packed {
  const rowOf = new Map<number, number>();
  const products = [...new Set(proposals.flatMap((list) => [...list.subarray(0, DEPTH)]))].sort((a, b) => a - b);
  for (const product of products) if (!excluded.has(product)) rowOf.set(product, rowOf.size);
  const rows = new Float64Array(rowOf.size * sourceCount);
  for (const [s, list] of proposals.entries()) {
    for (const [i, product] of list.subarray(0, DEPTH).entries()) {
      const row = rowOf.get(product);
      if (row !== undefined) rows[row * sourceCount + s] = placeWorth(i + 1);
    }
  }
  return { rows, answer: rowOf.get(answer) ?? -1, kind, unit };
}

/** Place of the answer, from 1; equal scores by product index, as in serving. Infinity when it has no score. */
function placeOf({ rows, answer }: Packed, weights: readonly number[], sourceCount: number): number {
  if (answer < 0) return Number.POSITIVE_INFINITY;
  const scoreOf = (row: number) => {
    let sum = 0;
    for (let s = 0; s < sourceCount; s++) sum += weights[s]! * rows[row * sourceCount + s]!;
    return sum;
  };
  const own = scoreOf(answer);
  if (!(own > 0)) return Number.POSITIVE_INFINITY;
  let place = 1;
  for (let row = 0; row < rows.length / sourceCount; row++) {
    const score = scoreOf(row);
    if (score > own || (score === own && row < answer)) place++;
  }
  return place;
}

/** Maximum likelihood by Newton steps for all sources at once. `prior`: weights to be drawn towards. */
function fit(questions: readonly Packed[], sourceCount: number, prior: readonly number[] | undefined): number[] {
  const asked = questions.filter(({ answer }) => answer >= 0);
  const weights = prior === undefined ? Array.from({ length: sourceCount }, () => 1) : [...prior];
  const strength = prior === undefined ? SHRINK : PRIOR;
  for (let round = 0; round < ROUNDS; round++) {
    const slopes = Float64Array.from(weights, (weight, s) => strength * ((prior?.[s] ?? 0) - weight));
    const curves = new Float64Array(sourceCount * sourceCount);
    for (let s = 0; s < sourceCount; s++) curves[s * sourceCount + s] = strength;
    addLikelihood(asked, weights, slopes, curves);
    const steps = boundedStep(weights, slopes, curves);
    for (let s = 0; s < sourceCount; s++) weights[s] = Math.max(0, weights[s]! + steps[s]!);
    if (steps.every((step) => Math.abs(step) < PRECISION)) break;
  }
  return weights;
}

/** Adds what the questions say to the slopes of the log likelihood, and to its curves: covariances of the worths. */
function addLikelihood(
  asked: readonly Packed[],
  weights: readonly number[],
  slopes: Float64Array,
  curves: Float64Array,
): void {
  const sourceCount = weights.length;
  const mean = new Float64Array(sourceCount);
  const square = new Float64Array(curves.length);
  let scores = new Float64Array(64);
  for (const { rows, answer } of asked) {
    const count = rows.length / sourceCount;
    if (count > scores.length) scores = new Float64Array(count * 2);
    let most = 0;
    for (let row = 0, at = 0; row < count; row++) {
      let sum = 0;
      for (let s = 0; s < sourceCount; s++) sum += weights[s]! * rows[at++]!;
      scores[row] = sum;
      if (sum > most) most = sum;
    }
    let total = 0;
    mean.fill(0);
    square.fill(0);
    for (let row = 0; row < count; row++) {
      const chance = Math.exp(scores[row]! - most);
      total += chance;
      const at = row * sourceCount;
      for (let s = 0; s < sourceCount; s++) {
        const value = rows[at + s]!;
        if (value === 0) continue;
        mean[s]! += chance * value;
        for (let t = 0; t <= s; t++) square[s * sourceCount + t]! += chance * value * rows[at + t]!;
      }
    }
    for (let s = 0; s < sourceCount; s++) {
      slopes[s]! += rows[answer * sourceCount + s]! - mean[s]! / total;
      for (let t = 0; t <= s; t++) {
        const covariance = square[s * sourceCount + t]! / total - (mean[s]! / total) * (mean[t]! / total);
        curves[s * sourceCount + t]! += covariance;
        if (t < s) curves[t * sourceCount + s]! += covariance;
      }
    }
  }
}

/** The Newton step that leaves all weights at 0 or above, by coordinate descent. */
function boundedStep(weights: readonly number[], slopes: Float64Array, curves: Float64Array): Float64Array {
  const count = weights.length;
  const steps = new Float64Array(count);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let moved = 0;
    for (let s = 0; s < count; s++) {
      let slope = slopes[s]!;
      for (let t = 0; t < count; t++) slope -= curves[s * count + t]! * steps[t]!;
      const least = Math.max(-MAX_STEP, -weights[s]!);
      const next = Math.max(least, Math.min(MAX_STEP, steps[s]! + slope / curves[s * count + s]!));
      moved = Math.max(moved, Math.abs(next - steps[s]!));
      steps[s] = next;
    }
    if (moved < PRECISION / 10) break;
  }
  return steps;
}

/** The largest becomes 1. Weights that are all 0 stay so. */
function scaled(weights: readonly number[]): number[] {
  const most = Math.max(...weights);
  return weights.map((weight) => (weight < LEAST_SHARE * most ? 0 : most > 0 ? weight / most : 0));
}
