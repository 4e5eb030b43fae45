import { describe, expect, it } from "vitest";
import { NO_FILTER } from "../../src/domain/product-filter.js";
import { NOON } from "../fixtures/store.js";
import { ask, catalogOf, IDS, shopProduct } from "./frame-shop.js";

const DAY_MS = 86_400_000;
const ordered = (productId: string, daysAgo: number) => ({
  type: "order" as const,
  productId,
  sku: "",
  at: NOON - daysAgo * DAY_MS,
});
const use = (frameId: string) => ({ frameId, at: NOON });

describe("a frame's sources", () => {
  const proposals = { recommendedCount: 3, alternativeCount: 0 };

  it("depend on the page when none are named", () => {
    expect(ask(proposals).recommended).toBe("p5 p1 p6");
  });

  it("are the named ones with their weights", () => {
    expect(ask({ ...proposals, sources: [{ source: "collaborative", weight: 1 }] }).recommended).toBe("p1 p2 p3");
    const both = [
      { source: "collaborative", weight: 1 },
      { source: "cart", weight: 0.6 },
    ] as const;
    expect(ask({ ...proposals, sources: both }).recommended).toBe("p1 p5 p2");
  });

  it("can be popularity alone", () => {
    expect(ask({ ...proposals, sources: [{ source: "popularity", weight: 2 }] }).recommended).toBe("p0 p1 p2");
  });

  it("leave out a source of weight 0", () => {
    const sources = [
      { source: "cart", weight: 0 },
      { source: "collaborative", weight: 1 },
    ] as const;
    expect(ask({ ...proposals, sources, fallback: false, recommendedCount: 6 }).recommended).toBe("p1 p2 p3");
  });
});

describe("a frame's fallback", () => {
  it("fills with popular products, and without it the lists stay as short as the proposals", () => {
    const counts = { recommendedCount: 7, alternativeCount: 4 };
    expect(ask(counts)).toMatchObject({ recommended: "p5 p1 p6 p2 p3 p0 p4", alternative: "p9 p8 p7 p10" });
    expect(ask({ ...counts, fallback: false })).toMatchObject({
      recommended: "p5 p1 p6 p2 p3",
      alternative: "p9 p8 p7",
    });
  });

  it("shows nothing when it is off and there is no model yet", () => {
    expect(ask({ fallback: false }, {}, { model: undefined })).toMatchObject({ recommended: "", alternative: "" });
  });
});

describe("a frame's pinned products", () => {
  it("come first, in their order, and only once", () => {
    expect(ask({ pinnedProductIds: ["p7", "p2"] })).toMatchObject({ recommended: "p7 p2 p5", alternative: "p9 p8 p0" });
  });

  it("are shown in alternative where the frame shows nothing recommended", () => {
    expect(ask({ pinnedProductIds: ["p2"], recommendedCount: 0 })).toMatchObject({
      recommended: "",
      alternative: "p2 p9 p8",
    });
  });

  it("keep their places when they were passed over", () => {
    const query = { frameInteractions: [use("default")] };
    expect(ask({ pinnedProductIds: ["p7"] }).recommended).toBe("p7 p5 p1");
    const shownLists = [{ frameId: "default", at: NOON - 1, productIds: ["p7", "p5", "p1"] }];
    const frame = { pinnedProductIds: ["p7"], rotationRate: 1 };
    expect(ask(frame, query, { shownLists }).recommended).toBe("p7 p6 p2");
  });

  it("are shown although viewed, but not when bought, current, excluded or out of stock", () => {
    const viewed = { type: "product_view" as const, productId: "p11", sku: "", at: NOON };
    const query = {
      interactions: [viewed, ordered("p10", 1)],
      currentProductIds: ["p9"],
      filter: { ...NO_FILTER, excludeProductIds: ["p8"] },
    };
    const catalog = catalogOf(IDS.map((id) => shopProduct(id, { available: id !== "p7" })));
    const frame = { pinnedProductIds: ["p7", "p8", "p9", "p10", "p11"] };
    expect(ask(frame, query, { catalog }).recommended.split(" ")[0]).toBe("p11");
    const all = `${ask(frame, query, { catalog }).recommended} ${ask(frame, query, { catalog }).alternative}`;
    for (const hidden of ["p7", "p8", "p9", "p10"]) expect(all.split(" ")).not.toContain(hidden);
  });

  it("are limited to the number of products shown", () => {
    expect(ask({ pinnedProductIds: ["p7", "p8", "p9", "p10"] }).recommended).toBe("p7 p8 p9");
  });

  it("are reported when the catalogue does not know them, and marked in the reasons", () => {
    const { answer } = ask({ pinnedProductIds: ["none", "p7"] });
    expect(answer.missingIds).toEqual(["none"]);
    expect(answer.recommendedReasons.map(({ isPinned }) => isPinned)).toEqual([true, false, false]);
  });
});

describe("a frame's other rules", () => {
  it("never show a banned product", () => {
    expect(ask({ bannedProductIds: ["p5", "p9"] })).toMatchObject({ recommended: "p1 p6 p2", alternative: "p8 p7 p0" });
  });

  it("show bought products again after the configured days, counted from the last order", () => {
    const interactions = [ordered("p5", 40), ordered("p5", 20), ordered("p1", 31)];
    const shown = (rebuyAfterDays: number) =>
      ask({ rebuyAfterDays, alternativeCount: 0 }, { interactions }).recommended;
    expect(shown(0)).toBe("p6 p2 p3");
    expect(shown(30)).toBe("p1 p6 p2");
    expect(shown(20)).toContain("p5");
  });

  it("move what was passed over back, unless they do not rotate", () => {
    const query = { frameInteractions: [use("default")] };
    const shownLists = [{ frameId: "default", at: NOON - 1, productIds: ["p5", "p1", "p6"] }];
    expect(ask({}).recommended).toBe("p5 p1 p6");
    expect(ask({}, query, { shownLists }).recommended).toBe("p5 p1 p2");
    for (const frame of [{ rotation: false }, { rotationRate: 0 }])
      expect(ask(frame, query, { shownLists })).toMatchObject({ recommended: "p5 p1 p6" });
  });

  it("keep out-of-stock products away from every request when configured", () => {
    const catalog = catalogOf(IDS.map((id) => shopProduct(id, { available: id !== "p5" })));
    const query = { filter: { ...NO_FILTER, availability: "any" as const } };
    expect(ask({}, query, { catalog }).recommended).toBe("p5 p1 p6");
    expect(ask({ stockSaid: true }, query, { catalog }).recommended).toBe("p1 p6 p2");
    const narrower = { filter: { ...NO_FILTER, availability: "in_stock" as const } };
    expect(ask({ inStockOnly: false, stockSaid: true }, narrower, { catalog }).recommended).toBe("p1 p6 p2");
  });

  it("show out-of-stock products when configured, and never hidden ones", () => {
    const catalog = catalogOf(IDS.map((id) => shopProduct(id, { available: id !== "p5", hidden: id === "p1" })));
    expect(ask({}, {}, { catalog }).recommended).toBe("p6 p2 p3");
    expect(ask({ inStockOnly: false }, {}, { catalog }).recommended).toBe("p5 p6 p2");
  });
});
