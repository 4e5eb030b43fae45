/**
 * Filters that few products pass: how near the answer is to the exact one, and what it costs beside no filter.
 *
 *     npm run bench -- filters [--products 50000,200000] [--queries 300]
 *
 * A made-up shop: products in 500 clusters of text vectors (64 numbers), sessions that mostly stay within one, and tags
 * that a product has by chance, so that they say nothing of what is alike: the hard case for a search by nearness. The
 * exact answer is made without the filter from a shop that has nothing but what passes: each source orders all products,
 * by looking at every vector. Recall is the share of its first ten that the answer has, over both lists. Times are of the
 * processor, so that what else the machine does counts little.
 */
import { parseArgs } from "node:util";
import { exactIndex } from "../src/adapters/hnsw/exact-index.js";
import { hnswIndexes } from "../src/adapters/hnsw/vector-indexes.js";
import type { VectorIndex } from "../src/adapters/vector-index.js";
import { type CatalogView, createCatalogViews } from "../src/catalog/catalog-view.js";
import { bareApp } from "../src/domain/app.js";
import { DEFAULT_FRAME } from "../src/domain/frame.js";
import type { Product } from "../src/domain/product.js";
import { NO_FILTER, type ProductFilter } from "../src/domain/product-filter.js";
import type { Candidates } from "../src/learning/common/candidates.js";
import { createRandom } from "../src/learning/common/random.js";
import type { ServingModel, Source } from "../src/learning/model/source.js";
import { collaborativeSource } from "../src/learning/model/sources/collaborative.js";
import { semanticSource } from "../src/learning/model/sources/semantic.js";
import { fitSessionNeighbours } from "../src/learning/session/session-neighbours.js";
import { fitEmbedder } from "../src/learning/text/embedder.js";
import { BLANK_QUERY } from "../src/recommend/query.js";
import { createRecommender } from "../src/recommend/recommend.js";
import { bareProduct } from "../test/fixtures/bare-product.js";

const DIMENSIONS = 64;
const CLUSTERS = 500;
const SHARES = [0.1, 0.01, 0.001];
const NAMES = SHARES.map((share) => `${100 * share} %`);
const NOW = Date.UTC(2026, 10, 21);

function shopOf(count: number, random: () => number) {
  const centres = Float32Array.from({ length: CLUSTERS * DIMENSIONS }, () => random() - 0.5);
  const clusterOf = (product: number) => product % CLUSTERS;
  const vectors = new Float32Array(count * DIMENSIONS);
  for (let p = 0; p < count; p++) {
    let squares = 0;
    for (let d = 0; d < DIMENSIONS; d++) {
      const value = centres[clusterOf(p) * DIMENSIONS + d]! + (random() - 0.5) * 0.7;
      vectors[p * DIMENSIONS + d] = value;
      squares += value * value;
    }
    for (let d = 0; d < DIMENSIONS; d++) vectors[p * DIMENSIONS + d]! /= Math.sqrt(squares);
  }
  const sessions = count;
  const offsets = Uint32Array.from({ length: sessions + 1 }, (_, s) => s * 5);
  const items = Uint32Array.from({ length: sessions * 5 }, (_, i) => {
    const cluster = Math.floor(i / 5) % CLUSTERS;
    return random() < 0.8
      ? Math.floor(random() * Math.floor(count / CLUSTERS)) * CLUSTERS + cluster
      : Math.floor(random() * count);
  });
  const endedAt = Float64Array.from({ length: sessions }, (_, s) => NOW - (sessions - s) * 1000);
  const products = Array.from({ length: count }, (_, p) =>
    bareProduct(`p${p}`, {
      title: "A title",
      tags: SHARES.filter(() => random() < 1).flatMap((share, n) => (random() < share ? [NAMES[n]!] : [])),
      price: { amount: (5 * 200 ** random()).toFixed(2), currency: "EUR" },
    }),
  );
  return { vectors, products, sessions: fitSessionNeighbours({ sessions: { offsets, items }, endedAt }, count) };
}

type Shop = ReturnType<typeof shopOf>;

function modelOf({ vectors, products, sessions }: Shop, index: VectorIndex): ServingModel {
  const productIds = products.map(({ productId }) => productId);
  const indexOf = new Map(productIds.map((productId, n) => [productId, n]));
  const embedder = fitEmbedder([{ title: "A title", description: "", brand: "", categories: [] }], { seed: 1 });
  const rows = Uint32Array.from(productIds.keys());
  const popularity = Float32Array.from(productIds, (_, n) => 1 / (1 + ((n * 7919) % productIds.length)));
  return {
    modelId: "m",
    productIds,
    indexOf: (productId) => indexOf.get(productId),
    sources: [
      collaborativeSource(sessions, undefined),
      semanticSource({ embedder, textDimensions: 0, rows, vectors, index }, productIds.length),
    ],
    popularity,
    byPopularity: rows.slice().sort((a, b) => popularity[b]! - popularity[a]! || a - b),
  };
}

