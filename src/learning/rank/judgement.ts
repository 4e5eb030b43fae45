/** How far up an order puts the answers of questions, within the first 20 places. */

export interface Judgement {
  /** Share of the questions whose answer is among the first 20. */
  readonly hitRate: number;
  /** Mean of 1 / place of the answer, 0 beyond the first 20. */
  readonly reciprocalRank: number;
}

const DEPTH = 20;

/** From 1; of equal scores the answer's counts last. */
export function placeOf(answer: number, scores: Float64Array): number {
  return scores.reduce((place, score, i) => (i !== answer && score >= scores[answer]! ? place + 1 : place), 1);
}

/** @param places Of the answers that are candidates, of `asked` questions. */
export function judgementOf(places: readonly number[], asked: number): Judgement {
  const near = places.filter((place) => place <= DEPTH);
  const count = Math.max(1, asked);
  return { hitRate: near.length / count, reciprocalRank: near.reduce((sum, place) => sum + 1 / place, 0) / count };
}
