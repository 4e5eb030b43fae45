import { DataDamaged } from "../../domain/errors.js";
import type { Product } from "../../domain/product.js";
import { mayKeep, repairedProduct, SkuOwners } from "../earlier-products.js";
import { after, appKey, FIRST, type Key, keyOf, keysOf, LAST } from "./keys.js";
import { earlierProductCodec } from "./records.js";
import type { Table } from "./table.js";
import type { Tables } from "./tables.js";

const AT_ONCE = 1000;

/**
 * Within a write transaction: repairs catalogues of formats up to 4. Removes products that too few visitors have sent,
 * normalises URLs, returns SKUs to products from feeds and RPC, and recounts.
 */
export function repairProducts(tables: Tables): void {
  for (const key of tables.apps.keys({ start: FIRST, end: LAST })) {
    const app = unlessDamaged(tables.apps, key);
    if (app !== undefined) repairApp(tables, app.appId, app.learnedAfterVisitors);
  }
}

function repairApp(tables: Tables, appId: string, wanted: number): void {
  const { products, productSkus, productCounts } = tables;
  const earlier = products.as(earlierProductCodec);
  const owners = new SkuOwners();
  const learned: Product[] = [];
  for (const { key, value } of rowsOf(earlier, appId)) {
    const product = repairedProduct(value, wanted);
    if (product === undefined) {
      products.removeNow(key);
      const skuKey = keyOf(appId, value.sku);
      if (value.sku !== "" && unlessDamaged(productSkus, skuKey) === value.productId) productSkus.removeNow(skuKey);
      continue;
    }
    if (product !== value) products.putNow(key, products.encode(key, product));
    owners.take(product);
    if (product.origin === "event" && product.sku !== "") learned.push(product);
  }
  for (const [sku, owner] of owners.entries()) {
    const skuKey = keyOf(appId, sku);
    const indexed = unlessDamaged(productSkus, skuKey);
    if (indexed !== undefined && mayKeep(sku, unlessDamaged(products, keyOf(appId, indexed)), owner)) continue;
    productSkus.putNow(skuKey, productSkus.encode(skuKey, owner.productId));
  }
  for (const product of learned) {
    if (unlessDamaged(productSkus, keyOf(appId, product.sku)) === product.productId) continue;
    const key = keyOf(appId, product.productId);
    products.putNow(key, products.encode(key, { ...product, sku: "" }));
  }
  productCounts.putNow(appKey(appId), productCounts.encode(appKey(appId), owners.productCounts));
}

/** The rows of an app. The caller may write and remove rows already visited. */
function* rowsOf<T>(table: Table<T>, appId: string): Iterable<{ readonly key: Key; readonly value: T }> {
  const { start, end } = keysOf(appId);
  let from = start;
  for (;;) {
    const keys = table.keys({ start: from, end, limit: AT_ONCE });
    for (const key of keys) {
      const value = unlessDamaged(table, key);
      if (value !== undefined) yield { key, value };
    }
    const last = keys.at(-1);
    if (last === undefined || keys.length < AT_ONCE) return;
    from = after(last);
  }
}

/** Skips a damaged record, which must not keep the store from opening. */
function unlessDamaged<T>(table: Table<T>, key: Key): T | undefined {
  try {
    return table.get(key);
  } catch (error) {
    if (error instanceof DataDamaged) return undefined;
    throw error;
  }
}
