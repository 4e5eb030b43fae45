import { bareApp } from "../../src/domain/app.js";
import { DEFAULT_FRAME, type FrameConfiguration } from "../../src/domain/frame.js";
import { arrivalOf, type Product } from "../../src/domain/product.js";
import { NO_FILTER } from "../../src/domain/product-filter.js";
import { type Candidates, NO_CANDIDATES } from "../../src/learning/common/candidates.js";
import type { ServingModel, Source } from "../../src/learning/sources/source.js";
import type { Catalog } from "../../src/recommend/products/catalog.js";
import { createRecommender } from "../../src/recommend/recommend.js";
import { BLANK_QUERY, type RecommendQuery } from "../../src/recommend/request/query.js";
import type { Situation } from "../../src/recommend/request/situation.js";
import { bareProduct } from "../fixtures/bare-product.js";
import { unexpectedFailure } from "../fixtures/failures.js";
import { countingMetrics } from "../fixtures/metrics.js";
import { NOON } from "../fixtures/store.js";

// The shop: twelve products p0 … p11, most popular first. Sessions propose p1 p2 p3, carts p5 p6, texts p9 p8 p7 as
// alternatives.
export const IDS = Array.from({ length: 12 }, (_, i) => `p${i}`);

export function shopProduct(productId: string, more: Partial<Product> = {}): Product {
  return bareProduct(productId, { title: `Title of ${productId}`, updatedAt: NOON, ...more });
}

export function catalogOf(products: readonly Product[]): Catalog {
  const byId = new Map(products.map((product) => [product.productId, product]));
  return {
    size: products.length,
    hasTitles: products.some((product) => product.title !== ""),
    get: (productId) => byId.get(productId),
    idOfSku: (sku) => products.find((product) => product.sku === sku)?.productId,
    variantsOf: (groupId) => {
      const found = products.filter((product) => product.variantGroupId === groupId);
      return found.length === 0 ? undefined : new Set(found.map((product) => product.productId));
    },
    group: (groupId) => {
      const found = products.filter((product) => product.categories.some((c) => c.categoryId === groupId));
      return found.length === 0 ? undefined : new Set(found.map((product) => product.productId));
    },
    pricedWithin: () => [new Set(byId.keys())],
    arrivals: () => [...byId].map(([id, product]) => [id, arrivalOf(product)] as const),
    products: () => byId.values(),
    ids: () => byId.keys(),
  };
}

export function ranked(indices: readonly number[]): Candidates {
  return { indices: Uint32Array.from(indices), scores: Float64Array.from(indices, (_, i) => 1 / (i + 1)) };
}

export function source(name: Source["name"], complements: Candidates, alternatives: Candidates): Source {
  return { name, complements: () => complements, alternatives: () => alternatives, explain: () => undefined };
}

const SOURCES = [
  source("collaborative", ranked([1, 2, 3]), NO_CANDIDATES),
  source("cart", ranked([5, 6]), NO_CANDIDATES),
  source("semantic", NO_CANDIDATES, ranked([9, 8, 7])),
];

export function modelOf(ids: readonly string[], sources: readonly Source[] = SOURCES): ServingModel {
  const indices = new Map(ids.map((id, index) => [id, index]));
  return {
    modelId: "m1",
    productIds: ids,
    indexOf: (productId) => indices.get(productId),
    sources,
    byPopularity: Uint32Array.from(ids.keys()),
    popularity: Float32Array.from(ids, (_, i) => ids.length - i),
  };
}

/** Asks for 3 + 3 products of a frame that differs from the default one by `frame`. */
export function ask(
  frame: Partial<FrameConfiguration>,
  query: Partial<RecommendQuery> = {},
  more: Partial<Situation> = {},
) {
  const situation: Situation = {
    query: { ...BLANK_QUERY, appId: "shop", ...query },
    frame: { ...DEFAULT_FRAME, recommendedCount: 3, alternativeCount: 3, ...frame },
    known: [],
    catalog: catalogOf(IDS.map((id) => shopProduct(id))),
    model: modelOf(IDS),
    filters: [query.filter ?? NO_FILTER, frame.filter ?? NO_FILTER],
    app: bareApp("shop", 0),
    version: "2026112112",
    now: NOON,
    ...more,
  };
  const answer = createRecommender({ metrics: countingMetrics(), reportFailure: unexpectedFailure })(situation, true);
  const ids = (products: readonly Product[]) => products.map((product) => product.productId).join(" ");
  return { answer, recommended: ids(answer.recommended), alternative: ids(answer.alternative) };
}
