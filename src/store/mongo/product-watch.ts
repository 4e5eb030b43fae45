import type { ReportFailure } from "../../adapters/report-failure.js";
import { type Key, keyOf, unpart } from "../keys.js";
import type { ProductChange } from "../ports/product-store.js";
import { type ProductListener, ProductListeners } from "../product-listeners.js";
import { asked, type Connection, LONG_MS } from "./connection.js";
import type { News, NewsFeed } from "./news.js";
import type { Write } from "./staged-tables.js";
import { eachOf } from "./table.js";
import type { Tables } from "./tables.js";

/** The watchers of one app. */
interface Watched {
  readonly listeners: ProductListeners;
  /** Commits of this server so far. */
  commits: number;
  /** The last commit of this server that wrote a product, by key, while products are being read. */
  readonly written: Map<Key, number>;
  reading: number;
}

/**
 * Notifies watchers of product writes: of this server's own at the commit, of other servers' when their news arrives. News name
 * the products; the watcher gets each as it is by then.
 */
export class ProductWatchers {
  private readonly apps = new Map<string, Watched>();

  constructor(
    private readonly connection: Connection,
    private readonly tables: Tables,
    private readonly reportFailure: ReportFailure,
    private readonly feed: () => NewsFeed,
  ) {}

  watch(appId: string, listener: ProductListener): () => void {
    let watched = this.apps.get(appId);
    if (watched === undefined) {
      watched = { listeners: new ProductListeners(this.reportFailure), commits: 0, written: new Map(), reading: 0 };
      this.apps.set(appId, watched);
      this.follow();
    }
    const { listeners } = watched;
    const stop = listeners.add(listener);
    return () => {
      stop();
      if (listeners.isEmpty && this.apps.get(appId)?.listeners === listeners) this.apps.delete(appId);
    };
  }

  /** Follows other servers, also when the database cannot be reached now. */
  follow(): void {
    if (this.apps.size === 0) return;
    this.feed()
      .start()
      .catch((error: unknown) => this.reportFailure("store_watch", error));
  }

  /** Takes note of a commit of this server. */
  committed(appId: string, writes: readonly Write[]): void {
    const watched = this.apps.get(appId);
    if (watched === undefined) return;
    watched.commits++;
    const changes: ProductChange[] = [];
    for (const { table, key, document } of writes) {
      if (table !== this.tables.products.name) continue;
      if (watched.reading > 0) watched.written.set(key, watched.commits);
      changes.push(this.changeOf(appId, key, document?.v));
    }
    watched.listeners.tell(changes);
  }

  /** Passes on what other servers changed; everything may have changed when there is no news. */
  async take(news: readonly News[] | undefined): Promise<void> {
    if (news === undefined) {
      for (const { listeners } of this.apps.values()) listeners.tell([{ reload: true }]);
      return;
    }
    const byApp = new Map<string, Set<Key> | undefined>();
    for (const { app, products } of news) {
      const keys = byApp.get(app) ?? new Set<Key>();
      const isAll = products.length === 0 || (byApp.has(app) && byApp.get(app) === undefined);
      byApp.set(app, isAll ? undefined : products.reduce((set, key) => set.add(key), keys));
    }
    for (const [appId, keys] of byApp) {
      const watched = this.apps.get(appId);
      if (watched === undefined) continue;
      if (keys === undefined) watched.listeners.tell([{ reload: true }]);
      else await this.tell(appId, watched, [...keys]);
    }
  }

  /** Reads products and tells them. It leaves out those that this server has written meanwhile, since watchers know these. */
  private async tell(appId: string, watched: Watched, keys: readonly Key[]): Promise<void> {
    const { products } = this.tables;
    const { commits } = watched;
    const found = new Map<string, unknown>();
    watched.reading++;
    try {
      const ids = keys.map((key) => products.idOf(key));
      await asked(
        this.connection,
        () => eachOf(this.connection, ids, undefined, (id, v) => void found.set(id, v)),
        LONG_MS,
      );
      const unwritten = keys.filter((key) => (watched.written.get(key) ?? 0) <= commits);
      watched.listeners.tell(unwritten.map((key) => this.changeOf(appId, key, found.get(products.idOf(key)))));
    } finally {
      if (--watched.reading === 0) watched.written.clear();
    }
  }

  private changeOf(appId: string, key: Key, stored: unknown): ProductChange {
    if (stored === undefined) return { removed: unpart(key.slice(keyOf(appId, "").length)) };
    return { put: this.tables.products.decode(stored) };
  }
}
