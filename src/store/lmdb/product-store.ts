import type { ProductStore } from "../ports/product-store.js";
import type { Environment } from "./environment.js";
import { keyOf, keysOf } from "./keys.js";
import type { ProductWatchers } from "./product-watch.js";
import { scanValues } from "./scan.js";

export function createProductStore({ tables }: Environment, watchers: ProductWatchers): ProductStore {
  return {
    get: async (appId, productId) => tables.products.get(keyOf(appId, productId)),

    getNow: (appId, productId) => tables.products.get(keyOf(appId, productId)),

    getBySku: async (appId, sku) => {
      const productId = tables.productSkus.get(keyOf(appId, sku));
      return productId === undefined ? undefined : tables.products.get(keyOf(appId, productId));
    },

    list: async (appId, from, limit) => {
      return tables.products.entries({ ...keysOf(appId, from), limit }).map((entry) => entry.value);
    },

    scan: (appId) => scanValues(tables.products, appId),

    watch: (appId, listener) => watchers.watch(appId, listener),
  };
}
