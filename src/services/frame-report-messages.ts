import type { MessageInitShape } from "@bufbuild/protobuf";
import { InvalidArgument } from "../domain/errors.js";
import type { GetFrameReportRequest, GetFrameReportResponseSchema } from "../gen/aisle/v1/app_service_pb.js";
import type { Days, VariantReport } from "../recommend/frame-report.js";

export function daysOf({ fromDay, toDay }: GetFrameReportRequest): Days {
  checkDay("from_day", fromDay);
  checkDay("to_day", toDay);
  if (fromDay !== "" && toDay !== "" && toDay < fromDay)
    throw new InvalidArgument("to_day", "invalid", "a day not before from_day");
  return { from: fromDay, to: toDay };
}

function checkDay(field: string, day: string): void {
  if (day === "") return;
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN;
  // JavaScript reads some days that do not exist as later ones.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(day))
    throw new InvalidArgument(field, "invalid", "a day as YYYY-MM-DD");
}

export function reportMessage(
  variants: readonly VariantReport[],
): MessageInitShape<typeof GetFrameReportResponseSchema> {
  return {
    variants: variants.map((one) => ({
      variant: one.variant,
      exposures: BigInt(one.exposures),
      visitors: BigInt(one.visitors),
      clickedVisitors: BigInt(one.clicked),
      orderingVisitors: BigInt(one.ordered),
      clickRate: one.clickRate,
      orderRate: one.orderRate,
      clickRateDifference: one.clickRateDifference,
      orderRateDifference: one.orderRateDifference,
    })),
  };
}
