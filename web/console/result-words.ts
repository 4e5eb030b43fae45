/** Words for the results of frames. */
import type {
  FrameResults,
  FrameSales,
  FrameVariantReport,
  RateEstimate,
} from "../../src/gen/aisle/v1/frame_report_pb.js";

/** With fewer visitors a difference says nothing yet. */
const ENOUGH_VISITORS = 100;

/** `12.5 % (10.1 to 15.2)`. */
export function rateText(rate: RateEstimate | undefined): string {
  return rate === undefined ? "–" : `${percent(rate.value)} % (${percent(rate.low)} to ${percent(rate.high)})`;
}

function percent(value: number): string {
  return (value * 100).toFixed(1);
}

/** `3 orders, 120.00 EUR`, one for each currency. */
export function salesTexts(sales: readonly FrameSales[]): readonly string[] {
  return sales.map(({ orderCount, revenue }) => {
    const orders = orderCount === 1 ? "1 order" : `${orderCount.toLocaleString()} orders`;
    return `${orders}, ${revenue === undefined ? "payment not known" : moneyText(revenue.amount, revenue.currency)}`;
  });
}

function moneyText(amount: string, currency: string): string {
  const value = Number(amount);
  if (!/^[A-Z]{3}$/.test(currency)) return `${amount} ${currency}`.trim();
  return new Intl.NumberFormat(undefined, { style: "currency", currency }).format(value);
}

/** What a variant's clicks say in comparison with those of the first one. */
export function verdict(variant: FrameVariantReport, first: FrameVariantReport): string {
  const visitors = Math.min(visitorsOf(variant.results), visitorsOf(first.results));
  if (visitors < ENOUGH_VISITORS) return `too early: ${visitors === 1 ? "1 visitor" : `${visitors} visitors`}`;
  const difference = variant.clickRateDifference;
  if (difference === undefined) return `no difference from ${first.variant} seen`;
  if (difference.low > 0)
    return `better than ${first.variant} by ${percent(difference.low)} to ${points(difference.high)}`;
  if (difference.high < 0)
    return `worse than ${first.variant} by ${percent(-difference.high)} to ${points(-difference.low)}`;
  return `no difference from ${first.variant} seen`;
}

function points(value: number): string {
  return `${percent(value)} points`;
}

function visitorsOf(results: FrameResults | undefined): number {
  return results?.visitorCount ?? 0;
}
