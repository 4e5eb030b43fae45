import type { Product } from "../domain/product.js";

/** A product that was written, or the id of one that was removed. */
export type ProductChange = { readonly put: Product } | { readonly removed: string };

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
   * promise resolves (writes of other processes: within seconds). Returns how to stop.
   */
  watch(appId: string, listener: (changes: readonly ProductChange[]) => void): () => void;
}
