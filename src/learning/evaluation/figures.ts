import type { Question } from "./questions.js";
import type { EvaluatedHistory, Figures } from "./report.js";

/** Maximum rank that is judged. */
export const DEPTH = 20;
const NDCG_DEPTH = 10;

/** Ranges of known steps or lines; `most` 0 means without limit. */
const HISTORY_PARTS = [
  { least: 1, most: 1 },
  { least: 2, most: 2 },
  { least: 3, most: 4 },
  { least: 5, most: 9 },
  { least: 10, most: 0 },
] as const;

/** Sums of what is judged question by question. */
class Sums {
  queries = 0;
  private hits = 0;
  private reciprocal = 0;
  private recall = 0;
  private precision = 0;

  take(shown: readonly number[], { next, wanted }: Question): void {
    this.queries++;
    const place = next === undefined ? shown.findIndex((product) => wanted.has(product)) : shown.indexOf(next);
    if (place >= 0) {
      this.hits++;
      this.reciprocal += 1 / (place + 1);
    }
    let found = 0;
    let precision = 0;
    for (const [i, product] of shown.entries()) if (wanted.has(product)) precision += ++found / (i + 1);
    this.recall += found / wanted.size;
    this.precision += precision / Math.min(DEPTH, wanted.size);
  }

  figures(): Figures {
    const mean = (sum: number) => (this.queries === 0 ? 0 : sum / this.queries);
    return {
      hit_rate_20: mean(this.hits),
      reciprocal_rank_20: mean(this.reciprocal),
      recall_20: mean(this.recall),
      average_precision_20: mean(this.precision),
    };
  }
}

/** Judges one ranking, question by question. */
export interface RankingJudge {
  /** `shown` holds the first `DEPTH` products, best first. */
  take(shown: readonly number[], question: Question): void;
  figures(): Figures;
  byHistory(): EvaluatedHistory[];
}

/**
 * Hit rate: share of the questions with the answer among the first 20; reciprocal rank: mean of 1 / its place, 0 beyond.
 * Recall: share of all wanted products among the first 20; average precision over the same. Coverage: share of the
 * catalogue that was shown to anyone. Popularity is where a product stands among all, 0 the least popular and 1 the
 * most, as a mean over what was shown, and over what was wanted.
 */
export function createJudge(popularityOf: Float64Array): RankingJudge {
  const all = new Sums();
  const parts = HISTORY_PARTS.map((part) => ({ ...part, sums: new Sums() }));
  const covered = new Set<number>();
  const shares = { shown: 0, shownCount: 0, wanted: 0, wantedCount: 0 };
  return {
    take(shown, question) {
      all.take(shown, question);
      parts.findLast((part) => question.length >= part.least)?.sums.take(shown, question);
      for (const product of shown) {
        covered.add(product);
        shares.shown += popularityOf[product]!;
        shares.shownCount++;
      }
      for (const product of question.next === undefined ? question.wanted : [question.next]) {
        shares.wanted += popularityOf[product]!;
        shares.wantedCount++;
      }
    },
    figures: () => ({
      ...all.figures(),
      coverage_20: covered.size / Math.max(1, popularityOf.length),
      shown_popularity: shares.shown / Math.max(1, shares.shownCount),
      wanted_popularity: shares.wanted / Math.max(1, shares.wantedCount),
    }),
    byHistory: () =>
      parts.map(({ least, most, sums }) => ({ least, most, queries: sums.queries, figures: sums.figures() })),
  };
}

/** NDCG of the first ten with gain 1 for wanted products, against the best order there is. */
export function ndcg10(shown: readonly number[], wanted: ReadonlySet<number>): number {
  const discount = (place: number) => 1 / Math.log2(place + 2);
  let gain = 0;
  for (const [i, product] of shown.slice(0, NDCG_DEPTH).entries()) if (wanted.has(product)) gain += discount(i);
  let ideal = 0;
  for (let i = 0; i < Math.min(NDCG_DEPTH, wanted.size); i++) ideal += discount(i);
  return ideal === 0 ? 0 : gain / ideal;
}

/** Where each product stands among all by its score: share of those below it and half of its equals, itself among them. */
export function standings(scores: Float32Array): Float64Array {
  const sorted = Float32Array.from(scores).sort();
  const standing = new Map<number, number>();
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    while (to < sorted.length && sorted[to] === sorted[from]) to++;
    standing.set(sorted[from]!, (from + to) / 2 / sorted.length);
  }
  return Float64Array.from(scores, (score) => standing.get(score)!);
}
