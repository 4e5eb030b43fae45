import { expect, it } from "vitest";
import { rowsFrom } from "../../../../src/learning/common/rows.js";
import { createTopK } from "../../../../src/learning/common/top-k.js";
import { embeddingFor, learnRanker, RANKER_BUDGET } from "../../../../src/learning/rank/visits/learn-ranker.js";
import { queryOf, questionsFrom } from "../../../../src/learning/rank/visits/questions.js";
import { createVisitRecommender } from "../../../../src/learning/rank/visits/ranker.js";
import { fitRankerSources } from "../../../../src/learning/rank/visits/ranker-sources.js";
import type { VisitQuery, Visits } from "../../../../src/learning/rank/visits/visits.js";
import { fitSessionNeighbours, QUICK } from "../../../../src/learning/sources/sessions/session-neighbours.js";
import { createSessionRecommender } from "../../../../src/learning/sources/sessions/session-recommender.js";
import { describeWithSharedData, readCsvGz } from "../../../fixtures/shared-data.js";

const SEED = 7;
/** Of so many sessions of dev one is asked. */
const EVERY = 6;

/** Sessions of a file by their end; products that `indexOf` does not know are left out, or given an index. */
function readVisits(path: string, indexOf: Map<string, number>, learns: boolean): Visits {
  const sessions = new Map<string, { at: number; product: number }[]>();
  for (const { session = "", item = "", ts } of readCsvGz(path)) {
    if (learns && !indexOf.has(item)) indexOf.set(item, indexOf.size);
    const product = indexOf.get(item);
    const steps = sessions.get(session) ?? [];
    sessions.set(session, steps);
    if (product !== undefined) steps.push({ at: Number(ts) * 1000, product });
  }
  const inTime = [...sessions.values()].map((steps) => steps.sort((a, b) => a.at - b.at));
  inTime.sort((a, b) => (a.at(-1)?.at ?? 0) - (b.at(-1)?.at ?? 0));
  const runs: number[] = [];
  const rows = inTime.map((steps) => {
    const items: number[] = [];
    for (const { product } of steps) {
      if (items.at(-1) === product) runs[runs.length - 1]!++;
      else {
        items.push(product);
        runs.push(1);
      }
    }
    return items;
  });
  return {
    sessions: rowsFrom(rows),
    runs: Uint32Array.from(runs),
    endedAt: Float64Array.from(inTime, (steps) => steps.at(-1)?.at ?? 0),
    previous: new Int32Array(rows.length).fill(-1),
  };
}

describeWithSharedData("behaviour", "yoochoose_100k")("next click on a cut of yoochoose_100k", (folder) => {
  it("the ranker finds the next product more often than session neighbours, and these more often than popularity", () => {
    const indexOf = new Map<string, number>();
    const train = readVisits(`${folder}/train.csv.gz`, indexOf, true);
    const dev = readVisits(`${folder}/dev.csv.gz`, indexOf, false);
    const questions = [...questionsFrom(dev, 0)].filter(({ session }) => session % EVERY === 0);

    const judge = (answer: (query: VisitQuery) => Uint32Array) => {
      const places = questions.map((question) => answer(queryOf(dev, question)).indexOf(question.next));
      const hits = places.filter((place) => place >= 0);
      const reciprocal = hits.reduce((sum, place) => sum + 1 / (place + 1), 0);
      return { hitRate: hits.length / places.length, reciprocalRank: reciprocal / places.length };
    };
    const popular = createTopK();
    popular.reset(20);
    const counts = new Map<number, number>();
    for (const product of train.sessions.items) counts.set(product, (counts.get(product) ?? 0) + 1);
    for (const [product, count] of counts) popular.offer(product, count);
    const mostPopular = popular.take().indices;
    const neighbours = fitSessionNeighbours(train, indexOf.size, QUICK);
    const alone = createSessionRecommender(neighbours);
    const budget = { ...RANKER_BUDGET, slices: 2, fewSlices: 2, learned: 3_000, heldOut: 600 };
    const { forest, questions: learned } = learnRanker(train, indexOf.size, QUICK, SEED, budget);
    if (forest === undefined) throw new Error("no ranker was learned");
    const ranker = createVisitRecommender({
      forest,
      sources: fitRankerSources(train, neighbours, SEED, embeddingFor(learned)),
    });

    const byPopularity = judge(() => mostPopular);
    const byNeighbours = judge((query) => alone.recommend(query, 20).indices);
    const byRanker = judge((query) => ranker.recommend(query, 20).indices);
    expect(questions.length).toBeGreaterThan(1_500);
    for (const figure of ["hitRate", "reciprocalRank"] as const) {
      expect(byNeighbours[figure]).toBeGreaterThan(2 * byPopularity[figure]);
      expect(byRanker[figure]).toBeGreaterThan(byNeighbours[figure]);
    }
  }, 180_000);
});
