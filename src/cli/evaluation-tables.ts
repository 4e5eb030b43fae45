import {
  type EvaluatedRanking,
  type EvaluatedTask,
  type Evaluation,
  RankingKind,
} from "../gen/aisle/v1/evaluation_pb.js";
import { type Column, count, type Output, printable, writeLine, writeTable } from "./output.js";
import { timeText } from "./times.js";

/** Display names of tasks; others have their own name. */
const TASKS: Readonly<Record<string, string>> = {
  next_item: "Next product of a visit",
  next_new_item: "Next product of a visit, new to it",
  hidden_line: "Order, one line hidden",
  rest_of_order: "Order, all after the first line",
  next_order: "Next order of a customer",
  next_order_new: "Next order of a customer, new products",
  similar_products: "Similar products, category text left out",
  cold_start: "Next product of a visit, never met before",
  also_view: "Products named by the attribute also_view",
  used_frame: "List after uses of its frame, nothing clicked",
  substitutes: "Share of substitutes among what is shown",
};

const KINDS: Readonly<Record<RankingKind, string>> = {
  [RankingKind.UNSPECIFIED]: "",
  [RankingKind.ANSWER]: "answer",
  [RankingKind.SOURCE]: "source",
  [RankingKind.BASELINE]: "baseline",
};

/** Figures in the order of their columns; others follow under their own name. */
const COLUMNS: readonly (readonly [string, string])[] = [
  ["hit_rate_20", "HR@20"],
  ["reciprocal_rank_20", "MRR@20"],
  ["recall_20", "Recall@20"],
  ["average_precision_20", "MAP@20"],
  ["coverage_20", "coverage"],
  ["shown_popularity", "shown pop."],
  ["wanted_popularity", "wanted pop."],
  ["ndcg_10", "NDCG@10"],
  ["hit_rate_10", "HR@10"],
  ["repeated_10", "repeated"],
  ["same_category_10", "same category"],
  ["substitutes_10", "priced alike, too"],
];

export function taskTitle(task: EvaluatedTask): string {
  return TASKS[task.name] ?? printable(task.name);
}

/** A table for each task, with the data for learning and judging above. */
export function writeEvaluation(output: Output, evaluation: Evaluation): void {
  const counts = (name: string) => count(evaluation.dataCounts[name] ?? 0n);
  const cut = evaluation.cutOffTime === undefined ? "" : ` before ${timeText(evaluation.cutOffTime)}`;
  writeLine(output, `Learned from ${counts("learned_visits")} visits and ${counts("learned_orders")} orders${cut},`);
  writeLine(
    output,
    `judged on ${counts("judged_visits")} visits and ${counts("judged_orders")} orders since; ${counts("products")} products, ${counts("products_met")} met before`,
  );
  for (const { name, included, reason } of evaluation.algorithms)
    if (!included) writeLine(output, `left out: ${printable(name)}, ${printable(reason)}`);
  for (const task of evaluation.tasks) {
    writeLine(output, "");
    if (task.reason !== "") {
      writeLine(output, `${taskTitle(task)}: ${printable(task.reason)}`);
      continue;
    }
    const draw = task.possibleQueryCount > task.queryCount ? ` of ${count(task.possibleQueryCount)}` : "";
    writeLine(output, `${taskTitle(task)}: ${count(task.queryCount)}${draw} questions`);
    const figures = columnsOf(task.rankings);
    const columns: Column[] = [
      { title: "" },
      { title: "" },
      ...figures.map(([, title]) => ({ title, align: "right" }) as const),
    ];
    const rows = task.rankings.map(({ name, kind, figures: values }) => [
      printable(name),
      KINDS[kind],
      ...figures.map(([key]) => (values[key] === undefined ? "" : values[key].toFixed(3))),
    ]);
    writeTable(output, columns, rows);
  }
}

function columnsOf(rankings: readonly EvaluatedRanking[]): (readonly [string, string])[] {
  const present = new Set(rankings.flatMap(({ figures }) => Object.keys(figures)));
  const known = COLUMNS.filter(([key]) => present.delete(key));
  return [...known, ...[...present].sort().map((key) => [key, printable(key)] as const)];
}
