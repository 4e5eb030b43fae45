import type { Product } from "../../domain/product.js";

/**
 * A written product, or the id of a removed one. `reload` means: read all products again. The store sends it when it
 * cannot list the changes, because the watcher lags too far behind or the app was removed and created again.
 */
export type ProductChange = { readonly put: Product } | { readonly removed: string } | { readonly reload: true };

/** Reads products. A unit of work writes them. */
export interface ProductStore {
  get(appId: string, productId: string): Promise<Product | undefined>;
  /** The same at once, without a promise; only of a store whose file is mapped into this process. */
  readonly getNow?: ((appId: string, productId: string) => Product | undefined) | undefined;
  getBySku(appId: string, sku: string): Promise<Product | undefined>;
  /** Up to `limit` products with ids greater than `after`, in id order. */
  list(appId: string, after: string, limit: number): Promise<Product[]>;
  /** All products in batches, in id order. */
  scan(appId: string): AsyncIterable<readonly Product[]>;
  /**
   * Calls `listener` after each write committed from now on, in commit order and before the write's promise resolves.
   * Writes of other processes arrive within 5 s; of several to one product only the latest may arrive. A product may arrive
   * more than once, but never an older state after a newer one. Returns a function that stops the watch.
   */
  watch(appId: string, listener: (changes: readonly ProductChange[]) => void): () => void;
}
