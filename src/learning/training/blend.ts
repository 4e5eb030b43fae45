import type { AlgorithmFacts } from "../../domain/model.js";
import { type BlendJudgement, DEPTH, type LearnedBlend, learnBlend } from "../rank/source-blend.js";
import {
  BLEND_HISTORIES,
  BLEND_PAGES,
  BLENDED_SOURCES,
  type BlendHistory,
  type BlendPage,
  type BlendWeights,
  blendHistoryOf,
  type SourceWeights,
  sourceWeights,
} from "../sources/blend-weights.js";
import { type FollowedSituation, followedSituations } from "./blend-questions.js";
import { fitHeldBackModel, type HeldBackModel, type HeldBackModelOptions } from "./held-back-model.js";

export interface FittedBlend {
  readonly weights: BlendWeights;
  /** One entry for each page, with its weights and figures beside each source alone. */
  readonly facts: readonly AlgorithmFacts[];
}

/** Minimum questions to learn a page's weights from. */
const MIN_QUESTIONS = 50;
const NOTHING: ReadonlySet<number> = new Set();

/** Learns the weights of the sources in `recommended`, page by page, on the newest visits and orders. */
export function fitBlend(options: HeldBackModelOptions): FittedBlend {
  const older = fitHeldBackModel(options);
  const situations = followedSituations(options.data, older, options.seed);
  const weights: Partial<Record<BlendPage, Record<BlendHistory, SourceWeights>>> = {};
  const facts = BLEND_PAGES.map((page): AlgorithmFacts => {
    const name = `blend_${page}`;
    const asked = situations[page];
    const count = asked.filter(({ isRepeat }) => !isRepeat).length;
    const learned = count < MIN_QUESTIONS ? undefined : learn(asked, older);
    if (learned === undefined) {
      const reason =
        count < MIN_QUESTIONS
          ? `${count} questions in the newest data, ${MIN_QUESTIONS} are needed`
          : "no source predicted the next products";
      return { name, included: false, reason, facts: { questions: count } };
    }
    const ofHistory = (history: BlendHistory) => named(learned.weights[BLEND_HISTORIES.indexOf(history)] ?? []);
    weights[page] = { one: ofHistory("one"), few: ofHistory("few"), many: ofHistory("many") };
    return { name, included: true, reason: "", facts: numbers(count, learned, weights[page], older) };
  });
  return { weights, facts };
}

function learn(asked: readonly FollowedSituation[], older: HeldBackModel): LearnedBlend | undefined {
  const sourceOf = new Map(older.sources.map((source) => [source.name, source]));
  const questions = asked.map(({ query, answer, excluded, row, isRepeat }) => ({
    proposals: BLENDED_SOURCES.map(
      (name) =>
        (name === "popularity" ? older.popular : sourceOf.get(name)?.complements(query, DEPTH).indices) ??
        new Uint32Array(0),
    ),
    excluded,
    answer,
    kind: BLEND_HISTORIES.indexOf(blendHistoryOf(query)),
    unit: row,
    isRepeat,
  }));
  const fresh = questions.filter(({ isRepeat }) => !isRepeat);
  const whole = questions.map((question) => ({ ...question, excluded: NOTHING }));
  const hasRepeats = fresh.length < questions.length;
  return learnBlend(fresh, BLENDED_SOURCES.length, BLEND_HISTORIES.length, hasRepeats ? whole : []);
}

function named(weights: readonly number[]): SourceWeights {
  return sourceWeights((source) => weights[BLENDED_SOURCES.indexOf(source)] ?? 0);
}

function numbers(
  questions: number,
  { judged, singles, gains }: LearnedBlend,
  weights: Readonly<Record<BlendHistory, SourceWeights>>,
  { sources }: HeldBackModel,
): Record<string, number> {
  const figures = (prefix: string, { hitRate, reciprocalRank }: BlendJudgement) => ({
    [`${prefix}hit_rate_20`]: hitRate,
    [`${prefix}reciprocal_rank_20`]: reciprocalRank,
  });
  const overPopularity = gains[BLENDED_SOURCES.indexOf("popularity")]!;
  const there = BLENDED_SOURCES.filter(
    (name) => name === "popularity" || sources.some((source) => source.name === name),
  );
  return {
    questions,
    ...figures("", judged),
    popularity_gain: overPopularity.value,
    popularity_gain_low: overPopularity.low,
    popularity_gain_high: overPopularity.high,
    ...Object.assign({}, ...there.map((name) => figures(`${name}_`, singles[BLENDED_SOURCES.indexOf(name)]!))),
    ...Object.fromEntries(
      BLEND_HISTORIES.flatMap((history) =>
        there.map((name) => [`weight_${history}_${name}`, weights[history][name]] as const),
      ),
    ),
  };
}
