import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { FrameVariantReportSchema } from "../../../src/gen/aisle/v1/frame_report_pb.js";
import { rateText, salesTexts, verdict } from "../../../web/console/result-words.js";

const variant = (name: string, visitorCount: number, low = 0, high = 0) =>
  create(FrameVariantReportSchema, {
    variant: name,
    results: {
      visitorCount,
      salesAfterClick: [{ orderCount: 1 }, { orderCount: 2, revenue: { amount: "20.00", currency: "EUR" } }],
    },
    ...((low !== 0 || high !== 0) && { clickRateDifference: { value: (low + high) / 2, low, high } }),
  });

it.each([
  [14, 0.01, 0.3, "too early: 14 visitors"],
  [1, 0.01, 0.3, "too early: 1 visitor"],
  [500, 0.01, 0.034, "better than plain by 1.0 to 3.4 points"],
  [500, -0.034, -0.01, "worse than plain by 1.0 to 3.4 points"],
  [500, -0.01, 0.02, "no difference from plain seen"],
])("says of %i visitors and a difference of %f to %f: %s", (visitors, low, high, text) => {
  expect(verdict(variant("loud", visitors, low, high), variant("plain", 900))).toBe(text);
});

it("says of few visitors of the first variant that it is too early, too", () => {
  expect(verdict(variant("loud", 500, 0.1, 0.2), variant("plain", 3))).toBe("too early: 3 visitors");
});

it("writes rates with their intervals and sales by currency", () => {
  const { results } = variant("loud", 1);
  expect(rateText(undefined)).toBe("–");
  expect(salesTexts(results?.salesAfterClick ?? [])).toEqual(["1 order, payment not known", "2 orders, €20.00"]);
});
