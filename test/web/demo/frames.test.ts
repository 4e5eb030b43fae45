import { describe, expect, it } from "vitest";
import { type FrameTally, NO_TALLY, sumOfTallies, talliedOf } from "../../../src/domain/frame-tally.js";
import { shareDifference, wilson } from "../../../src/learning/common/proportions.js";
import { demoFrames } from "../../../src/server/demo/frames.js";
import { demoEvents } from "../../../src/server/demo/visits.js";

const UNTIL = Date.UTC(2026, 10, 24, 12);
const { versions, tallies } = demoFrames(UNTIL);

/** The results of a variant over all days. */
function resultsOf(frameId: string, variant: string): FrameTally {
  return [...tallies]
    .filter(([key]) => talliedOf(key).frameId === frameId && talliedOf(key).variant === variant)
    .reduce((sum, [, tally]) => sumOfTallies(sum, tally), NO_TALLY);
}

/** How much more visitors of the second variant clicked than of the first. */
function clickDifference(frameId: string, first: string, second: string) {
  const rate = ({ clicked, visitors }: FrameTally) => wilson(clicked, visitors);
  return shareDifference(rate(resultsOf(frameId, second)), rate(resultsOf(frameId, first)));
}

describe("the frames of the demo shop", () => {
  it("compare two lists on the home page, of which one gets more clicks", () => {
    expect(clickDifference("home", "as-before", "more-variety").low).toBeGreaterThan(0);
  });

  it("have ended a comparison on product pages without a difference", () => {
    const { low, high } = clickDifference("product", "as-before", "viewed-too");
    expect(low).toBeLessThan(0);
    expect(high).toBeGreaterThan(0);
    expect(versions.filter(({ frameId }) => frameId === "product").map(({ variants }) => variants.length)).toEqual([
      2, 0,
    ]);
  });

  it("have begun a comparison in the cart that few visitors have seen", () => {
    const { visitors } = sumOfTallies(resultsOf("cart", "ten"), resultsOf("cart", "six"));
    expect(visitors).toBeGreaterThan(0);
    expect(visitors).toBeLessThan(100);
  });

  it("have no results of a variant before the frame had it, and none later than the visits", () => {
    const days = (part: string) =>
      [...tallies.keys()].filter((key) => key.includes(part)).map((key) => key.split("/")[1]);
    expect(days("/more-variety").sort()[0]).toBe("2026-11-03");
    expect(days("").sort().at(-1)).toBe("2026-11-24");
  });

  it("count clicks only of products that a visitor viewed next", () => {
    const views = demoEvents(UNTIL).filter(({ actionType }) => actionType === "product_view").length;
    const all = ["home", "product", "cart"].map((frameId) => resultsOf(frameId, "")).reduce(sumOfTallies, NO_TALLY);
    expect(all.clicks).toBeGreaterThan(0);
    expect(all.clicks).toBeLessThan(views);
    expect(all.clicked).toBeLessThanOrEqual(all.clicks);
  });
});
