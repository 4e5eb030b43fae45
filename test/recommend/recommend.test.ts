import { describe, expect, it } from "vitest";
import { bareApp } from "../../src/domain/app.js";
import { DEFAULT_FRAME } from "../../src/domain/frame.js";
import type { Interaction } from "../../src/domain/interaction.js";
import type { Product } from "../../src/domain/product.js";
import { NO_FILTER } from "../../src/domain/product-filter.js";
import { NO_CANDIDATES } from "../../src/learning/common/candidates.js";
import type { ServingModel, Source } from "../../src/learning/sources/source.js";
import { createRecommender } from "../../src/recommend/recommend.js";
import { BLANK_QUERY, type RecommendQuery } from "../../src/recommend/request/query.js";
import type { Situation } from "../../src/recommend/request/situation.js";
import { bareProduct } from "../fixtures/bare-product.js";
import { passedOver } from "../fixtures/failures.js";
import { countingMetrics } from "../fixtures/metrics.js";
import { NOON } from "../fixtures/store.js";
import { catalogOf, modelOf, ranked, source } from "./frame-shop.js";

// The shop: ten products p0 … p9, most popular first. Sessions propose p1 p2 p3 …, texts propose p9 p8 p7 …
const IDS = Array.from({ length: 10 }, (_, i) => `p${i}`);

function shopProduct(productId: string, more: Partial<Product> = {}): Product {
  return bareProduct(productId, {
    sku: `sku-${productId}`,
    title: `Title of ${productId}`,
    categories: [{ categoryId: productId < "p5" ? "low" : "high", name: "" }],
    updatedAt: NOON,
    ...more,
  });
}

const SOURCES = [
  source("collaborative", ranked([1, 2, 3]), NO_CANDIDATES),
  source("semantic", NO_CANDIDATES, ranked([9, 8, 7, 1])),
];

function model(sources: readonly Source[] = SOURCES): ServingModel {
  return modelOf(IDS, sources);
}

const QUERY: RecommendQuery = { ...BLANK_QUERY, appId: "shop", recommendedCount: 3, alternativeCount: 3 };

function ask(query: Partial<RecommendQuery> = {}, more: Partial<Situation> = {}) {
  const metrics = countingMetrics();
  const situation: Situation = {
    query: { ...QUERY, ...query },
    frame: DEFAULT_FRAME,
    known: [],
    catalog: catalogOf(IDS.map((id) => shopProduct(id))),
    model: model(),
    filters: [query.filter ?? NO_FILTER],
    app: bareApp("shop", 0),
    version: "2026112112",
    now: NOON,
    ...more,
  };
  const answer = createRecommender({ metrics, reportFailure: passedOver })(situation, false);
  const ids = (products: readonly Product[]) => products.map((product) => product.productId).join(" ");
  return { answer, recommended: ids(answer.recommended), alternative: ids(answer.alternative), metrics };
}

const step = (type: Interaction["type"], productId: string, at: number) => ({ type, productId, sku: "", at });

describe("a source whose ranking was learned for the situation", () => {
  it("keeps its ranking, and other sources only fill the end", () => {
    const learned = { ...source("cart", ranked([6, 1, 7]), NO_CANDIDATES), isLearned: () => true };
    const others = source("collaborative", ranked([7, 8]), NO_CANDIDATES);
    const query = { recommendedCount: 4, alternativeCount: 0 };
    expect(ask(query, { model: model([others, learned]) }).recommended).toBe("p6 p1 p7 p8");
  });
});

