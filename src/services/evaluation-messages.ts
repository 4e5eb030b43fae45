import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AlgorithmFacts } from "../domain/model.js";
import {
  type EvaluatedTaskSchema,
  type EvaluationSchema,
  EvaluationTask,
  Ranking,
  type RankingFigures,
  type RankingFiguresSchema,
  RankingKind,
} from "../gen/aisle/v1/evaluation_pb.js";
import { EvaluatedPage, type ModelEvaluationSchema } from "../gen/aisle/v1/model_pb.js";
import type {
  EvaluatedTask,
  Evaluation,
  FigureName,
  Figures,
  RankingKind as Kind,
} from "../learning/evaluation/report.js";
import { timestampOf } from "./common-messages.js";
import { enumWords } from "./enum-words.js";
import { algorithmMessage } from "./model-messages.js";

const KINDS: Readonly<Record<Kind, RankingKind>> = {
  answer: RankingKind.ANSWER,
  source: RankingKind.SOURCE,
  baseline: RankingKind.BASELINE,
};

const TASKS = enumWords<EvaluationTask>(EvaluationTask);
const RANKINGS = enumWords<Ranking>(Ranking);

const FIGURES = [
  ["hit_rate_20", "hitRate"],
  ["hit_rate_10", "hitRate"],
  ["reciprocal_rank_20", "reciprocalRank"],
  ["recall_20", "recall"],
  ["average_precision_20", "averagePrecision"],
  ["coverage_20", "coverage"],
  ["shown_popularity", "shownPopularity"],
  ["wanted_popularity", "wantedPopularity"],
  ["ndcg_10", "ndcg"],
  ["repeated_10", "repeatedShare"],
  ["same_category_10", "sameCategoryShare"],
  ["substitutes_10", "substituteShare"],
] as const satisfies readonly (readonly [FigureName, keyof RankingFigures])[];

export function evaluationMessage(evaluation: Evaluation): MessageInitShape<typeof EvaluationSchema> {
  const counted = (name: string) => BigInt(evaluation.dataCounts[name] ?? 0);
  return {
    cutOffTime: timestampOf(evaluation.cutOff),
    seed: evaluation.seed,
    dataCounts: {
      products: counted("products"),
      metProducts: counted("products_met"),
      learnedVisits: counted("learned_visits"),
      learnedOrders: counted("learned_orders"),
      judgedVisits: counted("judged_visits"),
      judgedOrders: counted("judged_orders"),
    },
    tasks: evaluation.tasks.map(taskMessage),
    algorithms: evaluation.algorithms.map(algorithmMessage),
  };
}

function taskMessage(task: EvaluatedTask): MessageInitShape<typeof EvaluatedTaskSchema> {
  return {
    task: TASKS.get(task.name) ?? EvaluationTask.UNSPECIFIED,
    queryCount: task.queries,
    possibleQueryCount: task.possible,
    reason: task.reason,
    rankings: task.rankings.map(({ name, kind, figures, byHistory }) => ({
      ranking: RANKINGS.get(name) ?? Ranking.UNSPECIFIED,
      kind: KINDS[kind],
      figures: figuresMessage(figures),
      histories: byHistory.map((part) => ({
        minLength: part.least,
        maxLength: part.most,
        queryCount: part.queries,
        figures: figuresMessage(part.figures),
      })),
    })),
  };
}

function figuresMessage(figures: Figures): MessageInitShape<typeof RankingFiguresSchema> {
  const message: Partial<Record<(typeof FIGURES)[number][1], number>> = {};
  for (const [name, field] of FIGURES) if (figures[name] !== undefined) message[field] = figures[name];
  return message;
}

const PAGES: readonly (readonly [algorithm: string, EvaluatedPage])[] = [
  ["blend_browsing", EvaluatedPage.BROWSING],
  ["blend_browsing_with_cart", EvaluatedPage.BROWSING_WITH_CART],
  ["blend_cart", EvaluatedPage.CART],
];

/** What the training found when it judged the model; a model of an earlier release has none. */
export function modelEvaluations(
  algorithms: readonly AlgorithmFacts[],
): MessageInitShape<typeof ModelEvaluationSchema>[] {
  return PAGES.flatMap(([algorithm, page]) => {
    const facts = algorithms.find(({ name, included }) => included && name === algorithm)?.facts;
    const value = facts?.popularity_gain;
    if (facts === undefined || value === undefined) return [];
    const { popularity_gain_low: low = 0, popularity_gain_high: high = 0 } = facts;
    return {
      page,
      questionCount: facts.questions ?? 0,
      hitRate: facts.hit_rate_20 ?? 0,
      popularityHitRate: facts.popularity_hit_rate_20 ?? 0,
      gain: { value, low, high },
    };
  });
}
