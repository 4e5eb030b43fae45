import type { AlgorithmFacts } from "../../domain/model.js";

/** Figures by name, each a share from 0 to 1. */
export type Figures = Readonly<Record<string, number>>;

/** What a ranking is: the service's own list, one of its sources alone, or a known method to compare with. */
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
  /** Questions there were; more than asked when a draw was made. */
  readonly possible: number;
  /** Why nothing was asked; "" otherwise. */
  readonly reason: string;
  readonly rankings: readonly EvaluatedRanking[];
}

/** How well an app's newest visitors would have been served by what could be learned before them. */
export interface Evaluation {
  /** Learned from what was before, judged on visits that began then or later. */
  readonly cutOff: number;
  readonly seed: number;
  readonly dataCounts: Readonly<Record<string, number>>;
  readonly tasks: readonly EvaluatedTask[];
  readonly algorithms: readonly AlgorithmFacts[];
}
