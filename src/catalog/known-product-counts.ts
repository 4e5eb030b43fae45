import type { Metrics } from "../adapters/metrics.js";
import type { StoredEventListener } from "../domain/event.js";
import type { CatalogViews } from "./catalog-view.js";
import { isKnownProduct } from "./unknown-products.js";

const ACTIONS: ReadonlySet<string> = new Set(["product_view", "add_to_cart", "order"]);

/** Counts products of stored events, known and unknown, of apps whose catalogue is in this process's memory. */
export function createKnownProductCounts(
  catalogs: Pick<CatalogViews, "loaded">,
  metrics: Metrics,
): StoredEventListener {
  return {
    wants: (appId) => catalogs.loaded(appId) !== undefined,
    took: (appId, { actionType, bot, products }) => {
      const catalog = catalogs.loaded(appId);
      if (catalog === undefined || bot || !ACTIONS.has(actionType)) return;
      let known = 0;
      for (const { productId, sku } of products) if (isKnownProduct(productId || sku, catalog)) known++;
      if (known > 0) metrics.count("event_products", { known: "yes" }, known);
      if (known < products.length) metrics.count("event_products", { known: "no" }, products.length - known);
    },
  };
}
