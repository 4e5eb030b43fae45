import type { AlgorithmFacts } from "../../domain/model.js";

/** Figures of lists, by the places that are judged. */
export type FigureName =
  | "hit_rate_20"
  | "reciprocal_rank_20"
  | "recall_20"
  | "average_precision_20"
  | "coverage_20"
  | "shown_popularity"
  | "wanted_popularity"
  | "ndcg_10"
  | "hit_rate_10"
  | "repeated_10"
  | "same_category_10"
  | "substitutes_10";

/** Each a share from 0 to 1. */
export type Figures = Readonly<Partial<Record<FigureName, number>>>;

/** Origin of a ranking: the service's own list, one of its sources alone, or a published method for comparison. */
export type RankingKind = "answer" | "source" | "baseline";

export interface EvaluatedHistory {
  /** Steps or order lines known; `most` 0 means without bound. */
  readonly least: number;
  readonly most: number;
  readonly queries: number;
  readonly figures: Figures;
}

export interface EvaluatedRanking {
  readonly name: string;
  readonly kind: RankingKind;
  readonly figures: Figures;
  readonly byHistory: readonly EvaluatedHistory[];
}

export interface EvaluatedTask {
  readonly name: string;
  readonly queries: number;
  /** Possible questions; more than asked when some were sampled. */
  readonly possible: number;
  /** Why no question was asked; "" otherwise. */
  readonly reason: string;
  readonly rankings: readonly EvaluatedRanking[];
}

/** How well models of older data would have served an app's newest visitors. */
export interface Evaluation {
  /** Trained on older data, judged on visits that began then or later. */
  readonly cutOff: number;
  readonly seed: number;
  readonly dataCounts: Readonly<Record<string, number>>;
  readonly tasks: readonly EvaluatedTask[];
  readonly algorithms: readonly AlgorithmFacts[];
}
