import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hnswIndexes } from "../../../src/adapters/hnsw/vector-indexes.js";
import { idAt } from "../../../src/domain/ids.js";
import type { Interaction, InteractionType, VisitorHistory } from "../../../src/domain/interaction.js";
import { loadServingModel } from "../../../src/learning/model/serving-model.js";
import type { ServingModel, SourceQuery } from "../../../src/learning/model/source.js";
import { trainModel } from "../../../src/learning/training/train-model.js";
import type { EventStore } from "../../../src/store/ports/event-store.js";
import { bareProduct } from "../../fixtures/bare-product.js";
import { RUNS } from "../../fixtures/runs.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 0, 1);
/** The training reads the store here. */
const TRAINED = START + 60 * HOUR;
const PRODUCTS = 10;
const HALF_LIFE_MS = 30 * 24 * HOUR;

const productId = (n: number) => `p${n}`;
let events = 0;

function interaction(at: number, type: InteractionType, ...products: number[]): Interaction {
  const ref = type === "order" ? `order:${++events}` : `${idAt(at)}${++events}`;
  return { type, at, productIds: products.map(productId), ref };
}

/** Sixty visitors of two products each, an hour apart; enough for session neighbours. */
const OLD: readonly VisitorHistory[] = Array.from({ length: 60 }, (_, n) => ({
  visitorId: `old-${n}`,
  interactions: [0, 1].map((step) =>
    interaction(START + n * HOUR + step * MINUTE, "product_view", (n * (step + 1)) % PRODUCTS),
  ),
}));

/** Trains on what was stored up to a time. */
async function train(histories: readonly VisitorHistory[], until: number): Promise<ServingModel> {
  const stored = histories
    .map(({ visitorId, interactions }) => ({ visitorId, interactions: interactions.filter(({ at }) => at <= until) }))
    .filter(({ interactions }) => interactions.length > 0)
    .sort((a, b) => (a.visitorId < b.visitorId ? -1 : 1));
  const newest: Pick<EventStore, "list"> = {
    // Only the time of the id is read.
    list: async () => [{ eventId: `${idAt(until)}7000` }] as Awaited<ReturnType<EventStore["list"]>>,
  };
  const { bytes } = await trainModel({
    appId: "shop",
    products: {
      async *scan() {
        yield Array.from({ length: PRODUCTS }, (_, n) => bareProduct(productId(n)));
      },
    },
    interactions: {
      async *scan() {
        yield stored;
      },
    },
    events: newest,
    vectorIndexes: hnswIndexes(),
    learnedOrder: false,
    onProgress: () => undefined,
  });
  return loadServingModel("m", bytes, hnswIndexes());
}

function queryOf(...items: number[]): SourceQuery {
  const session = {
    items: Uint32Array.from(items),
    weights: new Float32Array(items.length).fill(1),
    runs: new Uint32Array(items.length).fill(1),
  };
  const last = Uint32Array.from(items.slice(-1));
  return { session, antecedents: last, basket: last, hasCart: false, anchor: last };
}

/** Scores of session neighbours: for visits, and for alternatives to each product, which are cached. */
function scoresOf(model: ServingModel): Map<string, number> {
  const source = model.sources.find(({ name }) => name === "collaborative")!;
  const scores = new Map<string, number>();
  for (let n = 0; n < PRODUCTS; n++) {
    for (const [list, { indices, scores: its }] of [
      ["complements", source.complements(queryOf((n + 3) % PRODUCTS, n), PRODUCTS)],
      ["alternatives", source.alternatives(queryOf(n), PRODUCTS)],
    ] as const)
      for (const [i, product] of indices.entries()) scores.set(`${list} ${n} ${product}`, its[i]!);
  }
  return scores;
}

function expectAlike(live: ServingModel, fitted: ServingModel, passedMs: number): void {
  const [found, wanted] = [scoresOf(live), scoresOf(fitted)];
  expect([...found.keys()].sort()).toEqual([...wanted.keys()].sort());
  for (const [key, score] of wanted) expect(found.get(key)! / score).toBeCloseTo(1, 3);
  // Popularity counts from the training's own cut-off: all scores have one factor.
  const factor = 2 ** (-passedMs / HALF_LIFE_MS);
  for (const [product, score] of fitted.popularity.entries())
    expect(live.popularity[product]! * factor).toBeCloseTo(score, 3);
}

