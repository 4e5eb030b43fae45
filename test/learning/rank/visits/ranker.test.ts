import { describe, expect, it } from "vitest";
import { hnswIndexes } from "../../../../src/adapters/hnsw/vector-indexes.js";
import { createRandom } from "../../../../src/learning/common/random.js";
import { rowsFrom } from "../../../../src/learning/common/rows.js";
import { treeCount } from "../../../../src/learning/rank/trees/forest.js";
import { createCandidateFeatures } from "../../../../src/learning/rank/visits/candidate-features.js";
import { learnRanker, RANKER_BUDGET } from "../../../../src/learning/rank/visits/learn-ranker.js";
import { queryOf, questionsFrom } from "../../../../src/learning/rank/visits/questions.js";
import { createVisitRecommender, type Ranker } from "../../../../src/learning/rank/visits/ranker.js";
import { decodeRanker, encodeRanker } from "../../../../src/learning/rank/visits/ranker-section.js";
import { fitRankerSources } from "../../../../src/learning/rank/visits/ranker-sources.js";
import { firstVisits } from "../../../../src/learning/rank/visits/visits.js";
import { decodeContainer, encodeContainer } from "../../../../src/learning/snapshot/container.js";
import { encodeSnapshot, SNAPSHOT_FORMAT, snapshotSteps } from "../../../../src/learning/snapshot/snapshot.js";
import { runAtOnce } from "../../../../src/learning/snapshot/yielding-steps.js";
import { learnItemVectors } from "../../../../src/learning/sources/sessions/item-vectors.js";
import { BROWSING, fitSessionNeighbours } from "../../../../src/learning/sources/sessions/session-neighbours.js";
import { createSessionRecommender } from "../../../../src/learning/sources/sessions/session-recommender.js";
import { PRODUCTS, walks } from "./simulated-visits.js";

const NO_OTHERS = { rules: undefined, cart: undefined, cartRanking: undefined, semantic: undefined, blend: undefined };
const VISITS = walks(1200, 1);
const SEED = 7;
const learned = learnRanker(VISITS, PRODUCTS, BROWSING, SEED);
const neighbours = fitSessionNeighbours(VISITS, PRODUCTS, BROWSING);

function ranker(): Ranker {
  if (learned.forest === undefined) throw new Error("nothing was learned");
  return { forest: learned.forest, sources: fitRankerSources(VISITS, neighbours, SEED) };
}

describe("a learned ranker", () => {
  it("ranks the next product higher than session neighbours do, on sessions it never saw", () => {
    const { judged } = learned;
    // Ten products are met together: session neighbours nearly always name the next one.
    expect(judged?.neighbours.hitRate).toBeGreaterThan(0.9);
    expect(judged?.ranker.reciprocalRank).toBeGreaterThan((judged?.neighbours.reciprocalRank ?? 1) + 0.02);
    const recommender = createVisitRecommender(ranker());
    const fresh = walks(100, 99);
    const questions = [...questionsFrom(fresh, 0)];
    const first = questions.filter(
      (question) => recommender.recommend(queryOf(fresh, question), 1).indices[0] === question.next,
    );
    expect(first.length / questions.length).toBeGreaterThan(0.55);
  });

  it("has the same trees for the same visits and seed", () => {
    const again = learnRanker(VISITS, PRODUCTS, BROWSING, SEED);
    expect(again).toEqual(learned);
    expect(learned.forest && treeCount(learned.forest)).toBeGreaterThan(5);
  });

  it("reports what is missing when there are too few steps", () => {
    expect(learnRanker(firstVisits(VISITS, 50), PRODUCTS, BROWSING, SEED)).toMatchObject({
      forest: undefined,
      reason: expect.stringMatching(/^\d+ steps in the newest sessions, 400 are needed$/),
      judged: undefined,
    });
  });

  it("asks fewer slices of a small shop than of a large one", () => {
    const asked = (fewSlices: number) =>
      learnRanker(VISITS, PRODUCTS, BROWSING, SEED, { ...RANKER_BUDGET, fewSlices, least: 1e6 }).questions;
    expect(asked(2)).toBeGreaterThan(1.8 * asked(1));
    expect(asked(RANKER_BUDGET.slices)).toBeGreaterThan(asked(RANKER_BUDGET.fewSlices));
  });

  it("is dropped when held-out sessions show no gain over session neighbours", () => {
    // The visitors it learns from step at will; what it could learn there is chance.
    const visits = walks(400, 5);
    const items = visits.sessions.items.map((_, at) => (at * 7919) % PRODUCTS);
    const aimless = { ...visits, sessions: { ...visits.sessions, items }, runs: visits.runs.map(() => 1) };
    const { forest, reason, judged } = learnRanker(aimless, PRODUCTS, BROWSING, SEED, { ...RANKER_BUDGET, least: 50 });
    const worth = (of: "ranker" | "neighbours") => (judged?.[of].hitRate ?? 0) + (judged?.[of].reciprocalRank ?? 0);
    expect(forest !== undefined).toBe(worth("ranker") > worth("neighbours"));
    expect(reason === "").toBe(forest !== undefined);
  });

  it("answers the same when decoded", () => {
    const [before, after] = [ranker(), decodeRanker(encodeRanker(ranker()), neighbours)].map(createVisitRecommender);
    for (const question of questionsFrom(walks(20, 4), 0)) {
      const query = queryOf(walks(20, 4), question);
      expect(after?.recommend(query, 10)).toEqual(before?.recommend(query, 10));
    }
  });

  it("keeps vectors learned from visits, and is rejected when these do not fit", () => {
    const embedding = learnItemVectors(VISITS.sessions, PRODUCTS, SEED);
    const parts = encodeRanker({ ...ranker(), sources: { ...ranker().sources, embedding } });
    expect(decodeRanker(parts, neighbours).sources.embedding).toEqual(embedding);
    const arrays = { ...parts.products.arrays, productWeights: new Float32Array(3) };
    expect(() => decodeRanker({ ...parts, products: { ...parts.products, arrays } }, neighbours)).toThrow("do not fit");
  });

  it("is rejected when its parts do not fit its neighbours", () => {
    const parts = encodeRanker(ranker());
    const smaller = fitSessionNeighbours(walks(5, 1), PRODUCTS + 1, BROWSING);
    expect(() => decodeRanker(parts, smaller)).toThrow("do not fit");
    expect(() => decodeRanker({ ...parts, products: { ...parts.products, formatNumber: 99 } }, neighbours)).toThrow(
      "99",
    );
  });

  it("with the features of an earlier version is left out of its snapshot, and session neighbours serve", () => {
    const manifest = { formatNumber: SNAPSHOT_FORMAT, cutOff: 1000, seed: 1, dataCounts: {}, algorithms: [] };
    const popularity = new Float32Array(PRODUCTS).fill(1);
    const productIds = Array.from(popularity.keys(), String);
    const written = { productIds, popularity, sessions: neighbours, ranker: ranker(), ...NO_OTHERS };
    const container = decodeContainer(encodeSnapshot(manifest, written));
    const sections = new Map(container.sections);
    sections.set("ranker_products", { ...sections.get("ranker_products")!, formatNumber: 3 });
    // What comes right after a product, which this version does not have.
    sections.set("ranker_next", sections.get("ranker_near")!);
    const earlier = decodeContainer(encodeContainer({ ...container, sections }));
    const { fitted, unread } = runAtOnce(snapshotSteps(earlier, hnswIndexes().open));
    expect(unread).toEqual(["ranker"]);
    expect(fitted.ranker).toBeUndefined();
    expect(fitted.sessions?.productCount).toBe(PRODUCTS);
  });
});

