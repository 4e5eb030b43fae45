/** Product ids in events that the catalogue does not know: pages that name products otherwise than the feed. */
import { setImmediate } from "node:timers/promises";
import type { Metrics } from "../adapters/metrics.js";
import type { StoredEventListener } from "../domain/event.js";
import type { EventStore } from "../store/ports/event-store.js";
import type { CatalogView, CatalogViews } from "./catalog-view.js";

/** A product id that no product has, no SKU and no group of variants. */
export interface UnknownProduct {
  readonly productId: string;
  /** Events that named it. */
  readonly events: number;
  /** The newest of them. */
  readonly lastAt: number;
  /** A product that is probably meant; "" for none. */
  readonly meant: string;
}

export interface UnknownProducts {
  /** Events with products that were read, the newest ones. */
  readonly eventsRead: number;
  /** Of these, those that name an unknown product. */
  readonly eventsUnknown: number;
  /** Different unknown ids. */
  readonly count: number;
  /** Products of the catalogue. */
  readonly products: number;
  /** Up to `limit` ids after the one with the key `after`, those that most events named first. */
  readonly read: (after: string, limit: number) => Promise<readonly UnknownProduct[]>;
}

/** The place of an unknown id in the list: by descending events, then by id. */
export function unknownProductKey({ events, productId }: Pick<UnknownProduct, "events" | "productId">): string {
  return `${String(MOST_EVENTS - events).padStart(5, "0")}:${productId}`;
}

export type FindUnknownProducts = (appId: string) => Promise<UnknownProducts>;

const MOST_EVENTS = 10_000;
const PAGE = 1000;
/** Products looked at before requests get a turn. */
const SLICE = 5000;
const ACTIONS: ReadonlySet<string> = new Set(["product_view", "add_to_cart", "order"]);

/** Whether a product, a SKU or a group of variants has this name. */
function isKnownProduct(name: string, catalog: Pick<CatalogView, "get" | "idOfSku" | "variantsOf">): boolean {
  return (
    catalog.get(name) !== undefined || catalog.variantsOf(name) !== undefined || catalog.idOfSku(name) !== undefined
  );
}

/** Counts products of stored events, known and unknown, of apps whose catalogue is in this process's memory. */
export function createKnownProductCounts(
  catalogs: Pick<CatalogViews, "loaded">,
  metrics: Metrics,
): StoredEventListener {
  return {
    wants: (appId, { actionType, bot }) => !bot && ACTIONS.has(actionType) && catalogs.loaded(appId) !== undefined,
    took: (appId, { products }) => {
      const catalog = catalogs.loaded(appId);
      if (catalog === undefined) return;
      let known = 0;
      for (const { productId, sku } of products) if (isKnownProduct(productId || sku, catalog)) known++;
      if (known > 0) metrics.count("event_products", { known: "yes" }, known);
      if (known < products.length) metrics.count("event_products", { known: "no" }, products.length - known);
    },
  };
}

export function createFindUnknownProducts(deps: {
  readonly events: Pick<EventStore, "list">;
  readonly catalogOf: (appId: string) => Promise<CatalogView>;
}): FindUnknownProducts {
  return async (appId) => {
    const catalog = await deps.catalogOf(appId);
    const unknown = new Map<string, { events: number; lastAt: number }>();
    let eventsRead = 0;
    let eventsUnknown = 0;
    let from = "";
    for (let read = 0; read < MOST_EVENTS; read += PAGE) {
      const events = await deps.events.list(appId, from, PAGE, true);
      for (const { actionType, products, occurredAt } of events) {
        if (!ACTIONS.has(actionType) || products.length === 0) continue;
        eventsRead++;
        const names = new Set(
          products.map(({ productId }) => productId).filter((name) => !isKnownProduct(name, catalog)),
        );
        if (names.size > 0) eventsUnknown++;
        for (const name of names) {
          const { events: before, lastAt } = unknown.get(name) ?? { events: 0, lastAt: 0 };
          unknown.set(name, { events: before + 1, lastAt: Math.max(lastAt, occurredAt) });
        }
      }
      const last = events.at(-1);
      if (last === undefined || events.length < PAGE) break;
      from = last.eventId;
    }
    const listed = [...unknown]
      .map(([productId, facts]) => ({ productId, ...facts, key: unknownProductKey({ productId, ...facts }) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    return {
      eventsRead,
      eventsUnknown,
      count: unknown.size,
      products: catalog.size,
      async read(after, limit) {
        const most = listed.filter(({ key }) => key > after).slice(0, limit);
        const names = most.map(({ productId }) => productId);
        const meant = await meantBy(names, catalog);
        return most.map(({ key: _, ...one }) => ({ ...one, meant: meant.get(one.productId) ?? "" }));
      },
    };
  };
}

/**
 * Products that unknown ids probably mean: the same letters and digits, else a part of the id, or an id of which it is the
 * last part (`shopify_DE_123_456` in the feed, `456` on the page).
 */
async function meantBy(names: readonly string[], catalog: CatalogView): Promise<ReadonlyMap<string, string>> {
  const meant = new Map<string, string>();
  if (names.length === 0) return meant;
  const byLetters = new Map(names.map((name) => [lettersOf(name), name]));
  const byName = new Set(names);
  let looked = 0;
  for (const { productId, sku } of catalog.products()) {
    for (const known of [productId, sku]) {
      const same = known === "" ? undefined : byLetters.get(lettersOf(known));
      const part = partsOf(known).at(-1) ?? "";
      if (same !== undefined) meant.set(same, productId);
      else if (byName.has(part) && !meant.has(part)) meant.set(part, productId);
    }
    if (++looked % SLICE === 0) await setImmediate();
  }
  for (const name of names) {
    const part = meant.has(name) ? undefined : partsOf(name).findLast((one) => catalog.get(one) !== undefined);
    if (part !== undefined) meant.set(name, part);
  }
  return meant;
}

function lettersOf(id: string): string {
  return id
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
    .replace(/^0+(?=.)/, "");
}

function partsOf(id: string): string[] {
  const parts = id.split(/[-_:/.|]/).filter((part) => part !== "");
  return parts.length > 1 ? parts : [];
}