describe("an answer", () => {
  it("has recommended and alternative from their sources, without a product in both", () => {
    expect(ask()).toMatchObject({ recommended: "p1 p2 p3", alternative: "p9 p8 p7" });
  });

  it("is filled with popular products where the sources propose too few", () => {
    expect(ask({ recommendedCount: 5 }).recommended).toBe("p1 p2 p3 p0 p4");
  });

  it("has no merely popular product in recommended while alternative needs it", () => {
    const sources = [source("semantic", NO_CANDIDATES, ranked([0, 1, 2]))];
    const shown = ask({ recommendedCount: 4 }, { model: model(sources) });
    expect(shown).toMatchObject({ recommended: "p3 p4 p5 p6", alternative: "p0 p1 p2" });
  });

  it("has such products in recommended, the least similar first, when nothing else is left", () => {
    const sources = [source("semantic", NO_CANDIDATES, ranked([0, 1, 2]))];
    const shown = ask({ recommendedCount: 9, alternativeCount: 2 }, { model: model(sources) });
    expect(shown).toMatchObject({ recommended: "p3 p4 p5 p6 p7 p8 p9 p2 p1", alternative: "p0" });
  });

  it("leaves alternative its share when there are fewer products than both lists want", () => {
    const both = { recommendedCount: 10, alternativeCount: 10 };
    expect(ask(both)).toMatchObject({ recommended: "p1 p2 p3 p0 p4 p5", alternative: "p9 p8 p7 p6" });
    const none = { model: model([SOURCES[0]!]) };
    expect(ask(both, none)).toMatchObject({ recommended: "p1 p2 p3 p0 p4 p5 p6 p7 p8 p9", alternative: "" });
    const catalog = catalogOf(["p0", "p8", "p9"].map((id) => shopProduct(id)));
    expect(ask(both, { catalog })).toMatchObject({ recommended: "p0 p8", alternative: "p9" });
    expect(ask({ recommendedCount: 10, alternativeCount: 0 }).answer.recommended).toHaveLength(10);
    expect(ask({ recommendedCount: 0, alternativeCount: 10 }).answer.alternative).toHaveLength(10);
  });

  it("leaves out the current product and names it as the tracker product", () => {
    const { answer, recommended } = ask({ currentProductIds: ["p1"] });
    expect(recommended).toBe("p2 p3 p0");
    expect(answer.trackerProduct).toMatchObject({ productId: "p1", known: { title: "Title of p1" } });
  });

  it("reports a current product that the catalogue does not know", () => {
    const { answer } = ask({ currentProductIds: ["nobody"] });
    expect(answer.trackerProduct).toEqual({ productId: "nobody", known: undefined });
    expect(answer.missingIds).toEqual(["nobody"]);
  });

  it("leaves out cart additions since the last order and within 24 hours", () => {
    const hour = 3600_000;
    const interactions = [
      step("add_to_cart", "p3", NOON - 30 * hour),
      step("add_to_cart", "p2", NOON - 2 * hour),
      step("order", "p8", NOON - hour),
      step("add_to_cart", "p1", NOON - 1000),
    ];
    expect(ask({ interactions }).recommended).toBe("p2 p3 p0");
    expect(ask({ interactions }).alternative).toBe("p9 p7 p4");
  });

  it("leaves out bought products, known from the client or the server", () => {
    const known: Interaction[] = [{ type: "order", at: NOON - 1000, productIds: ["p2", "p9"], ref: "order:1" }];
    expect(ask({}, { known })).toMatchObject({ recommended: "p1 p3 p0", alternative: "p8 p7 p5" });
  });

  it("shows viewed products only when nothing else is left", () => {
    const interactions = ["p1", "p2"].map((id, i) => step("product_view", id, NOON - 9000 + i));
    expect(ask({ interactions }).recommended).toBe("p3 p0 p4");
    const all = ask({ interactions, recommendedCount: 10, alternativeCount: 0 }).recommended;
    expect(all).toBe("p3 p0 p4 p5 p6 p7 p8 p9 p1 p2");
  });

  it("is based on the text of a current product that is newer than the model", () => {
    const told: unknown[] = [];
    const asking: Source = {
      ...source("semantic", NO_CANDIDATES, NO_CANDIDATES),
      alternatives: ({ unseen }) => {
        told.push(unseen);
        return NO_CANDIDATES;
      },
    };
    const catalog = catalogOf([...IDS, "new"].map((id) => shopProduct(id)));
    ask({ currentProductIds: ["new", "p1"] }, { catalog, model: model([asking]) });
    // Once for products that stand in for it, once for alternatives.
    const text = { title: "Title of new", description: "", brand: "", categories: ["low"] };
    expect(told).toEqual([[text], [text]]);
  });

  it("includes current and viewed products with include_viewed", () => {
    const frame = { ...DEFAULT_FRAME, includeViewed: true };
    const interactions = [step("product_view", "p2", NOON - 9000)];
    expect(ask({ interactions, currentProductIds: ["p1"] }, { frame }).recommended).toBe("p1 p2 p3");
  });

  it("includes the current product with include_viewed also when it has variants", () => {
    const frame = { ...DEFAULT_FRAME, includeViewed: true };
    const catalog = catalogOf(IDS.map((id) => shopProduct(id, { variantGroupId: id < "p3" ? "a" : "" })));
    expect(ask({ currentProductIds: ["p1"] }, { frame, catalog }).recommended).toBe("p1 p3 p4");
  });

  it("includes bought products with include_bought", () => {
    const frame = { ...DEFAULT_FRAME, includeBought: true };
    expect(ask({ interactions: [step("order", "p1", NOON - 9000)] }, { frame }).recommended).toBe("p1 p2 p3");
  });

  it.each([
    ["unavailable", { available: false }],
    ["hidden", { hidden: true }],
    ["untitled (in a shop with titles)", { title: "" }],
  ])("leaves out products that are %s", (_name, more) => {
    const catalog = catalogOf(IDS.map((id) => shopProduct(id, id === "p1" || id === "p9" ? more : {})));
    expect(ask({}, { catalog })).toMatchObject({ recommended: "p2 p3 p0", alternative: "p8 p7 p4" });
  });

  it("includes untitled products in a shop that knows only ids", () => {
    const catalog = catalogOf(IDS.map((id) => shopProduct(id, { title: "" })));
    expect(ask({}, { catalog }).recommended).toBe("p1 p2 p3");
  });

  it("shows one variant of a product, and none of the current one", () => {
    const group = (id: string) => (["p1", "p2", "p9"].includes(id) ? "a" : ["p3", "p0"].includes(id) ? "b" : "");
    const catalog = catalogOf(IDS.map((id) => shopProduct(id, { variantGroupId: group(id) })));
    expect(ask({}, { catalog })).toMatchObject({ recommended: "p1 p3 p4", alternative: "p8 p7 p5" });
    expect(ask({ currentProductIds: ["p2"] }, { catalog }).recommended).toBe("p3 p4 p5");
  });

  it("keeps to the groups asked for, and reports unknown ones", () => {
    const { recommended, alternative, answer } = ask({ filter: { ...NO_FILTER, anyGroup: ["high", "nothing"] } });
    expect([recommended, alternative]).toEqual(["p5 p6 p7", "p9 p8"]);
    expect(answer.missingIds).toEqual(["nothing"]);
  });

  it("never includes excluded products", () => {
    expect(ask({ filter: { ...NO_FILTER, excludeProductIds: ["p1", "p9"] } })).toMatchObject({
      recommended: "p2 p3 p0",
      alternative: "p8 p7 p4",
    });
  });

  it("prefers popular products of the current category as the fallback", () => {
    expect(ask({ currentCategoryIds: ["high"], recommendedCount: 5, alternativeCount: 0 }).recommended).toBe(
      "p1 p2 p3 p5 p6",
    );
  });

  it("fills alternative with products popular in the current product's category, then with other popular ones", () => {
    const products = { model: model([]) };
    const asked = { currentProductIds: ["p7"], recommendedCount: 0, alternativeCount: 6 };
    expect(ask(asked, products).alternative).toBe("p5 p6 p8 p9 p0 p1");
    expect(ask({ ...asked, currentProductIds: [] }, products).alternative).toBe("p0 p1 p2 p3 p4 p5");
  });

  it("ranks alternatives of the current product's category and price before equal ones", () => {
    const price = (id: string) => ({ amount: id === "p6" ? "50" : "10", currency: "EUR" });
    const catalog = catalogOf(IDS.map((id) => shopProduct(id, { price: price(id) })));
    const even = { indices: Uint32Array.of(1, 6, 8), scores: Float64Array.of(1, 1, 1) };
    const situation = { catalog, model: model([source("semantic", NO_CANDIDATES, even)]) };
    expect(ask({ currentProductIds: ["p7"] }, situation).alternative).toBe("p8 p6 p1");
  });

  const shownLists = [{ frameId: "default", at: NOON - 2000, productIds: ["p1", "p2", "p3"] }];

  it("moves back what a visitor passed over, the same way each time", () => {
    const frameInteractions = [{ frameId: "default", at: NOON - 1000 }];
    expect(ask({ frameInteractions }).recommended).toBe("p1 p2 p3");
    const rotated = ask({ frameInteractions }, { shownLists }).recommended;
    expect(rotated).toBe("p1 p2 p0");
    expect(ask({ frameInteractions }, { shownLists }).recommended).toBe(rotated);
  });

  it("ignores uses of frames that belong to another version of the engine", () => {
    const frameInteractions = [{ frameId: "default", at: NOON - 1000 }];
    const used = (clientVersion: string) => ask({ frameInteractions, clientVersion }, { shownLists }).recommended;
    expect(used("2025010100")).toBe("p1 p2 p3");
    expect(used("2026112112")).toBe("p1 p2 p0");
  });

  it("without a current product has alternatives to the last viewed one that the model knows", () => {
    const anchors: number[][] = [];
    const spy: Source = {
      ...source("semantic", NO_CANDIDATES, NO_CANDIDATES),
      alternatives: (query) => {
        anchors.push([...query.anchor]);
        return NO_CANDIDATES;
      },
    };
    const interactions = [
      step("product_view", "p3", NOON - 9000),
      step("product_view", "p4", NOON - 8000),
      step("add_to_cart", "p5", NOON - 7000),
      step("product_view", "too new", NOON - 6000),
    ];
    ask({ interactions }, { model: model([spy]) });
    expect(anchors).toEqual([[4]]);
  });

  it("leaves out a failing source, which is counted", () => {
    const broken: Source = {
      ...source("semantic", NO_CANDIDATES, NO_CANDIDATES),
      alternatives: () => {
        throw new Error("broken");
      },
    };
    const { answer, alternative, metrics } = ask({}, { model: model([SOURCES[0]!, broken]) });
    expect(answer.recommended).toHaveLength(3);
    expect(alternative).toBe("p0 p4 p5");
    expect(metrics.counts.get("recommend_source_failures")).toBe(1);
  });

  it("leaves out a failing source also where there are new products", () => {
    const broken: Source = {
      ...source("semantic", NO_CANDIDATES, NO_CANDIDATES),
      alternatives: () => {
        throw new Error("broken");
      },
    };
    const placing = { dimensions: 1, place: () => undefined, direction: () => Float32Array.of(1) };
    const live = { size: 1, near: () => [{ productId: "new", score: 1 }], together: () => [], orderedWith: () => [] };
    const { alternative } = ask({}, { model: { ...model([SOURCES[0]!, broken]), placing }, live });
    expect(alternative).toBe("p0 p4 p5");
  });

  it("comes from the catalogue before the first model, and is empty for an empty shop", () => {
    expect(ask({}, { model: undefined }).recommended).toBe("p0 p1 p2");
    expect(ask({}, { model: undefined, catalog: catalogOf([]) })).toMatchObject({ recommended: "", alternative: "" });
  });

  it("counts an interaction that client and server both know once", () => {
    const at = NOON - 60_000;
    const seen: number[] = [];
    const spy: Source = {
      ...source("collaborative", NO_CANDIDATES, NO_CANDIDATES),
      complements: (query) => {
        seen.push(...query.session.items);
        return NO_CANDIDATES;
      },
    };
    ask(
      { interactions: [step("product_view", "p1", at), step("product_view", "p2", at + 1000)] },
      {
        model: model([spy]),
        known: [
          { type: "product_view", at: at + 5, productIds: ["p1"], ref: "e1" },
          { type: "product_view", at: at - 5000, productIds: ["p7"], ref: "e0" },
        ],
      },
    );
    expect(seen).toEqual([7, 1, 2]);
  });
});

