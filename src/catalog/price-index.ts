import type { Money } from "../domain/money.js";
import { type PriceRange, priceOf } from "../domain/product-filter.js";

/** Bands a doubling of the price has. */
const BANDS = 8;
const BELOW_ALL = Number.NEGATIVE_INFINITY;

/**
 * Products by bands of their prices, whatever the currency. The bands of a range hold all its products; only the outer two
 * hold others as well. A change of a price costs two lookups.
 */
export class PriceIndex {
  readonly #bands = new Map<number, Set<string>>();

  put(productId: string, price: Money): void {
    const band = bandOf(price);
    if (band === undefined) return;
    const products = this.#bands.get(band);
    if (products === undefined) this.#bands.set(band, new Set([productId]));
    else products.add(productId);
  }

  remove(productId: string, price: Money): void {
    const band = bandOf(price);
    if (band === undefined) return;
    const products = this.#bands.get(band);
    products?.delete(productId);
    if (products?.size === 0) this.#bands.delete(band);
  }

  /** Sets that hold all products in the range, none of them twice. */
  within({ min, max }: PriceRange): ReadonlySet<string>[] {
    const from = min === "" ? BELOW_ALL : (bandOfNumber(Number(min)) ?? BELOW_ALL);
    const to = max === "" ? Number.POSITIVE_INFINITY : (bandOfNumber(Number(max)) ?? BELOW_ALL);
    return [...this.#bands].filter(([band]) => band >= from && band <= to).map(([, products]) => products);
  }
}

function bandOf(price: Money): number | undefined {
  const value = priceOf(price);
  return value === undefined ? undefined : bandOfNumber(value);
}

function bandOfNumber(value: number): number | undefined {
  if (Number.isNaN(value)) return undefined;
  return value > 0 ? Math.floor(Math.log2(value) * BANDS) : BELOW_ALL;
}
