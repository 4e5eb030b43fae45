import { describe, expect, it } from "vitest";
import type { FrameConfiguration } from "../../src/domain/frame.js";
import type { InteractionType } from "../../src/domain/interaction.js";
import { NO_CANDIDATES } from "../../src/learning/common/candidates.js";
import type { Source, SourceQuery } from "../../src/learning/sources/source.js";
import type { RecommendQuery } from "../../src/recommend/request/query.js";
import { NOON } from "../fixtures/store.js";
import { ask, catalogOf, IDS, modelOf, ranked, shopProduct, source } from "./frame-shop.js";

const met = (type: InteractionType, productId: string, minutesAgo: number) => {
  return { type, productId, sku: "", at: NOON - minutesAgo * 60_000 };
};
const ids = (indices: Uint32Array | undefined) => Array.from(indices ?? [], (index) => `p${index}`).join(" ");

/** What the sources are asked for `recommended`, and for `alternative`. */
function questions(frame: Partial<FrameConfiguration>, query: Partial<RecommendQuery>) {
  const asked: { complements?: SourceQuery; alternatives?: SourceQuery } = {};
  const note = (list: "complements" | "alternatives") => (about: SourceQuery) => {
    asked[list] = about;
    return NO_CANDIDATES;
  };
  const all = { complements: note("complements"), alternatives: note("alternatives"), explain: () => undefined };
  const sources: Source[] = (["collaborative", "semantic"] as const).map((name) => ({ name, ...all }));
  ask(frame, query, { model: modelOf(IDS, sources) });
  const { complements, alternatives } = asked;
  return {
    basket: ids(complements?.basket),
    hasCart: complements?.hasCart,
    isViewing: complements?.isViewing,
    alternativesTo: ids(alternatives?.anchor),
  };
}

describe("a frame on the home page", () => {
  it("uses the visitor's history, not cart and current products", () => {
    const query = {
      interactions: [met("product_view", "p2", 3), met("add_to_cart", "p3", 2)],
      currentProductIds: ["p4"],
    };
    expect(questions({}, query)).toMatchObject({ basket: "p3 p4", hasCart: true, isViewing: true });
    const onHome = questions({ pageKind: "home" }, query);
    expect(onHome).toMatchObject({ basket: "p2", hasCart: false, isViewing: false, alternativesTo: "p4" });
  });

  it("shows proposals, then popular products, also without the fallback", () => {
    const model = modelOf(IDS, [source("collaborative", ranked([4]), NO_CANDIDATES)]);
    expect(ask({ fallback: false, alternativeCount: 0 }, {}, { model }).recommended).toBe("p4");
    expect(ask({ pageKind: "home", fallback: false, alternativeCount: 0 }, {}, { model }).recommended).toBe("p4 p0 p1");
    expect(ask({ pageKind: "home" }).recommended).toBe("p1 p2 p3");
  });
});

describe("a frame on the page of a cart", () => {
  it("completes the cart, which includes current products", () => {
    const query = { interactions: [met("add_to_cart", "p3", 2)], currentProductIds: ["p4", "p3"] };
    const onCart = questions({ pageKind: "cart" }, query);
    expect(onCart).toMatchObject({ basket: "p3 p4", hasCart: true, isViewing: false, alternativesTo: "p4 p3" });
    expect(questions({}, { currentProductIds: ["p4"] })).toMatchObject({ hasCart: false });
    expect(questions({ pageKind: "cart" }, { currentProductIds: ["p4"] })).toMatchObject({
      basket: "p4",
      hasCart: true,
    });
  });

  it("shows no product of the cart, also where current products are allowed", () => {
    const frame = { includeViewed: true, alternativeCount: 0 };
    const query = { currentProductIds: ["p5"] };
    expect(ask(frame, query).recommended).toBe("p5 p1 p6");
    expect(ask({ ...frame, pageKind: "cart" }, query).recommended).not.toContain("p5");
  });
});

