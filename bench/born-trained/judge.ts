/** Judges orders of products on the steps of later sessions. */
import { evenly } from "../../src/learning/common/rows.js";
import type { Forest } from "../../src/learning/ranking/gradient-boosting/forest.js";
import { queryOf, questionsFrom } from "../../src/learning/ranking/reranker/questions.js";
import { createVisitRecommender } from "../../src/learning/ranking/reranker/ranker.js";
import { fitRankerSources } from "../../src/learning/ranking/reranker/ranker-sources.js";
import type { VisitQuery } from "../../src/learning/ranking/reranker/visits.js";
import { createSessionRecommender, fitSessionNeighbours } from "../../src/learning/session/session-neighbours.js";
import { chooseSessionParams } from "../../src/learning/session/session-tuning.js";
import { productNumbers, type ShopSession, visitsOf } from "./shops.js";

const DEPTH = 20;

export interface JudgedRow {
  readonly name: string;
  readonly hitRate: number;
  readonly reciprocalRank: number;
  /** 1 / place of each question's answer, 0 beyond the 20th; aligned with the units. */
  readonly reciprocals: readonly number[];
}

export interface Judged {
  readonly rows: readonly JudgedRow[];
  /** Session of each question. */
  readonly units: readonly number[];
}

type Answer = (query: VisitQuery) => Uint32Array;

/** VSTAN with the parameters that a training chooses, and the same sources in the order of each forest. */
export function judgeForests(
  train: readonly ShopSession[],
  dev: readonly ShopSession[],
  forests: Readonly<Record<string, Forest>>,
  { most, seed }: { readonly most: number; readonly seed: number },
): Judged {
  const numbers = productNumbers(train);
  const visits = visitsOf(train, numbers);
  const asked = visitsOf(dev, numbers);
  const { params } = chooseSessionParams(visits, numbers.size);
  const neighbours = fitSessionNeighbours(visits, numbers.size, params);
  const sources = fitRankerSources(visits, neighbours, seed);
  const vstan = createSessionRecommender(neighbours);
  const answers: Record<string, Answer> = { vstan: ({ items }) => vstan.recommend({ items }, DEPTH).indices };
  for (const [name, forest] of Object.entries(forests)) {
    const ranker = createVisitRecommender({ sources, forest });
    answers[name] = (query) => ranker.recommend(query, DEPTH).indices;
  }
  const questions = evenly([...questionsFrom(asked, 0)], most);
  const rows = Object.entries(answers).map(([name, answer]): JudgedRow => {
    const places = questions.map((question) => answer(queryOf(asked, question)).indexOf(question.next));
    const reciprocals = places.map((place) => (place < 0 ? 0 : 1 / (place + 1)));
    return {
      name,
      hitRate: places.filter((place) => place >= 0).length / places.length,
      reciprocalRank: reciprocals.reduce((sum, value) => sum + value, 0) / places.length,
      reciprocals,
    };
  });
  return { rows, units: questions.map(({ session }) => session) };
}
