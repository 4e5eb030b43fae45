import type { Product } from "../domain/product.js";

/**
 * A product that was written, or the id of one that was removed. `reload` says that the store cannot tell what has
 * changed (the watcher was too far behind, or the app is another one): all products are to be read again.
 */
export type ProductChange = { readonly put: Product } | { readonly removed: string } | { readonly reload: true };

/** Reads products. They are written in a unit of work. */
export interface ProductStore {
  get(appId: string, productId: string): Promise<Product | undefined>;
  getBySku(appId: string, sku: string): Promise<Product | undefined>;
  /** Up to `limit` products with ids greater than `after`, in order of ids. */
  list(appId: string, after: string, limit: number): Promise<Product[]>;
  /** All products in batches, in order of ids. */
  scan(appId: string): AsyncIterable<readonly Product[]>;
  /**
   * Calls `listener` after each write that is committed from now on, in order of commits and before the write's
   * promise resolves; writes of other processes within 5 s, of which only the latest of several to a product may be
   * told. A product may be told more than once, but never an older state after a newer one. Returns how to stop.
   */
  watch(appId: string, listener: (changes: readonly ProductChange[]) => void): () => void;
}
