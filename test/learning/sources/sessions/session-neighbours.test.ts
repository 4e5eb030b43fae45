import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Rows, rowCount, rowOf, rowsFrom } from "../../../../src/learning/common/rows.js";
import {
  BROWSING,
  decodeSessionNeighbours,
  encodeSessionNeighbours,
  fitSessionNeighbours,
  type SessionParams,
} from "../../../../src/learning/sources/sessions/session-neighbours.js";
import { createSessionRecommender } from "../../../../src/learning/sources/sessions/session-recommender.js";

const DAY = 86_400_000;
// A shop with tents 0, sleeping mats 1, stoves 2, gas 3, lamps 4 and a kayak 5 that nobody looked at.
const [TENT, MAT, STOVE, GAS, LAMP, KAYAK] = [0, 1, 2, 3, 4, 5] as const;
const VISITS = [
  [TENT, MAT],
  [STOVE, GAS],
  [LAMP, STOVE, GAS],
  [TENT, LAMP],
];
/** Every power 0 and no decay: a similarity is a count. */
const PLAIN: Partial<SessionParams> = {
  queryDecay: 1e12,
  sessionDecayDays: 1e12,
  neighbourDecay: 1e12,
  before: 1,
  repeat: 0,
  idfInSimilarity: 0,
  idfInScore: 0,
  lengthNormalisation: 0,
  sharpness: 1,
};

function fit(sessions: Rows, options: Parameters<typeof fitSessionNeighbours>[2] = {}, productCount = 6) {
  const endedAt = Float64Array.from({ length: sessions.offsets.length - 1 }, (_, s) => s * DAY);
  return fitSessionNeighbours({ sessions, endedAt }, productCount, options);
}
const items = (...list: number[]) => ({ items: Uint32Array.from(list) });

