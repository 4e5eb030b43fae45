import { type Judgement, judgementOf, placeOf } from "../judgement.js";
import type { Forest } from "../trees/forest.js";
import { createForestScorer } from "../trees/forest-scorer.js";
import type { CandidateFeatures } from "./candidate-features.js";
import { MAX_CANDIDATES } from "./candidate-set.js";
import { type Question, queryOf } from "./questions.js";
import type { Visits } from "./visits.js";

/** Of a forest, and of session neighbours on the same questions. */
export interface JudgedForest {
  readonly ranker: Judgement;
  readonly neighbours: Judgement;
}

/** Questions, and features from sources of the visits before them. */
export interface AskedFeatures {
  readonly features: CandidateFeatures;
  readonly questions: readonly Question[];
}

export function judgeForest(forest: Forest, visits: Visits, asked: readonly AskedFeatures[]): JudgedForest {
  const places = { ranker: [] as number[], neighbours: [] as number[] };
  const scores = new Float64Array(MAX_CANDIDATES);
  const addScores = createForestScorer(forest);
  for (const { features, questions } of asked)
    for (const question of questions) {
      const count = features.make(queryOf(visits, question));
      const answer = features.candidates.subarray(0, count).indexOf(question.next);
      if (answer < 0) continue;
      scores.fill(0, 0, count);
      addScores(features.rows, count, scores);
      const { boards, slots } = features;
      const close = Float64Array.from(
        features.candidates.subarray(0, count),
        (product) => boards.close.values[slots.of(product)]!,
      );
      places.ranker.push(placeOf(answer, scores.subarray(0, count)));
      if (close[answer]! > 0) places.neighbours.push(placeOf(answer, close));
    }
  const count = asked.reduce((sum, { questions }) => sum + questions.length, 0);
  return { ranker: judgementOf(places.ranker, count), neighbours: judgementOf(places.neighbours, count) };
}
