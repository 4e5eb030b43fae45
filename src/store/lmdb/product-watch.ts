import type { ReportFailure } from "../../adapters/report-failure.js";
import type { ProductChange } from "../ports/product-store.js";
import { type ProductListener, ProductListeners } from "../product-listeners.js";
import { unpart } from "./keys.js";
import type { StagedTables } from "./staged-tables.js";

/** Notifies listeners of product writes, by app, when they are on disk. This process is the only one that writes. */
export class ProductWatchers {
  private readonly byApp = new Map<string, ProductListeners>();

  constructor(private readonly reportFailure: ReportFailure) {}

  watch(appId: string, listener: ProductListener): () => void {
    const listeners = this.byApp.get(appId) ?? new ProductListeners(this.reportFailure);
    this.byApp.set(appId, listeners);
    const stop = listeners.add(listener);
    return () => {
      stop();
      if (listeners.isEmpty && this.byApp.get(appId) === listeners) this.byApp.delete(appId);
    };
  }

  /** Tells of a committed batch's product writes. */
  committed(tables: StagedTables): void {
    if (this.byApp.size === 0) return;
    const changes = new Map<string, ProductChange[]>();
    for (const [key, product] of tables.products.written()) {
      const border = key.indexOf("\0");
      const appId = unpart(key.slice(0, border));
      if (!this.byApp.has(appId)) continue;
      const change = product === undefined ? { removed: unpart(key.slice(border + 1)) } : { put: product };
      const ofApp = changes.get(appId);
      if (ofApp === undefined) changes.set(appId, [change]);
      else ofApp.push(change);
    }
    for (const [appId, ofApp] of changes) this.byApp.get(appId)?.tell(ofApp);
  }

  close(): void {
    this.byApp.clear();
  }
}
