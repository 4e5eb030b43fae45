import type { Message } from "@bufbuild/protobuf";
import {
  type EvaluatedHistory,
  type EvaluatedRanking,
  type EvaluatedTask,
  EvaluationTask,
  Ranking,
  type RankingFigures,
} from "../../src/gen/aisle/v1/evaluation_pb.js";

const TASKS: Readonly<Record<EvaluationTask, string>> = {
  [EvaluationTask.UNSPECIFIED]: "Other",
  [EvaluationTask.NEXT_ITEM]: "The next product of a visit",
  [EvaluationTask.NEXT_NEW_ITEM]: "The next product new to the visit",
  [EvaluationTask.HIDDEN_LINE]: "One line of an order, from the others",
  [EvaluationTask.REST_OF_ORDER]: "The rest of an order",
  [EvaluationTask.NEXT_ORDER]: "The next order",
  [EvaluationTask.NEXT_ORDER_NEW]: "The next order, new products",
  [EvaluationTask.SIMILAR_PRODUCTS]: "Similar products",
  [EvaluationTask.ALSO_VIEW]: "Also viewed",
  [EvaluationTask.COLD_START]: "A product without interactions",
  [EvaluationTask.USED_FRAME]: "A list after uses of its frame",
  [EvaluationTask.SUBSTITUTES]: "Substitutes",
};

export type FigureName = Exclude<keyof RankingFigures, keyof Message>;

const FIGURES: readonly (readonly [FigureName, string])[] = [
  ["hitRate", "hit rate"],
  ["reciprocalRank", "mean reciprocal rank"],
  ["recall", "recall"],
  ["averagePrecision", "mean average precision"],
  ["coverage", "share of products ever shown"],
  ["shownPopularity", "popularity of shown products"],
  ["wantedPopularity", "popularity of wanted products"],
  ["ndcg", "NDCG"],
  ["repeatedShare", "shown before the last use, too"],
  ["sameCategoryShare", "of the same category"],
  ["substituteShare", "substitutes"],
];

/** Display name of a task. */
export function taskTitle({ task }: EvaluatedTask): string {
  return TASKS[task] ?? "Other";
}

export function figureTitle(name: FigureName): string {
  return FIGURES.find(([known]) => known === name)?.[1] ?? "";
}

/** The figures that any ranking of the task has, most important first. */
export function figuresOf(rankings: readonly EvaluatedRanking[]): readonly FigureName[] {
  return FIGURES.map(([name]) => name).filter((name) => rankings.some(({ figures }) => figures?.[name] !== undefined));
}

/** Display name of a ranking. */
export function rankingTitle({ ranking }: EvaluatedRanking): string {
  return (Ranking[ranking] ?? "other").replaceAll("_", " ").toLowerCase();
}

/** Length of the history, for example `2–3` or `8 or more`. */
export function historyTitle({ minLength: least, maxLength: most }: EvaluatedHistory): string {
  if (most === 0) return `${least} or more`;
  return least === most ? String(least) : `${least}–${most}`;
}
