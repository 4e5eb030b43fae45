import type { Message } from "@bufbuild/protobuf";
import {
  type EvaluatedRanking,
  type EvaluatedTask,
  type Evaluation,
  type EvaluationDataCounts,
  EvaluationTask,
  Ranking,
  type RankingFigures,
  RankingKind,
} from "../gen/aisle/v1/evaluation_pb.js";
import { Algorithm } from "../gen/aisle/v1/model_pb.js";
import { enumWord, timeText } from "./message-values.js";
import { type Column, count, type Output, printable, writeLine, writeTable } from "./output.js";

/** Display names of tasks; others have their own name. */
const TASKS: Readonly<Record<EvaluationTask, string>> = {
  [EvaluationTask.UNSPECIFIED]: "Other",
  [EvaluationTask.NEXT_ITEM]: "Next product of a visit",
  [EvaluationTask.NEXT_NEW_ITEM]: "Next product of a visit, new to it",
  [EvaluationTask.HIDDEN_LINE]: "Order, one line hidden",
  [EvaluationTask.REST_OF_ORDER]: "Order, all after the first line",
  [EvaluationTask.NEXT_ORDER]: "Next order of a customer",
  [EvaluationTask.NEXT_ORDER_NEW]: "Next order of a customer, new products",
  [EvaluationTask.SIMILAR_PRODUCTS]: "Similar products, category text left out",
  [EvaluationTask.COLD_START]: "Next product of a visit, never met before",
  [EvaluationTask.ALSO_VIEW]: "Products named by the attribute also_view",
  [EvaluationTask.USED_FRAME]: "List after uses of its frame, nothing clicked",
  [EvaluationTask.SUBSTITUTES]: "Share of substitutes among what is shown",
};

const KINDS: Readonly<Record<RankingKind, string>> = {
  [RankingKind.UNSPECIFIED]: "",
  [RankingKind.ANSWER]: "answer",
  [RankingKind.SOURCE]: "source",
  [RankingKind.BASELINE]: "baseline",
};

export type FigureName = Exclude<keyof RankingFigures, keyof Message>;

/** Figures in the order of their columns. */
const COLUMNS: readonly (readonly [FigureName, (depth: number) => string])[] = [
  ["hitRate", (depth) => `HR@${depth}`],
  ["reciprocalRank", (depth) => `MRR@${depth}`],
  ["recall", (depth) => `Recall@${depth}`],
  ["averagePrecision", (depth) => `MAP@${depth}`],
  ["coverage", () => "coverage"],
  ["shownPopularity", () => "shown pop."],
  ["wantedPopularity", () => "wanted pop."],
  ["ndcg", (depth) => `NDCG@${depth}`],
  ["repeatedShare", () => "repeated"],
  ["sameCategoryShare", () => "same category"],
  ["substituteShare", () => "priced alike, too"],
];

const { USED_FRAME, SIMILAR_PRODUCTS, ALSO_VIEW, SUBSTITUTES } = EvaluationTask;
/** Tasks that judge the first 10 products of a list; others judge 20. */
const SHORT_LISTS: ReadonlySet<EvaluationTask> = new Set([USED_FRAME, SIMILAR_PRODUCTS, ALSO_VIEW, SUBSTITUTES]);

export type CountName = Exclude<keyof EvaluationDataCounts, keyof Message>;

export function taskTitle(task: EvaluatedTask): string {
  return TASKS[task.task] ?? "Other";
}

/** A table for each task, with the data for learning and judging above. */
export function writeEvaluation(output: Output, evaluation: Evaluation): void {
  const counts = (name: CountName) => count(evaluation.dataCounts?.[name] ?? 0n);
  const cut = evaluation.cutOffTime === undefined ? "" : ` before ${timeText(evaluation.cutOffTime)}`;
  writeLine(output, `Learned from ${counts("learnedVisits")} visits and ${counts("learnedOrders")} orders${cut},`);
  writeLine(
    output,
    `judged on ${counts("judgedVisits")} visits and ${counts("judgedOrders")} orders since; ${counts("products")} products, ${counts("metProducts")} met before`,
  );
  for (const { algorithm, included, reason } of evaluation.algorithms)
    if (!included) writeLine(output, `left out: ${enumWord(Algorithm, algorithm)}, ${printable(reason)}`);
  for (const task of evaluation.tasks) {
    writeLine(output, "");
    if (task.reason !== "") {
      writeLine(output, `${taskTitle(task)}: ${printable(task.reason)}`);
      continue;
    }
    const draw = task.possibleQueryCount > task.queryCount ? ` of ${count(task.possibleQueryCount)}` : "";
    writeLine(output, `${taskTitle(task)}: ${count(task.queryCount)}${draw} questions`);
    const columns: readonly Column<EvaluatedRanking>[] = [
      ["", ({ ranking }) => enumWord(Ranking, ranking)],
      ["", ({ kind }) => KINDS[kind] ?? "other"],
      ...columnsOf(task).map(
        ([key, title]) =>
          [title, ({ figures }: EvaluatedRanking) => figures?.[key]?.toFixed(3) ?? "", "right"] as const,
      ),
    ];
    writeTable(output, columns, task.rankings);
  }
}

/** The figures that any of the rankings has, with their titles. */
function columnsOf({ task, rankings }: EvaluatedTask): (readonly [FigureName, string])[] {
  const depth = SHORT_LISTS.has(task) ? 10 : 20;
  return COLUMNS.filter(([name]) => rankings.some(({ figures }) => figures?.[name] !== undefined)).map(
    ([name, title]) => [name, title(depth)] as const,
  );
}