describe("the answers of a ranker", () => {
  const recommender = createVisitRecommender(ranker());
  const query = { items: Uint32Array.of(12, 13), runs: Uint32Array.of(1, 2) };

  it("are different products by falling score, as many as asked for while there are any", () => {
    for (const k of [1, 5, 20, 60]) {
      const { indices, scores } = recommender.recommend(query, k);
      expect(indices.length).toBeLessThanOrEqual(k);
      expect(new Set(indices).size).toBe(indices.length);
      expect([...scores]).toEqual([...scores].sort((a, b) => b - a));
    }
    expect(recommender.recommend(query, 5).indices.length).toBe(5);
    expect(recommender.recommend(query, 0).indices.length).toBe(0);
    expect(recommender.recommend({ items: new Uint32Array(0), runs: new Uint32Array(0) }, 5).indices.length).toBe(0);
  });

  it("continue with proposals of session neighbours beyond the candidates, in their order", () => {
    const products = 600;
    const random = createRandom(3);
    const rows = Array.from({ length: 2000 }, () => Array.from({ length: 8 }, () => Math.floor(random() * products)));
    const visits = {
      sessions: rowsFrom(rows),
      runs: new Uint32Array(16_000).fill(1),
      endedAt: Float64Array.from(rows, (_, session) => session * 60_000),
      previous: new Int32Array(rows.length).fill(-1),
    };
    const sessions = fitSessionNeighbours(visits, products, BROWSING);
    const sources = fitRankerSources(visits, sessions, SEED);
    const wide = createVisitRecommender({ sources, forest: ranker().forest });
    const asked = { items: Uint32Array.of(5, 17, 400), runs: Uint32Array.of(1, 1, 1) };
    const features = createCandidateFeatures(sources);
    const candidates = features.candidates.slice(0, features.make(asked));
    const proposed = createSessionRecommender(sessions).recommend({ items: asked.items }, products).indices;
    const others = proposed.filter((product) => !candidates.includes(product));
    expect(others.length).toBeGreaterThan(50);
    for (const more of [0, 1, 20, others.length, 1000]) {
      const { indices, scores } = wide.recommend(asked, candidates.length + more);
      expect(new Set(indices.subarray(0, candidates.length))).toEqual(new Set(candidates));
      expect(indices.subarray(candidates.length)).toEqual(others.subarray(0, more));
      expect([...scores]).toEqual([...scores].sort((a, b) => b - a));
    }
  });

  it("are explained by the products that led to them, with counts", () => {
    expect(recommender.explain(query, 14)).toMatchObject({
      becauseOf: [13, 12],
      counts: { related: 2, times_met: 0, neighbours: expect.any(Number), similar_sessions: expect.any(Number) },
    });
    expect(recommender.explain(query, 13)).toMatchObject({ counts: { times_met: 2 } });
    expect(recommender.explain(query, 55), "a product of another aisle").toBeUndefined();
  });
});
