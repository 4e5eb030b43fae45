import type { Product } from "../../domain/product.js";
import { categoryOf } from "../../recommend/products/product-table.js";
import { isSubstitute } from "../../recommend/rank/substitutes.js";
import { createJudge, DEPTH, ndcg10 } from "./figures.js";
import type { Question, Questions } from "./questions.js";
import type { Asked, Lists, Ranking } from "./rankings.js";
import type { EvaluatedTask } from "./report.js";
import { joinedList, joinedQuestion, type Siblings } from "./siblings.js";

export interface TaskContext {
  readonly ask: (question: Question) => Asked;
  /** Popularity percentile of each product, 0 to 1. */
  readonly popularityOf: Float64Array;
  readonly siblings: Siblings;
  /** Called regularly with the share of answered questions. */
  readonly onShare?: (share: number) => void;
}

/** Questions between two progress reports. */
const TELL_EVERY = 100;

/** A task that reads the same answers its own way: the question as it judges it, or undefined to pass it over. */
export interface Reading {
  readonly name: string;
  readonly possible: number;
  readonly of: (question: Question) => Question | undefined;
}

/** Puts every question to every ranking once and judges the answers by each reading. */
export function judgeTasks(
  questions: readonly Question[],
  readings: readonly Reading[],
  rankings: readonly Ranking[],
  { ask, popularityOf, siblings, onShare }: TaskContext,
): EvaluatedTask[] {
  const kept = readings.map((reading) => ({
    ...reading,
    queries: 0,
    judges: rankings.map((ranking) => ({ ranking, judge: createJudge(popularityOf) })),
  }));
  for (const [q, question] of questions.entries()) {
    if (q > 0 && q % TELL_EVERY === 0) onShare?.(q / questions.length);
    const asked = ask(question);
    const read = kept.map((reading) => {
      const each = reading.of(question);
      return each && joinedQuestion(each, siblings);
    });
    const depth = DEPTH + Math.max(0, ...read.map((each) => each?.excluded.size ?? 0));
    for (const [i, each] of read.entries()) if (each) kept[i]!.queries++;
    for (const [r, ranking] of rankings.entries()) {
      const answer = listOf(ranking, asked, depth, siblings);
      for (const [i, each] of read.entries())
        if (each) kept[i]!.judges[r]!.judge.take(shownOf(answer, each).slice(0, DEPTH), each);
    }
  }
  return kept.map(({ name, possible, queries, judges }) => ({
    name,
    queries,
    possible,
    reason: "",
    rankings: judges.map(({ ranking, judge }) => ({
      name: ranking.name,
      kind: ranking.kind,
      figures: judge.figures(),
      byHistory: judge.byHistory().filter((part) => part.queries > 0),
    })),
  }));
}

/** Judges lists of similar products by NDCG@10. */
export function judgeSimilar(
  name: string,
  { asked: questions, possible }: Questions,
  rankings: readonly Ranking[],
  { ask, siblings }: TaskContext,
): EvaluatedTask {
  const sums = rankings.map(() => 0);
  let queries = 0;
  for (const one of questions) {
    const question = joinedQuestion(one, siblings);
    if (question === undefined) continue;
    queries++;
    const asked = ask(one);
    for (const [r, ranking] of rankings.entries()) {
      const answer = listOf(ranking, asked, DEPTH + one.excluded.size, siblings);
      sums[r]! += ndcg10(shownOf(answer, question), question.wanted);
    }
  }
  if (queries === 0) return notJudged(name, "only variants of what is asked with are wanted");
  return {
    name,
    queries,
    possible,
    reason: "",
    rankings: rankings.map(({ name, kind }, r) => ({
      name,
      kind,
      figures: { ndcg_10: sums[r]! / queries },
      byHistory: [],
    })),
  };
}

/**
 * Of the products of each list, as the default frame shows it, the share in the category of what was met last, and the
 * share of its substitutes: of that category, and priced alike where both prices are known.
 */
export function judgeSubstitutes(
  questions: readonly Question[],
  productOf: (productId: string) => Product | undefined,
  productAt: (product: number) => Product | undefined,
  answers: (question: Question) => Lists,
): EvaluatedTask {
  const lists = {
    recommended: { shown: 0, same: 0, substitutes: 0 },
    alternative: { shown: 0, same: 0, substitutes: 0 },
  };
  let queries = 0;
  for (const question of questions) {
    const met = productOf(question.current ?? question.steps.at(-1)?.productId ?? "");
    if (met === undefined || categoryOf(met) === undefined) continue;
    queries++;
    const answer = answers(question);
    for (const list of ["recommended", "alternative"] as const) {
      const shown = answer[list].map(productAt).filter((product) => product !== undefined);
      lists[list].shown += answer[list].length;
      lists[list].same += shown.filter((product) => categoryOf(product) === categoryOf(met)).length;
      lists[list].substitutes += shown.filter((product) => isSubstitute(product, met)).length;
    }
  }
  if (queries === 0) return notJudged("substitutes", "no question about a product with a category");
  return {
    name: "substitutes",
    queries,
    possible: queries,
    reason: "",
    rankings: (["recommended", "alternative"] as const).map((name) => ({
      name,
      kind: "answer",
      figures: {
        same_category_10: lists[name].same / Math.max(1, lists[name].shown),
        substitutes_10: lists[name].substitutes / Math.max(1, lists[name].shown),
      },
      byHistory: [],
    })),
  };
}

export function notJudged(name: string, reason: string): EvaluatedTask {
  return { name, queries: 0, possible: 0, reason, rankings: [] };
}

/** Answers show one variant of a group already. */
function listOf(ranking: Ranking, asked: Asked, depth: number, siblings: Siblings): number[] {
  const length = ranking.kind === "answer" ? depth : depth * siblings.longer;
  return joinedList(Array.from(ranking.answer(asked, length)), siblings);
}

function shownOf(answer: readonly number[], { excluded }: Question): number[] {
  return excluded.size === 0 ? [...answer] : answer.filter((product) => !excluded.has(product));
}