describe("session neighbours, worked out by hand,", () => {
  it("count neighbours when all weights are equal", () => {
    const found = createSessionRecommender(fit(rowsFrom(VISITS), PLAIN)).recommend(items(STOVE), 10);
    // Two visits with a stove: gas in both, a lamp in one.
    expect([...found.indices]).toEqual([GAS, LAMP]);
    expect(found.scores[0]).toBeCloseTo(2, 9);
    expect(found.scores[1]).toBeCloseTo(1, 9);
  });

  it("order equal scores by falling product index", () => {
    const found = createSessionRecommender(fit(rowsFrom(VISITS), PLAIN)).recommend(items(TENT), 10);
    expect([...found.indices]).toEqual([LAMP, MAT]);
    expect(found.scores[0]).toBe(found.scores[1]);
  });

  it("count the votes of the k most similar sessions, of equal ones the newer", () => {
    const recommender = createSessionRecommender(fit(rowsFrom(VISITS), { ...PLAIN, k: 1 }));
    expect(recommender.scoresOf(items(STOVE)).neighbours).toBe(1);
    expect([...recommender.recommend(items(STOVE), 10).indices]).toEqual([LAMP, GAS]);
    // A visit with both is more alike.
    expect([...recommender.recommend(items(GAS, LAMP), 10).indices]).toEqual([STOVE, GAS]);
    expect([...recommender.recommend(items(TENT, MAT), 10).indices]).toEqual([TENT]);
  });

  it("prefer newer sessions when sessions decay", () => {
    const found = createSessionRecommender(fit(rowsFrom(VISITS), { ...PLAIN, sessionDecayDays: 1 })).recommend(
      items(TENT),
      10,
    );
    expect([...found.indices]).toEqual([LAMP, MAT]);
    expect(found.scores[1]! / found.scores[0]!).toBeCloseTo(Math.exp(-3), 5);
  });

  it("prefer what follows the anchor to what precedes it", () => {
    const found = createSessionRecommender(fit(rowsFrom([[LAMP, STOVE, GAS]]), { ...PLAIN, before: 0.5 })).recommend(
      items(STOVE),
      10,
    );
    expect([...found.indices]).toEqual([GAS, LAMP]);
    expect(found.scores[1]! / found.scores[0]!).toBeCloseTo(0.5, 9);
  });

  it("weigh the newest item of the query most", () => {
    const model = fit(rowsFrom(VISITS), { ...PLAIN, queryDecay: 1 });
    expect(createSessionRecommender(model).recommend(items(TENT, STOVE), 1).indices[0]).toBe(GAS);
    expect(createSessionRecommender(model).recommend(items(STOVE, TENT), 1).indices[0]).not.toBe(GAS);
  });

  it("weigh a heavier item of the query more than a newer one", () => {
    const model = fit(rowsFrom(VISITS), { ...PLAIN, queryDecay: 5 });
    const query = { ...items(STOVE, TENT), weights: Float32Array.of(5, 0.1) };
    expect(createSessionRecommender(model).recommend(query, 1).indices[0]).toBe(GAS);
  });

  it("skip items of weight 0 and items out of range", () => {
    const model = fit(rowsFrom(VISITS), PLAIN);
    expect(
      createSessionRecommender(model).recommend({ ...items(STOVE), weights: Float32Array.of(0) }, 5).indices,
    ).toHaveLength(0);
    expect(createSessionRecommender(model).recommend(items(6, 4_000_000_000), 5).indices).toHaveLength(0);
  });

  it("propose repeats as strongly as the parameter says", () => {
    const model = fit(rowsFrom([[STOVE, GAS, STOVE]]), { ...PLAIN, repeat: 3 });
    const found = createSessionRecommender(model).recommend(items(STOVE), 5);
    expect([...found.indices]).toEqual([STOVE, GAS]);
    // Two copies of the anchor, 3 each.
    expect(found.scores[0]! / found.scores[1]!).toBeCloseTo(6, 9);
  });

  it("propose nothing for a product without sessions, and for an empty query", () => {
    const model = fit(rowsFrom(VISITS));
    expect(createSessionRecommender(model).recommend(items(KAYAK), 5).indices).toHaveLength(0);
    expect(createSessionRecommender(model).recommend(items(), 5).indices).toHaveLength(0);
  });

  it("are empty without sessions", () => {
    expect(createSessionRecommender(fit(rowsFrom([]))).recommend(items(STOVE), 5).indices).toHaveLength(0);
  });

  it("propose stronger items of neighbours first", () => {
    const sessions = rowsFrom([[STOVE, GAS, LAMP]]);
    const strengths = Float32Array.of(1, 1, 4);
    const model = fitSessionNeighbours({ sessions, endedAt: Float64Array.of(0), strengths }, 6, PLAIN);
    expect([...createSessionRecommender(model).recommend(items(STOVE), 5).indices]).toEqual([LAMP, GAS]);
  });

  it("index only the newest sessions of a product", () => {
    const model = fit(rowsFrom(VISITS), { ...PLAIN, sessionsPerItem: 1 });
    expect([...createSessionRecommender(model).recommend(items(TENT), 5).indices]).toEqual([LAMP]);
  });

  it("keep only the newest items of a session", () => {
    const model = fit(rowsFrom([[LAMP, TENT, STOVE, GAS]]), { ...PLAIN, sessionItems: 2 });
    expect(createSessionRecommender(model).recommend(items(TENT), 5).indices).toHaveLength(0);
    expect([...createSessionRecommender(model).recommend(items(STOVE), 5).indices]).toEqual([GAS]);
  });

  it("count sessions after the cut-off as of no age", () => {
    const model = fit(rowsFrom(VISITS), { ...PLAIN, sessionDecayDays: 1, cutOff: 0 });
    const found = createSessionRecommender(model).recommend(items(TENT), 5);
    expect(found.scores[0]).toBe(found.scores[1]);
  });

  it("do not depend on the order of the given sessions", () => {
    const backwards = [...VISITS].reverse();
    const endedAt = Float64Array.of(3 * DAY, 2 * DAY, DAY, 0);
    const model = fitSessionNeighbours({ sessions: rowsFrom(backwards), endedAt }, 6);
    expect(encodeSessionNeighbours(model)).toEqual(encodeSessionNeighbours(fit(rowsFrom(VISITS))));
  });

  it("explain with the shared items and the number of neighbours", () => {
    const model = fit(rowsFrom(VISITS), PLAIN);
    expect(createSessionRecommender(model).explain(items(TENT, STOVE), GAS)).toEqual({
      becauseOf: [STOVE],
      counts: { neighbours: 2, similar_sessions: 4 },
    });
    expect(createSessionRecommender(model).explain(items(TENT), GAS)).toBeUndefined();
    expect(createSessionRecommender(model).explain(items(), GAS)).toBeUndefined();
  });

  it("reject times that do not fit the sessions, and items out of range", () => {
    const sessions = rowsFrom(VISITS);
    expect(() => fitSessionNeighbours({ sessions, endedAt: new Float64Array(3) }, 6)).toThrow(/endedAt/);
    expect(() => fitSessionNeighbours({ sessions, endedAt: new Float64Array(4).fill(Number.NaN) }, 6)).toThrow(
      /endedAt/,
    );
    expect(() => fitSessionNeighbours({ sessions, endedAt: new Float64Array(4) }, 4)).toThrow(/range/);
    const strengths = new Float32Array(1);
    expect(() => fitSessionNeighbours({ sessions, endedAt: new Float64Array(4), strengths }, 6)).toThrow(/strengths/);
  });
});

