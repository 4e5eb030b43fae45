/** Words for the results of frames. */
import type { FrameSales, RateEstimate } from "../../src/gen/aisle/v1/frame_report_pb.js";

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
  if (currency === "") return `${amount} without a currency`;
  if (!/^[A-Z]{3}$/.test(currency)) return `${amount} ${currency}`.trim();
  return new Intl.NumberFormat(undefined, { style: "currency", currency }).format(value);
}
