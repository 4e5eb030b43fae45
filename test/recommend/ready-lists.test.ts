import { describe, expect, it } from "vitest";
import type { FrameConfiguration } from "../../src/domain/frame.js";
import { dailyCounts } from "../../src/learning/sources/popularity/daily-counts.js";
import type { RecommendQuery } from "../../src/recommend/request/query.js";
import type { Situation } from "../../src/recommend/request/situation.js";
import { NOON } from "../fixtures/store.js";
import { ask, catalogOf, IDS, modelOf, shopProduct } from "./frame-shop.js";

const DAY = 86_400_000;

const did = (type: "product_view" | "order", productId: string, daysAgo: number) => ({
  type,
  productId,
  sku: "",
  at: NOON - daysAgo * DAY,
});

/** p7 sold five times this week, p3 six times a month ago and once this week, p9 grew from nothing. */
const MET = [
  ...Array(5).fill([7, 2, 5]),
  ...Array(6).fill([3, 25, 5]),
  [3, 1, 5],
  ...Array(30).fill([9, 1, 1]),
  ...Array(30).fill([2, 1, 1]),
  ...Array(90).fill([2, 20, 1]),
];
const COUNTED = {
  ...modelOf(IDS),
  daily: dailyCounts(
    {
      productIndices: Uint32Array.from(MET, ([product]) => product),
      at: Float64Array.from(MET, ([, daysAgo]) => NOON - daysAgo * DAY),
      weights: Float32Array.from(MET, ([, , weight]) => weight),
    },
    IDS.length,
    NOON,
  ),
};

function list(
  kind: FrameConfiguration["readyList"]["kind"],
  days = 0,
  query: Partial<RecommendQuery> = {},
  frame: Partial<FrameConfiguration> = {},
  more: Partial<Situation> = {},
) {
  return ask({ readyList: { kind, days }, fallback: false, alternativeCount: 0, ...frame }, query, {
    model: COUNTED,
    ...more,
  });
}

describe("a frame with a ready list", () => {
  it("shows what the visitor viewed, the newest first, without what is viewed now", () => {
    const interactions = [
      did("product_view", "p4", 3),
      did("product_view", "p8", 2),
      did("product_view", "p4", 1),
      did("product_view", "p6", 0),
    ];
    const { recommended, answer } = list("recently_viewed", 0, { interactions, currentProductIds: ["p6"] });
    expect(recommended).toBe("p4 p8");
    expect(answer.recommendedReasons).toMatchObject([
      { shares: [{ source: "recently_viewed", rank: 2, counts: { view_count: 2, days_ago: 1 } }] },
      { shares: [{ source: "recently_viewed", rank: 3, counts: { view_count: 1, days_ago: 2 } }] },
    ]);
  });

  it("shows what the visitor bought, the most often bought first, and after some days where the frame waits", () => {
    const interactions = [
      did("order", "p4", 40),
      did("order", "p8", 35),
      did("order", "p4", 20),
      did("order", "p6", 2),
      did("product_view", "p4", 1),
    ];
    expect(list("buy_again", 0, { interactions }).recommended).toBe("p4 p6 p8");
    expect(list("buy_again", 0, { interactions }, { rebuyAfterDays: 10 }).recommended).toBe("p4 p8");
    expect(list("buy_again").recommended).toBe("");
  });

  it("shows the products that came last, popular ones first within a day", () => {
    const arrived = (productId: string, daysAgo: number) =>
      shopProduct(productId, { addedAt: NOON - daysAgo * DAY - 1000 });
    const catalog = catalogOf([
      arrived("p1", 40),
      arrived("p8", 1),
      arrived("p5", 1),
      arrived("new", 0),
      shopProduct("p2", { addedAt: NOON - 90 * DAY, validFrom: NOON - 3 * DAY }),
      shopProduct("later", { addedAt: NOON - DAY, validFrom: NOON + DAY }),
      shopProduct("p0"),
    ]);
    const frame = { recommendedCount: 10 };
    const { recommended, answer } = list("new_arrivals", 30, {}, frame, { catalog });
    expect(recommended).toBe("new p5 p8 p2");
    expect(answer.recommendedReasons.at(-1)).toMatchObject({ shares: [{ source: "new_arrivals", rank: 4 }] });
  });

  it("shows bestsellers of its days", () => {
    expect(list("bestsellers", 7).recommended).toBe("p7 p3");
    const { recommended, answer } = list("bestsellers", 30);
    expect(recommended).toBe("p3 p7");
    expect(answer.recommendedReasons[0]).toMatchObject({
      shares: [{ source: "bestsellers", counts: { order_count: 7, days: 30 } }],
    });
  });

  it("shows what grows, not what is big", () => {
    const { recommended, answer } = list("trending", 7);
    expect(recommended.split(" ")[0]).toBe("p9");
    expect(recommended).not.toContain("p2");
    expect(answer.recommendedReasons[0]).toMatchObject({ shares: [{ counts: { recent: 30, before: 0, days: 7 } }] });
  });

  it("follows bans, pins and exclusions, and fills up with popular products where it has a fallback", () => {
    expect(list("bestsellers", 7, {}, { bannedProductIds: ["p7"] }).recommended).toBe("p3");
    expect(list("bestsellers", 7, {}, { pinnedProductIds: ["p11"] }).recommended).toBe("p11 p7 p3");
    const filled = list("bestsellers", 7, {}, { fallback: true });
    expect(filled.recommended).toBe("p7 p3 p0");
    expect(filled.answer.recommendedReasons[2]).toMatchObject({ shares: [{ source: "popularity" }] });
  });

  it("shows popular products as bestsellers before any are counted, and no trends", () => {
    const model = modelOf(IDS);
    expect(list("bestsellers", 7, {}, { fallback: true }, { model }).recommended).toBe("p0 p1 p2");
    expect(list("trending", 7, {}, {}, { model }).recommended).toBe("");
  });

  it("leaves `alternative` to the model", () => {
    const page = { currentProductIds: ["p0"] };
    expect(list("bestsellers", 7, page, { alternativeCount: 3 }).alternative).toBe("p9 p8");
  });
});
