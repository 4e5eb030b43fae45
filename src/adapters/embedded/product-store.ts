import type { Metrics } from "../../ports/metrics.js";
import type { ProductChange, ProductStore } from "../../ports/product-store.js";
import type { Environment } from "./environment.js";
import { after, afterPrefix, keyOf, unpart } from "./keys.js";
import { scanValues } from "./scan.js";
import type { StagedTables } from "./staged.js";

type Listener = (changes: readonly ProductChange[]) => void;

/** Those who want to know of product writes, by app. */
export class ProductWatchers {
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor(private readonly metrics: Metrics | undefined) {}

  watch(appId: string, listener: Listener): () => void {
    const own: Listener = (changes) => listener(changes); // so that one function can watch twice
    const all = this.listeners.get(appId) ?? new Set();
    this.listeners.set(appId, all.add(own));
    return () => {
      all.delete(own);
      if (all.size === 0 && this.listeners.get(appId) === all) this.listeners.delete(appId);
    };
  }

  /** Tells of the product writes of a batch that was committed. A listener that throws keeps nobody from anything. */
  committed(tables: StagedTables): void {
    if (this.listeners.size === 0) return;
    const byApp = new Map<string, ProductChange[]>();
    for (const [key, product] of tables.products.written()) {
      const border = key.indexOf("\0");
      const appId = unpart(key.slice(0, border));
      const change = product === undefined ? { removed: unpart(key.slice(border + 1)) } : { put: product };
      const changes = byApp.get(appId);
      if (changes === undefined) byApp.set(appId, [change]);
      else changes.push(change);
    }
    for (const [appId, changes] of byApp) {
      for (const listener of this.listeners.get(appId) ?? []) {
        try {
          listener(changes);
        } catch {
          this.metrics?.count("store_watchers_failed");
        }
      }
    }
  }
}

export function createProductStore({ tables }: Environment, watchers: ProductWatchers): ProductStore {
  return {
    get: async (appId, productId) => tables.products.get(keyOf(appId, productId)),

    getBySku: async (appId, sku) => {
      const productId = tables.productSkus.get(keyOf(appId, sku));
      return productId === undefined ? undefined : tables.products.get(keyOf(appId, productId));
    },

    list: async (appId, from, limit) => {
      const first = keyOf(appId, "");
      const start = from === "" ? first : after(keyOf(appId, from));
      return tables.products.entries({ start, end: afterPrefix(first), limit }).map((entry) => entry.value);
    },

    scan: (appId) => {
      const first = keyOf(appId, "");
      return scanValues(tables.products, first, afterPrefix(first));
    },

    watch: (appId, listener) => watchers.watch(appId, listener),
  };
}
