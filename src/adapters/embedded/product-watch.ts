import { setImmediate } from "node:timers/promises";
import { DataDamaged } from "../../domain/errors.js";
import type { Metrics } from "../../ports/metrics.js";
import type { ProductChange } from "../../ports/product-store.js";
import { type ProductListener, ProductListeners } from "../store/product-listeners.js";
import type { Environment } from "./environment.js";
import { appKey, keyOf, keysOwnedBy, unpart } from "./keys.js";
import { logKey, type ProductLog } from "./product-log.js";
import type { StagedTables } from "./staged.js";

/** Records of the log read in one go: some milliseconds of work. */
const RECORDS_AT_ONCE = 4;

/** How far the listeners of one app have been told. */
class AppWatch {
  constructor(readonly listeners: ProductListeners) {}

  /** Of the log that `told` counts in; undefined while the app has none. */
  generation: string | undefined;
  /** Number of the last log record that was told. */
  told = 0;
  /** Number of the last log record when values were last read: what was told then is at least as new. */
  readAt = 0;
}

/**
 * Those who want to know of product writes, by app. Own writes are told as soon as they are committed, those of other
 * processes when the log is next looked at; all in the order of the log, and never an older value after a newer one.
 */
export class ProductWatchers {
  private readonly watches = new Map<string, AppWatch>();
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly deps: {
      readonly environment: Environment;
      readonly log: ProductLog;
      readonly metrics: Metrics | undefined;
      /** Milliseconds between two looks at the log while somebody watches. */
      readonly pollMs: number;
    },
  ) {}

  watch(appId: string, listener: ProductListener): () => void {
    let watch = this.watches.get(appId);
    if (watch === undefined) {
      watch = new AppWatch(new ProductListeners(this.deps.metrics));
      this.begin(appId, watch);
      this.watches.set(appId, watch);
    }
    const { listeners } = watch;
    const stop = listeners.add(listener);
    this.schedule();
    return () => {
      stop();
      if (listeners.isEmpty && this.watches.get(appId)?.listeners === listeners) this.watches.delete(appId);
    };
  }

  /** Tells of the product writes of a batch that was committed. */
  committed(tables: StagedTables): void {
    if (this.watches.size === 0) return;
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
      const watch = this.watches.get(appId);
      if (watch !== undefined) this.tellOwn(appId, watch, changes);
    }
  }

  /** Tells what other processes wrote since the last look. */
  async poll(): Promise<void> {
    for (const [appId, watch] of [...this.watches]) {
      while (!this.closed && this.watches.get(appId) === watch && this.step(appId, watch)) await setImmediate();
    }
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.watches.clear();
  }

  private schedule(): void {
    if (this.timer !== undefined || this.closed || this.watches.size === 0) return;
    this.timer = setTimeout(() => {
      this.poll()
        .catch(() => this.deps.metrics?.count("store_watch_failed"))
        .finally(() => {
          this.timer = undefined;
          this.schedule();
        });
    }, this.deps.pollMs).unref();
  }

  /** From now on: what is in the log already is not told. */
  private begin(appId: string, watch: AppWatch): void {
    try {
      const head = this.deps.environment.tables.productHeads.get(appKey(appId));
      watch.generation = head?.generation;
      watch.told = watch.readAt = head?.last ?? 0;
    } catch {
      watch.generation = ""; // unlike any other: everything is to be read again as soon as the head can be read
    }
  }

  private tellOwn(appId: string, watch: AppWatch, changes: readonly ProductChange[]): void {
    const added = this.deps.log.added.get(appId);
    if (added === undefined) {
      watch.listeners.tell(changes); // the app is being removed
      return;
    }
    const isSameLog = watch.generation === added.generation || (watch.generation === undefined && added.first === 1);
    if (isSameLog && watch.told === added.first - 1 && watch.readAt < added.first) {
      watch.generation = added.generation;
      watch.told = watch.readAt = added.last;
      watch.listeners.tell(changes);
      return;
    }
    // Others wrote before, or it was told already because the log was looked at when it was on disk.
    const ids = changes.map((change) =>
      "put" in change ? change.put.productId : "removed" in change ? change.removed : "",
    );
    try {
      while (this.step(appId, watch, ids)) {}
    } catch {
      this.deps.metrics?.count("store_watch_failed");
    }
  }

  /**
   * Tells of some of what is in the log and was not told; false when nothing was left. When it cannot say what has
   * changed, everything is to be read again; `own` ids are then told as well, since their writer waits for it.
   */
  private step(appId: string, watch: AppWatch, own: readonly string[] = []): boolean {
    const { environment } = this.deps;
    const changes = environment.snapshot(() => this.read(appId, watch) ?? [RELOAD, ...this.current(appId, own)]);
    if (changes.length === 0) return false;
    watch.listeners.tell(changes);
    return true;
  }

  /** The next changes by the log; undefined when it does not have them all. Moves the watch on. */
  private read(appId: string, watch: AppWatch): ProductChange[] | undefined {
    const { productHeads, productLog } = this.deps.environment.tables;
    const head = productHeads.get(appKey(appId));
    if (head === undefined) {
      const knew = watch.generation !== undefined;
      watch.generation = undefined;
      watch.told = watch.readAt = 0;
      return knew ? undefined : [];
    }
    const isNew = watch.generation === undefined;
    const isComplete = (isNew || watch.generation === head.generation) && watch.told >= head.cut;
    const from = watch.told;
    watch.generation = head.generation;
    watch.told = watch.readAt = head.last;
    if (!isComplete) return undefined;
    if (from === head.last) return [];
    const { end } = keysOwnedBy(appId, "");
    try {
      const records = productLog.entries({ start: logKey(appId, from + 1), end, limit: RECORDS_AT_ONCE });
      if (records.length < Math.min(RECORDS_AT_ONCE, head.last - from)) return undefined;
      watch.told = from + records.length;
      return this.current(appId, new Set(records.flatMap((record) => record.value)));
    } catch (error) {
      if (error instanceof DataDamaged) return undefined;
      throw error;
    }
  }

  /** These products as they are. One that is damaged cannot be shown, as if it were gone. */
  private current(appId: string, ids: Iterable<string>): ProductChange[] {
    const { products } = this.deps.environment.tables;
    return Array.from(ids, (id) => {
      try {
        const product = products.get(keyOf(appId, id));
        return product === undefined ? { removed: id } : { put: product };
      } catch (error) {
        if (error instanceof DataDamaged) return { removed: id };
        throw error;
      }
    });
  }
}

const RELOAD: ProductChange = { reload: true };
