import { describe, expect, it } from "vitest";
import { createCandidateFeatures } from "../../../../src/learning/rank/visits/candidate-features.js";
import { FEATURE_COUNT, FEATURES } from "../../../../src/learning/rank/visits/feature-names.js";
import { queryOf, questionsFrom } from "../../../../src/learning/rank/visits/questions.js";
import { fitRankerSources } from "../../../../src/learning/rank/visits/ranker-sources.js";
import type { VisitQuery } from "../../../../src/learning/rank/visits/visits.js";
import { learnItemVectors } from "../../../../src/learning/sources/sessions/item-vectors.js";
import { fitSessionNeighbours, SESSION_PRESETS } from "../../../../src/learning/sources/sessions/session-neighbours.js";
import { createSessionRecommender } from "../../../../src/learning/sources/sessions/session-recommender.js";
import { PRODUCTS, walks } from "./simulated-visits.js";

const VISITS = walks(300, 1);
const FRESH = walks(20, 2);

function sources(preset: keyof typeof SESSION_PRESETS = "browsing") {
  return fitRankerSources(VISITS, fitSessionNeighbours(VISITS, PRODUCTS, SESSION_PRESETS[preset]), 7);
}

const visit = (items: number[], runs = items.map(() => 1)): VisitQuery => ({
  items: Uint32Array.from(items),
  runs: Uint32Array.from(runs),
});

/** Features of a candidate by name. */
function featuresOf(query: VisitQuery, product: number): Record<string, number> {
  const features = createCandidateFeatures(sources());
  const at = features.candidates.subarray(0, features.make(query)).indexOf(product);
  return Object.fromEntries(FEATURES.map((name, f) => [name, features.rows[at * FEATURE_COUNT + f]!]));
}

describe("features of candidates", () => {
  it.each(["browsing", "quick", "returning"] as const)(
    "hold the scores of session neighbours as the recommender gives them (%s)",
    (preset) => {
      const its = sources(preset);
      const features = createCandidateFeatures(its);
      const recommender = createSessionRecommender(its.neighbours);
      const { close } = features.boards;
      for (const question of questionsFrom(FRESH, 0)) {
        const query = queryOf(FRESH, question);
        const count = features.make(query);
        const { indices, scores } = recommender.recommend({ items: query.items }, PRODUCTS);
        const slots = Array.from({ length: features.slots.count }, (_, slot) => slot);
        expect(slots.filter((slot) => close.values[slot]! > 0).length).toBe(indices.length);
        for (const [i, product] of indices.entries()) expect(close.values[features.slots.of(product)]).toBe(scores[i]);
        const best = features.candidates.subarray(0, count).indexOf(indices[0]!);
        expect(features.rows[best * FEATURE_COUNT + FEATURES.indexOf("close")]).toBe(1);
      }
    },
  );

  it("are numbers, and depend only on the query", () => {
    const features = createCandidateFeatures(sources());
    const make = (query: VisitQuery) => {
      const count = features.make(query);
      return { candidates: features.candidates.slice(0, count), rows: features.rows.slice(0, count * FEATURE_COUNT) };
    };
    const before = make(visit([3, 4]));
    expect(before.rows.every(Number.isFinite)).toBe(true);
    expect(new Set(before.candidates).size).toBe(before.candidates.length);
    make(visit([3, 4, 55, 3], [1, 2, 1, 5]));
    expect(make(visit([3, 4]))).toEqual(before);
  });

  it("describe a product's role in the visit", () => {
    // Seen: 3, then 4 twice, then 5, 3 and 5.
    const query = visit([3, 4, 5, 3, 5], [1, 2, 1, 1, 1]);
    expect(featuresOf(query, 4)).toMatchObject({ stepsSince: 4, times: 2, othersSince: 3, followedLast: 0 });
    expect(featuresOf(query, 3)).toMatchObject({ stepsSince: 2, times: 2, othersSince: 2, followedLast: 1 });
    expect(featuresOf(query, 5)).toMatchObject({ stepsSince: 1, times: 2, othersSince: 1, run: 1, steps: 6 });
    expect(featuresOf(query, 6)).toMatchObject({ stepsSince: 0, times: 0, othersSince: 0, products: 3, returns: 2 });
    expect(featuresOf(query, 6)).toMatchObject({ lastReturned: 1, repeatShare: 0.5 });
  });

  it.each([
    ["the graph", sources()],
    ["visits", { ...sources(), embedding: learnItemVectors(VISITS.sessions, PRODUCTS, 7) }],
  ] as const)("hold how like products are to the visit and its last product, by vectors of %s", (_, its) => {
    const { dimensions, vectors, placeWeights, productWeights } = its.embedding;
    const features = createCandidateFeatures(its);
    const newest = [55, 4, 3];
    const count = features.make(visit([3, 4, 55]));
    const vectorOf = (product: number) =>
      Array.from(vectors.subarray(product * dimensions, product * dimensions + dimensions));
    const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, d) => sum + value * b[d]!, 0);
    const direction = vectorOf(3).map((_, d) =>
      newest.reduce((sum, p, i) => sum + placeWeights[i]! * productWeights[p]! * vectorOf(p)[d]!, 0),
    );
    const length = Math.sqrt(dot(direction, direction));
    const rows = Array.from(features.candidates.subarray(0, count), (product, c) => ({
      vector: vectorOf(product),
      of: (name: (typeof FEATURES)[number]) => features.rows[c * FEATURE_COUNT + FEATURES.indexOf(name)]!,
    }));
    for (const { vector, of } of rows) {
      expect(of("likeVisit")).toBeCloseTo(dot(vector, direction) / length, 5);
      expect(of("likeLast")).toBeCloseTo(dot(vector, vectorOf(55)), 5);
    }
    expect(rows.reduce((sum, { of }) => sum + of("likeShare"), 0)).toBeCloseTo(1, 5);
  });

  it("are empty for a visit without products", () => {
    expect(createCandidateFeatures(sources()).make(visit([]))).toBe(0);
  });
});
