/**
 * How well each product sells, overall and lately, from the orders up to a cut-off: what a ranking needs to know besides
 * what goes with what. A shop's assortment turns: before Christmas other products sell than in spring.
 */
import { type Rows, rowCount } from "../../common/rows.js";

export interface CartSales {
  /** Share of all orders that hold each product. */
  readonly overall: Float32Array;
  /** The same of the orders of the last 90, 30 and 7 days. */
  readonly days90: Float32Array;
  readonly days30: Float32Array;
  readonly days7: Float32Array;
  /** Days from a product's first and last order to the cut-off; -1 for a product that was never ordered. */
  readonly firstDays: Float32Array;
  readonly lastDays: Float32Array;
}

const DAY_MS = 86_400_000;

/** @param at Time of each basket, ms, none after `cutOff`. */
export function cartSales(baskets: Rows, at: Float64Array, productCount: number, cutOff: number): CartSales {
  const within = (days: number): Float32Array => {
    const shares = new Float32Array(productCount);
    let orders = 0;
    for (let r = 0; r < rowCount(baskets); r++) {
      if (cutOff - at[r]! > days * DAY_MS) continue;
      orders++;
      for (let i = baskets.offsets[r]!; i < baskets.offsets[r + 1]!; i++) shares[baskets.items[i]!]!++;
    }
    return shares.map((count) => count / Math.max(1, orders));
  };
  const firstDays = new Float32Array(productCount).fill(-1);
  const lastDays = new Float32Array(productCount).fill(-1);
  for (let r = 0; r < rowCount(baskets); r++) {
    const days = (cutOff - at[r]!) / DAY_MS;
    for (let i = baskets.offsets[r]!; i < baskets.offsets[r + 1]!; i++) {
      const product = baskets.items[i]!;
      firstDays[product] = Math.max(firstDays[product]!, days);
      lastDays[product] = lastDays[product]! < 0 ? days : Math.min(lastDays[product]!, days);
    }
  }
  return {
    overall: within(Number.POSITIVE_INFINITY),
    days90: within(90),
    days30: within(30),
    days7: within(7),
    firstDays,
    lastDays,
  };
}
