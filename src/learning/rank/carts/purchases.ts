/** What a customer bought so far, as a ranking is asked with it. */

/** A customer's earlier purchases. */
export interface Purchases {
  /** Each product once; the ones bought last come last. */
  readonly products: Uint32Array;
  /** For each product: orders with it, and days since the last of them. */
  readonly times: Float32Array;
  readonly days: Float32Array;
  readonly orders: number;
}

const DAY_MS = 86_400_000;

/** Sums up a customer's orders, oldest first, as they are known at time `now`, ms. */
export function purchasesOf(
  orders: Iterable<{ readonly at: number; readonly products: Iterable<number> }>,
  now: number,
): Purchases {
  const found = new Map<number, { times: number; at: number }>();
  let count = 0;
  for (const { at, products } of orders) {
    count++;
    for (const product of new Set(products)) {
      const times = found.get(product)?.times ?? 0;
      // Deleted first, so that what was bought last comes last.
      found.delete(product);
      found.set(product, { times: times + 1, at });
    }
  }
  const all = [...found.values()];
  return {
    products: Uint32Array.from(found.keys()),
    times: Float32Array.from(all, ({ times }) => times),
    days: Float32Array.from(all, ({ at }) => Math.max(0, now - at) / DAY_MS),
    orders: count,
  };
}
