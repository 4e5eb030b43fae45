import { isErased } from "../../domain/ledger.js";
import { NO_PRODUCTS, type ProductCounts } from "../../domain/product.js";
import { appIdOf, appKey, FIRST, type Key, keyOf, LAST, ownedKey, timedKey, unpart } from "./keys.js";
import { mendContactKeys } from "./repair.js";
import type { Table } from "./table.js";
import type { Tables } from "./tables.js";

const ALL = { start: FIRST, end: LAST };

/**
 * Within a write transaction: rebuilds indexes from their records and removes references to missing records. Returns the
 * number of removed interactions and model pointers.
 */
export function rebuildIndexes(tables: Tables): number {
  let removed = 0;
  const drop = <T>(table: Table<T>, isKept: (appId: string, value: T, key: Key) => boolean): number => {
    const gone = table.entries(ALL).filter(({ key, value }) => !isKept(appIdOf(key), value, key));
    for (const { key } of gone) table.removeNow(key);
    return gone.length;
  };
  const put = <T>(table: Table<T>, key: Key, value: T) => table.putNow(key, table.encode(key, value));
  const { visitors, visitorKeys, changes, contactChanges, idempotency, idempotencyTimes } = tables;
  const { products, productSkus, productCounts, events, orders, interactions, models, pointers } = tables;

  mendContactKeys(tables);
  drop(visitorKeys, (appId, id, key) => visitors.get(keyOf(appId, id))?.keys.includes(ownPart(key)) === true);
  for (const { key, value } of visitors.entries(ALL)) {
    for (const one of value.keys) put(visitorKeys, keyOf(appIdOf(key), one), value.visitorId);
  }
  drop(contactChanges, (appId, id) => changes.get(keyOf(appId, id)) !== undefined);
  for (const { key, value } of changes.entries(ALL)) {
    if (!isErased(value)) put(contactChanges, ownedKey(appIdOf(key), value.contactId, value.changeId), value.changeId);
  }
  for (const { key, value } of idempotency.entries(ALL)) {
    put(idempotencyTimes, timedKey(appIdOf(key), "", value.claimedAt, ownPart(key)), ownPart(key));
  }
  drop(productSkus, (appId, id, key) => products.get(keyOf(appId, id))?.sku === ownPart(key));
  const counts = new Map<string, ProductCounts>();
  for (const { key, value } of products.entries(ALL)) {
    const { fed, learned } = counts.get(appIdOf(key)) ?? NO_PRODUCTS;
    counts.set(appIdOf(key), value.origin === "catalog" ? { fed: fed + 1, learned } : { fed, learned: learned + 1 });
  }
  for (const [appId, count] of counts) put(productCounts, appKey(appId), count);
  removed += drop(interactions, (appId, { type, ref }) =>
    type === "order" && ref.startsWith(ORDER)
      ? orders.get(keyOf(appId, ref.slice(ORDER.length))) !== undefined
      : events.get(keyOf(appId, ref)) !== undefined,
  );
  removed += drop(pointers, (appId, { modelId }) => models.get(keyOf(appId, modelId)) !== undefined);
  return removed;
}

/** What the order book's rows are known by. */
const ORDER = "order:";

/** The last part of a key. */
function ownPart(key: Key): string {
  return unpart(key.slice(key.lastIndexOf("\0") + 1));
}