const PRODUCTS = 12;
const item = fc.nat(PRODUCTS - 1);
const someSessions = fc.array(fc.array(item, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 25 });
const someQuery = fc.array(item, { minLength: 1, maxLength: 10 });
const someParams = fc.record({
  queryDecay: fc.constantFrom(1, 4, 20),
  sessionDecayDays: fc.constantFrom(2, 100),
  neighbourDecay: fc.constantFrom(1, 3),
  before: fc.constantFrom(0, 0.7, 1),
  repeat: fc.constantFrom(0, 1, 4),
  anchorPower: fc.constantFrom(0, 0.5, 1),
  idfInSimilarity: fc.constantFrom(0, 1, 4),
  idfInScore: fc.constantFrom(0, 1),
  lengthNormalisation: fc.constantFrom(0, 0.5),
  sharpness: fc.constantFrom(1, 1.5),
});

/** The formulas of the file's header, written out over all sessions. */
function byTheBook(sessions: number[][], query: number[], params: SessionParams): number[] {
  const newest = sessions.length - 1;
  const idf = Array.from({ length: PRODUCTS }, (_, p) => {
    const holding = sessions.filter((session) => session.includes(p)).length;
    return holding === 0 ? 0 : Math.log(1 + sessions.length / holding) / Math.log(1 + sessions.length);
  });
  const weight = (p: number) => Math.exp(-(query.length - 1 - query.lastIndexOf(p)) / params.queryDecay);
  const scores = new Array<number>(PRODUCTS).fill(0);
  for (const [s, session] of sessions.entries()) {
    const isListed = (p: number) =>
      session.includes(p) && sessions.slice(s + 1).filter((newer) => newer.includes(p)).length < params.sessionsPerItem;
    const shared = [...new Set(query)].filter(isListed);
    if (shared.length === 0) continue;
    shared.sort((a, b) => query.lastIndexOf(b) - query.lastIndexOf(a));
    const anchor = shared[0]!;
    const at = session.lastIndexOf(anchor);
    const overlap = shared.reduce((sum, p) => sum + weight(p) * idf[p]! ** params.idfInSimilarity, 0);
    const age = Math.exp(-(newest - s) / params.sessionDecayDays);
    const similarity = (overlap ** params.sharpness * age) / session.length ** params.lengthNormalisation;
    for (const [place, p] of session.entries()) {
      const steps = Math.abs(place - at) - 1;
      const side = place < at ? params.before : 1;
      const closeness = p === anchor ? params.repeat : side * Math.exp(-steps / params.neighbourDecay);
      scores[p]! += similarity * weight(anchor) ** params.anchorPower * closeness * idf[p]! ** params.idfInScore;
    }
  }
  return scores;
}

