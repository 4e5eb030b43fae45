/** New products of a catalogue, kept up with what is written to it. */
import { arrivalOf, isShown } from "../../domain/product.js";
import type { Catalog, Proposal, Shelf } from "../products/catalog.js";

/** The newest products that are kept. */
const MOST_NEW = 2000;
/** More changes than this are read by looking at all products. */
const MOST_CHANGED = 1000;
const DAY_MS = 86_400_000;

type Arrival = readonly [productId: string, arrivedAt: number];

interface Kept {
  revision: number | undefined;
  /** Product ids by time of arrival, the newest first. */
  newest: readonly Arrival[];
}

export function createNewArrivals() {
  const kept = new WeakMap<object, Kept>();

  const newestOf = (catalog: Catalog): Kept["newest"] => {
    const before = kept.get(catalog);
    const { revision } = catalog;
    if (before !== undefined && revision !== undefined && before.revision === revision) return before.newest;
    const changed = before?.revision === undefined ? undefined : catalog.changedSince?.(before.revision);
    const isShort = before !== undefined && changed !== undefined && changed.length <= MOST_CHANGED;
    const ids = isShort ? new Set([...before.newest.map(([id]) => id), ...changed]) : [];
    const newest = newestOfAll(isShort ? arrivalsOf(catalog, ids) : catalog.arrivals());
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

function* arrivalsOf(catalog: Pick<Catalog, "get">, ids: Iterable<string>): Generator<Arrival> {
  for (const productId of ids) {
    const product = catalog.get(productId);
    if (product !== undefined) yield [productId, arrivalOf(product)];
  }
}

/** The newest, without an order of a whole catalogue: as many again are gathered before the older ones are dropped. */
function newestOfAll(arrivals: Iterable<Arrival>): readonly Arrival[] {
  const newest: Arrival[] = [];
  const drop = () => {
    newest.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    newest.length = Math.min(newest.length, MOST_NEW);
  };
  let least = 1;
  for (const arrival of arrivals) {
    if (arrival[1] < least) continue;
    newest.push(arrival);
    if (newest.length < 2 * MOST_NEW) continue;
    drop();
    least = newest.at(-1)![1];
  }
  drop();
  return newest;
}
