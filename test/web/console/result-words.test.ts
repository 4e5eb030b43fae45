import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { FrameResultsSchema } from "../../../src/gen/aisle/v1/frame_report_pb.js";
import { rateText, salesTexts } from "../../../web/console/result-words.js";

it("writes rates with their intervals and sales by currency", () => {
  const { salesAfterClick } = create(FrameResultsSchema, {
    salesAfterClick: [{ orderCount: 1 }, { orderCount: 2, revenue: { amount: "20.00", currency: "EUR" } }],
  });
  expect(rateText(undefined)).toBe("–");
  expect(salesTexts(salesAfterClick)).toEqual(["1 order, payment not known", "2 orders, €20.00"]);
});
