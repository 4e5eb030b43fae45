import type { ReportFailure } from "../adapters/report-failure.js";
import type { ProductChange } from "./ports/product-store.js";

export type ProductListener = (changes: readonly ProductChange[]) => void;

/** The listeners that watch one app's products. */
export class ProductListeners {
  private readonly all = new Set<ProductListener>();

  constructor(private readonly reportFailure: ReportFailure) {}

  get isEmpty(): boolean {
    return this.all.size === 0;
  }

  /** Returns a function that removes the listener. A function added twice is called twice. */
  add(listener: ProductListener): () => void {
    const own: ProductListener = (changes) => listener(changes);
    this.all.add(own);
    return () => {
      this.all.delete(own);
    };
  }

  /** Calls every listener, even when one throws. */
  tell(changes: readonly ProductChange[]): void {
    if (changes.length === 0) return;
    for (const listener of this.all) {
      try {
        listener(changes);
      } catch (error) {
        this.reportFailure("product_listener", error);
      }
    }
  }
}
