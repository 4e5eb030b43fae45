import { setImmediate } from "node:timers/promises";
import type { ReportFailure } from "../../adapters/report-failure.js";
import { DataDamaged } from "../../domain/errors.js";
import type { ProductChange } from "../ports/product-store.js";
import { type ProductListener, ProductListeners } from "../product-listeners.js";
import type { Environment } from "./environment.js";
import { after, appKey, keyOf, keysOwnedBy, unpart } from "./keys.js";
import type { StagedTables } from "./staged-tables.js";
import { logKey, type ProductLog } from "./upkeep.js";

/** Records of the log read in one go: some milliseconds of work. */
const RECORDS_AT_ONCE = 4;

/** The listeners of one app and their position in the log. */
class AppWatch {
  constructor(readonly listeners: ProductListeners) {}

  /** Generation of the log that `told` refers to; undefined while the app has no log. */
  generation: string | undefined;
  /** Number of the last log record that was passed to the listeners. */
  told = 0;
  /** Number of the last log record when values were last read. The listeners have values at least that new. */
  readAt = 0;
}

/**
 * Notifies listeners of product writes, by app: of this process's writes on commit, of other processes' writes at the next
 * poll. Follows the order of the log and never sends an older value after a newer one.
 */
export class ProductWatchers {
  private readonly watches = new Map<string, AppWatch>();
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly deps: {
      readonly environment: Environment;
      readonly log: ProductLog;
      readonly reportFailure: ReportFailure;
      /** Poll interval of the log while there are listeners, ms. */
      readonly pollMs: number;
    },
  ) {}

  watch(appId: string, listener: ProductListener): () => void {
    let watch = this.watches.get(appId);
    if (watch === undefined) {
      watch = new AppWatch(new ProductListeners(this.deps.reportFailure));
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

  /** Notifies listeners of a committed batch's product writes. */
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

  /** Notifies listeners of writes of other processes since the last poll. */
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
        .catch((error: unknown) => this.deps.reportFailure("store_watch", error))
        .finally(() => {
          this.timer = undefined;
          this.schedule();
        });
    }, this.deps.pollMs).unref();
  }

  /** Starts at the end of the log: listeners get only later writes. */
  private begin(appId: string, watch: AppWatch): void {
    try {
      const head = this.deps.environment.tables.productHeads.get(appKey(appId));
      watch.generation = head?.generation;
      watch.told = watch.readAt = head?.last ?? 0;
    } catch (error) {
      this.deps.reportFailure("store_watch", error);
      watch.generation = ""; // matches no generation, so everything is read again once the head is readable
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
    // Other processes wrote first, or a poll already found this batch in the log.
    const ids = changes.map((change) =>
      "put" in change ? change.put.productId : "removed" in change ? change.removed : "",
    );
    try {
      while (this.step(appId, watch, ids)) {}
    } catch (error) {
      this.deps.reportFailure("store_watch", error);
    }
  }

  /**
   * Passes the next few log records to the listeners; false when none are left. When records are missing it sends `reload`,
   * and also the products of `own`, since their writer waits for that.
   */
  private step(appId: string, watch: AppWatch, own: readonly string[] = []): boolean {
    const { environment } = this.deps;
    const changes = environment.snapshot(() => this.read(appId, watch) ?? [RELOAD, ...this.current(appId, own)]);
    if (changes.length === 0) return false;
    watch.listeners.tell(changes);
    return true;
  }

  /** The next changes in the log; undefined when some were removed. Advances the watch. */
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
      const records = productLog.entries({ start: after(logKey(appId, from)), end, limit: RECORDS_AT_ONCE });
      if (records.length < Math.min(RECORDS_AT_ONCE, head.last - from)) return undefined;
      watch.told = from + records.length;
      return this.current(appId, new Set(records.flatMap((record) => record.value)));
    } catch (error) {
      if (error instanceof DataDamaged) return undefined;
      throw error;
    }
  }

  /** The current state of these products. A damaged one counts as removed. */
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