/** The model of a shop that has nothing but what passes, whose sources put all of it in order. */
function exactly(model: ServingModel, passes: (index: number) => boolean): ServingModel {
  const all = model.productIds.length;
  const kept = ({ indices, scores }: Candidates): Candidates => {
    const places = [...indices.keys()].filter((i) => passes(indices[i]!));
    return {
      indices: Uint32Array.from(places, (i) => indices[i]!),
      scores: Float64Array.from(places, (i) => scores[i]!),
    };
  };
  const sources = model.sources.map(
    (source): Source => ({
      ...source,
      complements: (query) => kept(source.complements(query, all)),
      alternatives: (query) => kept(source.alternatives(query, all)),
    }),
  );
  return { ...model, sources, byPopularity: model.byPopularity.filter(passes) };
}

const viewOf = (products: readonly Product[]) =>
  createCatalogViews(
    {
      async *scan() {
        yield products;
      },
      watch: () => () => {},
    },
    Date.now,
  ).of("bench");

function percentiles(times: readonly number[]): string {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(2);
  return `${at(0.5)} | ${at(0.99)}`;
}

async function measure(count: number, queries: number): Promise<void> {
  const random = createRandom(1);
  const shop = shopOf(count, random);
  const params = { m: 16, efConstruction: 100, efSearch: 100, seed: 1 };
  const model = modelOf(shop, hnswIndexes().build(shop.vectors, DIMENSIONS, params));
  const exactModel = modelOf(shop, exactIndex(shop.vectors, DIMENSIONS));
  const recommend = createRecommender({ metrics: { count() {}, observe() {} }, reportFailure() {} });
  const app = bareApp("bench", 0);
  const catalog = await viewOf(shop.products);
  const ask = (n: number, filter: ProductFilter, asked: ServingModel, from: CatalogView) => {
    const at = (step: number) =>
      `p${((n * 7919) % CLUSTERS) + CLUSTERS * ((n + step * 13) % Math.floor(count / CLUSTERS))}`;
    const interactions = [1, 2, 3].map((step) => ({
      type: "product_view" as const,
      productId: at(step),
      sku: "",
      at: NOW - step * 60_000,
    }));
    const query = { ...BLANK_QUERY, interactions, currentProductIds: [at(0)] };
    const begun = process.cpuUsage();
    const answer = recommend(
      {
        query,
        frame: DEFAULT_FRAME,
        known: [],
        catalog: from,
        model: asked,
        filters: [filter],
        app,
        version: "",
        now: NOW,
      },
      false,
    );
    const { user, system } = process.cpuUsage(begun);
    return { ms: (user + system) / 1000, answer };
  };
  const price = { min: "100", max: "110", currency: "EUR" };
  const filters: readonly (readonly [string, ProductFilter])[] = [
    ["none", NO_FILTER],
    ...NAMES.map((name) => [`tag, ${name}`, { ...NO_FILTER, anyGroup: [name] }] as const),
    ["price, 1.8 %", { ...NO_FILTER, price }],
    ["10 % and 1 %", { ...NO_FILTER, allGroups: [NAMES[0]!, NAMES[1]!] }],
  ];
  const times = new Map(filters.map(([name]) => [name, [] as number[]]));
  // In turns, so that whatever else the machine does meets all of them alike.
  for (let n = 0; n < queries * 2; n++)
    for (const [name, filter] of filters) {
      const { ms } = ask(n, filter, model, catalog);
      if (n >= queries / 2) times.get(name)?.push(ms);
    }
  for (const [name, filter] of filters) {
    const passing = shop.products.filter(
      ({ tags, price: { amount } }) =>
        (filter.anyGroup.length === 0 || filter.anyGroup.some((tag) => tags.includes(tag))) &&
        filter.allGroups.every((tag) => tags.includes(tag)) &&
        (filter.price === null || (Number(amount) >= 100 && Number(amount) <= 110)),
    );
    const ids = new Set(passing.map(({ productId }) => productId));
    const few: CatalogView = {
      size: passing.length,
      hasTitles: true,
      get: (productId) => catalog.get(productId),
      idOfSku: () => undefined,
      variantsOf: () => undefined,
      group: () => undefined,
      pricedWithin: () => [],
      arrivals: () => catalog.arrivals(),
      products: () => passing.values(),
      ids: () => ids.values(),
      revision: 0,
      changedSince: () => [],
    };
    const exact = exactly(exactModel, (index) => ids.has(exactModel.productIds[index]!));
    let wanted = 0;
    let found = 0;
    let shown = 0;
    const sample = Math.min(queries, 50);
    for (let n = 0; n < sample; n++) {
      const right = ask(n, NO_FILTER, exact, few).answer;
      const given = ask(n, filter, model, catalog).answer;
      for (const list of ["recommended", "alternative"] as const) {
        const there = new Set(given[list].map(({ productId }) => productId));
        wanted += right[list].length;
        shown += there.size;
        found += right[list].filter(({ productId }) => there.has(productId)).length;
      }
    }
    const row = [
      count.toLocaleString("en"),
      name,
      passing.length.toLocaleString("en"),
      (found / wanted).toFixed(3),
      (shown / sample).toFixed(1),
      percentiles(times.get(name) ?? []),
    ];
    console.log(`| ${row.join(" | ")} |`);
  }
}

const { values } = parseArgs({
  options: { products: { type: "string", default: "50000,200000" }, queries: { type: "string", default: "300" } },
});
console.log(
  "| products | filter | pass | recall@10 | shown of 20 | p50, CPU ms | p99 |\n|---|---|---|---|---|---|---|",
);
for (const count of values.products.split(",")) await measure(Number(count), Number(values.queries));