const indexIn = (model: ServingModel) => (id: string) => model.indexOf(id);
const cutOffOf = (histories: readonly VisitorHistory[], until: number) =>
  Math.max(...histories.flatMap(({ interactions }) => interactions.map(({ at }) => at)).filter((at) => at <= until));

const STEP = fc.record({
  visitor: fc.nat(5),
  minutes: fc.integer({ min: 1, max: 45 }),
  type: fc.constantFrom<InteractionType>("product_view", "product_view", "add_to_cart", "order"),
  products: fc.uniqueArray(fc.nat(PRODUCTS - 1), { minLength: 1, maxLength: 3 }),
});

/** Histories of a few visitors around the training, some of whose sessions were under way then. */
function historiesOf(steps: readonly (typeof STEP extends fc.Arbitrary<infer T> ? T : never)[]): VisitorHistory[] {
  const byVisitor = new Map<number, Interaction[]>();
  let at = TRAINED - 60 * MINUTE;
  for (const { visitor, minutes, type, products } of steps) {
    at += (minutes * MINUTE) / 5;
    byVisitor.set(visitor, [...(byVisitor.get(visitor) ?? []), interaction(at, type, ...products)]);
  }
  return [...byVisitor].map(([visitor, interactions]) => ({ visitorId: `new-${visitor}`, interactions }));
}

describe("a model that learned events after its training", () => {
  it("scores session neighbours and popularity as one trained on all of them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 1, maxLength: 40 }), async (steps) => {
        const histories = [...OLD, ...historiesOf(steps)];
        const live = await train(histories, TRAINED);
        const last = Math.max(...histories.flatMap(({ interactions }) => interactions.map(({ at }) => at)), TRAINED);
        // As events come: each history that changed is read anew.
        const news = histories
          .flatMap(({ visitorId, interactions }) => interactions.map(({ at }) => ({ visitorId, at })))
          .filter(({ at }) => at > TRAINED)
          .sort((a, b) => a.at - b.at);
        scoresOf(live); // fills the cache
        for (const { visitorId, at } of news) {
          const { interactions } = histories.find((history) => history.visitorId === visitorId)!;
          live.live!.learn(
            visitorId,
            interactions.filter((one) => one.at <= at),
            indexIn(live),
          );
        }
        while (live.live!.sweep(3)) {}
        const passed = cutOffOf(histories, last) - cutOffOf(histories, TRAINED);
        expectAlike(live, await train(histories, last), passed);
      }),
      { numRuns: RUNS.few },
    );
  });

  it("forgets a visitor whose history is gone from the store, also a visit that was under way at the training", async () => {
    const visitor: VisitorHistory = {
      visitorId: "v",
      interactions: [
        interaction(TRAINED - 5 * MINUTE, "product_view", 1),
        interaction(TRAINED + MINUTE, "product_view", 9),
        interaction(TRAINED + 2 * MINUTE, "order", 9, 4),
      ],
    };
    const live = await train([...OLD, visitor], TRAINED);
    live.live!.learn("v", visitor.interactions, indexIn(live));
    live.live!.learn("v", [], indexIn(live));
    while (live.live!.sweep(100)) {}
    const found = scoresOf(live);
    const wanted = scoresOf(await train(OLD, TRAINED));
    // A model that never met the visitor counts ages from an earlier time: all scores share a factor.
    expect([...found.keys()].sort()).toEqual([...wanted.keys()].sort());
    const factors = [...wanted].map(([key, score]) => found.get(key)! / score);
    expect(Math.max(...factors) / Math.min(...factors)).toBeCloseTo(1, 3);
  });

  it("keeps the newest histories when there are more than it has room for", async () => {
    const live = await train(OLD, TRAINED);
    const before = live.live!.historyIds.length;
    expect(before).toBe(0);
    for (let n = 0; n < 1100; n++)
      live.live!.learn(`v${n}`, [interaction(TRAINED + n, "product_view", n % PRODUCTS)], indexIn(live));
    const kept = live.live!.historyIds;
    expect(kept).toHaveLength(1024);
    expect(kept[0]).toBe("v76");
  });
});