describe("a frame on the page after an order", () => {
  const order = [met("order", "p2", 5), met("order", "p3", 5)];
  const query = { interactions: [met("order", "p1", 9000), ...order, met("product_view", "p7", 1)] };

  it("completes the last order, which includes current products", () => {
    expect(questions({}, query)).toMatchObject({ basket: "p7", hasCart: false });
    expect(questions({ pageKind: "order" }, query)).toMatchObject({ basket: "p2 p3", hasCart: true });
    const thanking = questions({ pageKind: "order" }, { ...query, currentProductIds: ["p4"] });
    expect(thanking).toMatchObject({ basket: "p2 p3 p4", isViewing: false });
  });

  it.each([[[]], [[{ source: "collaborative", weight: 1 } as const]]])(
    "shows no product of the order where bought products are allowed, whatever the sources",
    (sources) => {
      const frame = { includeBought: true, includeViewed: true, recommendedCount: 12, alternativeCount: 0, sources };
      expect(ask(frame, query).recommended.split(" ")).toEqual(expect.arrayContaining(["p1", "p2", "p3"]));
      const shown = ask({ ...frame, pageKind: "order" }, query).recommended.split(" ");
      expect(shown).toContain("p1");
      expect(shown).not.toEqual(expect.arrayContaining(["p2"]));
      expect(shown).not.toEqual(expect.arrayContaining(["p3"]));
    },
  );
});

describe("a frame on the page of a category", () => {
  const categories = [{ categoryId: "low", name: "" }];
  const low = ["p6", "p8", "p10", "p11"];
  const catalog = catalogOf(IDS.map((id) => shopProduct(id, low.includes(id) ? { categories } : {})));
  const query = { currentCategoryIds: ["low"] };

  it("shows first the category's proposed, then its popular products", () => {
    const frame = { recommendedCount: 4, alternativeCount: 2 };
    expect(ask(frame, query, { catalog })).toMatchObject({ recommended: "p5 p1 p6 p2", alternative: "p9 p8" });
    const shown = ask({ ...frame, pageKind: "category" }, query, { catalog });
    expect(shown).toMatchObject({ recommended: "p6 p10 p11 p5", alternative: "p8 p9" });
  });

  it("shows only proposals when the fallback is off", () => {
    const frame = { pageKind: "category", recommendedCount: 4, alternativeCount: 4, fallback: false } as const;
    expect(ask(frame, query, { catalog })).toMatchObject({ recommended: "p6 p5 p1 p2", alternative: "p8 p9 p7" });
  });

  it("is like any other where no category is known", () => {
    expect(ask({ pageKind: "category" }, {}, { catalog })).toMatchObject(ask({}, {}, { catalog }));
  });
});

describe("a frame on the page of a product", () => {
  it("leaves substitutes of the product to alternative", () => {
    const model = modelOf(IDS, [
      source("cart", ranked([9, 5]), NO_CANDIDATES),
      source("semantic", NO_CANDIDATES, ranked([9, 8, 7, 6])),
    ]);
    const query = { currentProductIds: ["p1"] };
    expect(ask({}, query, { model })).toMatchObject({ recommended: "p9 p5 p0", alternative: "p8 p7 p6" });
    const shown = ask({ pageKind: "product" }, query, { model });
    expect(shown).toMatchObject({ recommended: "p5 p0 p2", alternative: "p9 p8 p7" });
  });
});

describe("the page type", () => {
  const sources = [
    { source: "collaborative", weight: 1 },
    { source: "semantic", weight: 1 },
  ] as const;
  const KINDS = ["home", "category", "product", "cart", "order"] as const;

  it.each(KINDS)("%s changes nothing in a frame that names its sources", (pageKind) => {
    const interactions = [met("order", "p0", 9), met("product_view", "p2", 3), met("add_to_cart", "p3", 2)];
    const query = { interactions, currentProductIds: ["p4"], currentCategoryIds: ["low"] };
    expect(questions({ sources, pageKind }, query)).toEqual(questions({ sources }, query));
    const categories = [{ categoryId: "low", name: "" }];
    const catalog = catalogOf(IDS.map((id) => shopProduct(id, ["p7", "p8"].includes(id) ? { categories } : {})));
    const model = modelOf(IDS, [
      source("collaborative", ranked([9, 5, 6]), NO_CANDIDATES),
      source("semantic", NO_CANDIDATES, ranked([9, 10, 8])),
    ]);
    const shown = ask({ sources, pageKind }, query, { catalog, model });
    expect(shown).toMatchObject(ask({ sources }, query, { catalog, model }));
  });
});