describe("the session recommender", () => {
  it("scores every product as the formulas say", () => {
    fc.assert(
      fc.property(someSessions, someQuery, someParams, (sessions, query, some) => {
        const params = { ...BROWSING, ...some };
        const found = createSessionRecommender(fit(rowsFrom(sessions), params, PRODUCTS)).recommend(
          items(...query),
          PRODUCTS,
        );
        const expected = byTheBook(sessions, query, params);
        expect(found.indices).toHaveLength(expected.filter((score) => score > 0).length);
        for (const [i, p] of found.indices.entries()) {
          expect(Math.abs(found.scores[i]! / expected[p]! - 1)).toBeLessThan(1e-5);
        }
      }),
    );
  });

  it("answers the same without the sessions that no product lists", () => {
    fc.assert(
      fc.property(fc.array(someSessions, { minLength: 4, maxLength: 8 }), someQuery, (many, query) => {
        const sessions = many.flat();
        const params = { ...BROWSING, sessionsPerItem: 3 };
        const model = fit(rowsFrom(sessions), params, PRODUCTS);
        const listed = sessions.filter((session, n) =>
          session.some((p) => sessions.slice(n + 1).filter((newer) => newer.includes(p)).length < 3),
        );
        expect(Array.from({ length: rowCount(model.sessions) }, (_, row) => [...rowOf(model.sessions, row)])).toEqual(
          listed,
        );
        expect(model.learned).toBe(sessions.length);
        const found = createSessionRecommender(model).recommend(items(...query), PRODUCTS);
        const expected = byTheBook(sessions, query, params);
        expect(found.indices).toHaveLength(expected.filter((score) => score > 0).length);
        for (const [i, p] of found.indices.entries())
          expect(Math.abs(found.scores[i]! / expected[p]! - 1)).toBeLessThan(1e-5);
      }),
    );
  });

  it("reads a section of before sessions were left out", () => {
    const model = fit(rowsFrom(VISITS));
    const section = encodeSessionNeighbours(model);
    const { learned: _, ...numbers } = section.numbers;
    expect(decodeSessionNeighbours({ ...section, numbers })).toEqual(model);
  });

  it("answers the same after decoding, and again after other queries", () => {
    fc.assert(
      fc.property(someSessions, someQuery, someQuery, (sessions, query, other) => {
        const strengths = Float32Array.from(sessions.flat(), (_, i) => 1 + (i % 3));
        const endedAt = Float64Array.from(sessions, (_, s) => s * DAY);
        const model = fitSessionNeighbours({ sessions: rowsFrom(sessions), endedAt, strengths }, PRODUCTS);
        const first = createSessionRecommender(model);
        const decoded = createSessionRecommender(decodeSessionNeighbours(encodeSessionNeighbours(model)));
        decoded.recommend(items(...other), 3);
        decoded.explain(items(...other), 3);
        expect(decoded.recommend(items(...query), 5)).toEqual(first.recommend(items(...query), 5));
      }),
    );
  });

  it("explains exactly the products it proposes", () => {
    fc.assert(
      fc.property(someSessions, someQuery, (sessions, query) => {
        const recommender = createSessionRecommender(fit(rowsFrom(sessions), {}, PRODUCTS));
        const proposed = new Set(recommender.recommend(items(...query), PRODUCTS).indices);
        for (let p = 0; p < PRODUCTS; p++) {
          const reason = recommender.explain(items(...query), p);
          expect(reason !== undefined).toBe(proposed.has(p));
          for (const because of reason?.becauseOf ?? []) expect(query).toContain(because);
        }
      }),
    );
  });

  it("rejects sections of another format or with a part missing", () => {
    const section = encodeSessionNeighbours(fit(rowsFrom(VISITS)));
    expect(() => decodeSessionNeighbours({ ...section, formatNumber: 2 })).toThrow(/format 2/);
    const { postings: _, ...arrays } = section.arrays;
    expect(() => decodeSessionNeighbours({ ...section, arrays })).toThrow(/postings/);
    const { k: __, ...numbers } = section.numbers;
    expect(() => decodeSessionNeighbours({ ...section, numbers })).toThrow(/k/);
    const short = { ...section.arrays, items: new Uint32Array(1) };
    expect(() => decodeSessionNeighbours({ ...section, arrays: short })).toThrow(/offsets/);
  });
});
