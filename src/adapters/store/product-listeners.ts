import type { Metrics } from "../../ports/metrics.js";
import type { ProductChange } from "../../ports/product-store.js";

export type ProductListener = (changes: readonly ProductChange[]) => void;

/** Those who watch the products of one app. */
export class ProductListeners {
  private readonly all = new Set<ProductListener>();

  constructor(private readonly metrics: Metrics | undefined) {}

  get isEmpty(): boolean {
    return this.all.size === 0;
  }

  /** Returns how to stop. A function that is added twice is told twice. */
  add(listener: ProductListener): () => void {
    const own: ProductListener = (changes) => listener(changes);
    this.all.add(own);
    return () => {
      this.all.delete(own);
    };
  }

  /** A listener that throws keeps nobody from anything; it is counted. */
  tell(changes: readonly ProductChange[]): void {
    if (changes.length === 0) return;
    for (const listener of this.all) {
      try {
        listener(changes);
      } catch {
        this.metrics?.count("store_watchers_failed");
      }
    }
  }
}
