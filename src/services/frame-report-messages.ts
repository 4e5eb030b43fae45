import type { MessageInitShape } from "@bufbuild/protobuf";
import { InvalidArgument } from "../domain/errors.js";
import { NO_CURRENCY, type Sales } from "../domain/frame-tally.js";
import type { GetFrameReportRequest, GetFrameReportResponseSchema } from "../gen/aisle/v1/app_service_pb.js";
import type { FrameResultsSchema, FrameSalesSchema } from "../gen/aisle/v1/frame_report_pb.js";
import type { Days, FrameReport, Results } from "../results/frame-report.js";
import { timestampOf } from "./common-messages.js";

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

export function reportMessage(frames: readonly FrameReport[]): MessageInitShape<typeof GetFrameReportResponseSchema> {
  return {
    frames: frames.map(({ frameId, total, days, variants }) => ({
      frameId,
      total: resultsMessage(total),
      days: days.map((results) => ({ day: results.day, results: resultsMessage(results) })),
      variants: variants.map((one) => ({
        variant: one.variant,
        experimentStartTime: timestampOf(one.experimentAt),
        isRunning: one.isRunning,
        results: resultsMessage(one),
        clickRateDifference: one.clickRateDifference,
        orderRateDifference: one.orderRateDifference,
      })),
    })),
  };
}

function resultsMessage(results: Results): MessageInitShape<typeof FrameResultsSchema> {
  return {
    exposureCount: BigInt(results.exposures),
    visitorCount: results.visitors,
    clickedVisitorCount: results.clicked,
    orderingVisitorCount: results.ordered,
    clickCount: results.clicks,
    clickRate: results.clickRate,
    orderRate: results.orderRate,
    salesAfterClick: results.afterClick.map(salesMessage),
    salesWithoutClick: results.withoutClick.map(salesMessage),
  };
}

function salesMessage({ currency, orders, amount }: Sales): MessageInitShape<typeof FrameSalesSchema> {
  const revenue = { amount: decimalText(amount), currency: currency === NO_CURRENCY ? "" : currency };
  return { orderCount: orders, revenue: currency === "" ? undefined : revenue };
}

const MILLIONTHS = 1e6;

/** An amount in millionths as decimal text with at least two digits behind the dot. */
function decimalText(amount: number): string {
  const whole = Math.floor(amount / MILLIONTHS);
  const rest = String(amount - whole * MILLIONTHS).padStart(6, "0");
  return `${whole}.${rest.slice(0, 2)}${rest.slice(2).replace(/0+$/, "")}`;
}
