import type { EvaluatedHistory, EvaluatedRanking, EvaluatedTask } from "../../src/gen/aisle/v1/evaluation_pb.js";

const TASKS: Readonly<Record<string, string>> = {
  next_item: "The next product of a visit",
  next_new_item: "The next product new to the visit",
  hidden_line: "One line of an order, from the others",
  rest_of_order: "The rest of an order",
  next_order: "The next order",
  next_order_new: "The next order, new products",
  similar_products: "Similar products",
  also_view: "Also viewed",
  cold_start: "A product without interactions",
  used_frame: "A list after uses of its frame",
  substitutes: "Substitutes",
};

const FIGURES: Readonly<Record<string, string>> = {
  hit_rate_20: "hit rate, 20 shown",
  reciprocal_rank_20: "mean reciprocal rank, 20 shown",
  recall_20: "recall, 20 shown",
  average_precision_20: "mean average precision, 20 shown",
  coverage_20: "share of products ever shown",
  shown_popularity: "popularity of shown products",
  wanted_popularity: "popularity of wanted products",
  ndcg_10: "NDCG, 10 shown",
  hit_rate_10: "hit rate, 10 shown",
  repeated_10: "shown before the last use, too",
  same_category_10: "of the same category, 10 shown",
  substitutes_10: "substitutes, 10 shown",
};

/** Display name of a task; unknown tasks keep their own name. */
export function taskTitle({ name }: EvaluatedTask): string {
  return TASKS[name] ?? name.replaceAll("_", " ");
}

export function figureTitle(name: string): string {
  return FIGURES[name] ?? name.replaceAll("_", " ");
}

/** The figures that any ranking of the task has, most important first. */
export function figuresOf(rankings: readonly EvaluatedRanking[]): readonly string[] {
  const names = new Set(rankings.flatMap(({ figures }) => Object.keys(figures)));
  return [...Object.keys(FIGURES).filter((name) => names.delete(name)), ...names];
}

/** Length of the history, for example `2–3` or `8 or more`. */
export function historyTitle({ minLength: least, maxLength: most }: EvaluatedHistory): string {
  if (most === 0) return `${least} or more`;
  return least === most ? String(least) : `${least}–${most}`;
}