describe("learned weights of sources", () => {
  const none = { collaborative: 0, cart: 0, association_rules: 0, semantic: 0, popularity: 0 };
  const weighing = (weights: Partial<typeof none>) => {
    const all = { ...none, ...weights };
    return { ...model(), blend: { browsing: { one: all, few: all, many: all } } };
  };
  const only = { recommendedCount: 5, alternativeCount: 0 };

  it("order products by the ranks that sources give them", () => {
    const sources = [
      source("collaborative", ranked([1, 2, 3]), NO_CANDIDATES),
      source("cart", ranked([3, 2]), NO_CANDIDATES),
    ];
    const shown = (weights: Partial<typeof none>) =>
      ask(only, { model: { ...weighing(weights), sources } }).recommended.slice(0, 8);
    expect(shown({ collaborative: 1, cart: 0.9 })).toBe("p3 p2 p1");
    expect(shown({ collaborative: 1, cart: 0.1 })).toBe("p1 p2 p3");
    expect(shown({ cart: 1 })).toBe("p3 p2 p0");
  });

  it("can include popularity", () => {
    expect(ask(only, { model: weighing({ collaborative: 0.1, popularity: 1 }) }).recommended).toBe("p0 p1 p2 p3 p4");
  });

  it("apply to their page only", () => {
    const cart = [step("add_to_cart", "p9", NOON - 1000)];
    const shown = ask({ ...only, interactions: cart }, { model: weighing({ popularity: 1 }) }).recommended;
    expect(shown).toBe("p1 p2 p3 p0 p4");
  });
});
