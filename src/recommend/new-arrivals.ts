/** New products of a catalogue, kept up with what is written to it. */
import { arrivalOf, isShown, type Product } from "../domain/product.js";
import type { Catalog, Proposal, Shelf } from "./catalog.js";

/** The newest products that are kept. */
const MOST_NEW = 2000;
/** More changes than this are read by looking at all products. */
const MOST_CHANGED = 1000;
const DAY_MS = 86_400_000;

interface Kept {
  revision: number | undefined;
  /** Product ids by time of arrival, the newest first. */
  newest: readonly (readonly [productId: string, arrivedAt: number])[];
}

export function createNewArrivals() {
  const kept = new WeakMap<object, Kept>();

  const newestOf = (catalog: Catalog): Kept["newest"] => {
    const before = kept.get(catalog);
    const { revision } = catalog;
    if (before !== undefined && revision !== undefined && before.revision === revision) return before.newest;
    const changed = before?.revision === undefined ? undefined : catalog.changedSince?.(before.revision);
    const isShort = before !== undefined && changed !== undefined && changed.length <= MOST_CHANGED;
    const found = isShort ? productsOf(catalog, [...before.newest.map(([id]) => id), ...changed]) : catalog.products();
    const arrivals: (readonly [string, number])[] = [];
    const seen = new Set<string>();
    for (const product of found) {
      const at = arrivalOf(product);
      if (at === 0 || seen.has(product.productId)) continue;
      seen.add(product.productId);
      arrivals.push([product.productId, at]);
    }
    arrivals.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    const newest = arrivals.slice(0, MOST_NEW);
    kept.set(catalog, { revision, newest });
    return newest;
  };

  /** Products that arrived within so many days: the newest day first, the most popular first within a day. */
  return (shelf: Shelf, days: number, now: number) => {
    const { catalog, model } = shelf;
    const daysAgo = (at: number) => Math.floor((now - at) / DAY_MS);
    const popularity = (productId: string) => model?.popularity[model.indexOf(productId) ?? -1] ?? 0;
    const arrivals = newestOf(catalog)
      .filter(([productId, at]) => {
        const product = catalog.get(productId);
        return daysAgo(at) < days && product !== undefined && isShown(product, now);
      })
      .map(([productId, at]) => ({ productId, day: daysAgo(at), popularity: popularity(productId) }))
      .sort((a, b) => a.day - b.day || b.popularity - a.popularity);
    return {
      products: arrivals.map(({ productId }): Proposal => shelf.proposal(productId)),
      /** By place in the list. */
      daysAgo: (place: number) => arrivals[place]!.day,
    };
  };
}

function* productsOf(catalog: Pick<Catalog, "get">, ids: Iterable<string>): Generator<Product> {
  for (const productId of ids) {
    const product = catalog.get(productId);
    if (product !== undefined) yield product;
  }
}
