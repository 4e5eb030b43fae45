import { keyOf } from "../keys.js";
import type { ProductStore } from "../ports/product-store.js";
import type { ProductWatchers } from "./product-watch.js";
import { scanValues } from "./scan.js";
import type { Tables } from "./tables.js";

export function createProductStore({ products, productSkus }: Tables, watchers: ProductWatchers): ProductStore {
  return {
    get: (appId, productId) => products.get(keyOf(appId, productId)),

    getBySku: async (appId, sku) => {
      const productId = await productSkus.get(keyOf(appId, sku));
      return productId === undefined ? undefined : products.get(keyOf(appId, productId));
    },

    list: async (appId, from, limit) => (await products.list(appId, from, limit)).map((entry) => entry.value),

    scan: (appId) => scanValues(products, appId),

    watch: (appId, listener) => watchers.watch(appId, listener),
  };
}
