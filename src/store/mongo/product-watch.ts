import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Now } from "../../domain/clock.js";
import type { ProductChange } from "../ports/product-store.js";
import { type ProductListener, ProductListeners } from "../product-listeners.js";
import { TOMBSTONE_MS } from "./apply-commit.js";
import type { Commits } from "./commits.js";
import { asked, type Connection, LONG_MS } from "./connection.js";
import { appKey, type Key, keyOf, unpart } from "./keys.js";
import type { Write } from "./staged-tables.js";
import type { Tables } from "./tables.js";

/** The state of one app's watchers. */
interface Watched {
  readonly listeners: ProductListeners;
  /** All commits up to this one were passed on; undefined until the start is known. */
  upTo: number | undefined;
  /** Later commits that were passed on, by key. */
  readonly told: Map<Key, number>;
  /** Time of the last poll. */
  polledAt: number;
}

export interface ProductWatchersDeps {
  readonly connection: Connection;
  readonly tables: Tables;
  readonly commits: Commits;
  readonly reportFailure: ReportFailure;
  readonly now: Now;
  /** The last commit of an app that this server knows of. */
  readonly known: (appId: string) => number | undefined;
}

/** After this long without an answer tombstones may be gone, and with them the news of removals. */
const TOO_LONG_MS = TOMBSTONE_MS / 2;

/**
 * Notifies watchers of product writes: of this server's on commit, of other servers' when `poll` finds them. Each state of
 * a product is sent once.
 */
export class ProductWatchers {
  private readonly apps = new Map<string, Watched>();

  constructor(private readonly deps: ProductWatchersDeps) {}

  watch(appId: string, listener: ProductListener): () => void {
    const watched = this.apps.get(appId) ?? this.open(appId);
    const stop = watched.listeners.add(listener);
    return () => {
      stop();
      if (watched.listeners.isEmpty && this.apps.get(appId) === watched) this.apps.delete(appId);
    };
  }

  /** Takes note of a commit of this server. */
  committed(appId: string, rev: number, writes: readonly Write[]): void {
    const watched = this.apps.get(appId);
    if (watched === undefined) return;
    const changes: ProductChange[] = [];
    for (const { table, key, stored } of writes) {
      if (table === this.deps.tables.removals.name && stored === undefined) changes.push({ reload: true });
      if (table !== this.deps.tables.products.name || (watched.told.get(key) ?? 0) >= rev) continue;
      watched.told.set(key, rev);
      changes.push(this.changeOf(appId, key, stored));
    }
    watched.listeners.tell(changes);
  }

  /** Looks for what other servers have committed. */
  async poll(): Promise<void> {
    if (this.apps.size === 0) return;
    const heads = await this.deps.commits.headsOf([...this.apps.keys()]);
    for (const [appId, watched] of this.apps) {
      const head = heads.get(appId) ?? 0;
      const from = watched.upTo ?? head - 1;
      if (this.deps.now() - watched.polledAt > TOO_LONG_MS) watched.listeners.tell([{ reload: true }]);
      else if (head > from) await this.tellSince(appId, watched, from);
      watched.polledAt = this.deps.now();
      watched.upTo = head;
      for (const [key, rev] of watched.told) if (rev <= head) watched.told.delete(key);
    }
  }

  /**
   * A server that does not know the app's commits asks for the last one. One commit may fall between the start of the
   * watch and that query, so the last one is sent too.
   */
  private open(appId: string): Watched {
    const watched: Watched = {
      listeners: new ProductListeners(this.deps.reportFailure),
      upTo: this.deps.known(appId),
      told: new Map(),
      polledAt: this.deps.now(),
    };
    this.apps.set(appId, watched);
    if (watched.upTo === undefined) {
      this.deps.commits.head(appId).then(
        (head) => {
          watched.upTo ??= Math.max(0, head - 1);
        },
        (error: unknown) => this.deps.reportFailure("store_watch", error), // the next poll asks again
      );
    }
    return watched;
  }

  private async tellSince(appId: string, watched: Watched, from: number): Promise<void> {
    const { removals, products } = this.deps.tables;
    const removal = await asked(this.deps.connection, () => removals.collection.findOne({ _id: appKey(appId) }));
    if (removal !== null && removal.rev > from) watched.listeners.tell([{ reload: true }]);
    const documents = await asked(
      this.deps.connection,
      () =>
        products.collection
          .find({ app: appId, rev: { $gt: from } })
          .sort({ rev: 1 })
          .toArray(),
      LONG_MS,
    );
    const changes: ProductChange[] = [];
    for (const { _id: key, rev, v, gone } of documents) {
      if ((watched.told.get(key) ?? 0) >= rev) continue;
      watched.told.set(key, rev);
      changes.push(this.changeOf(appId, key, gone === true ? undefined : v));
    }
    watched.listeners.tell(changes);
  }

  private changeOf(appId: string, key: Key, stored: unknown): ProductChange {
    if (stored === undefined) return { removed: unpart(key.slice(keyOf(appId, "").length)) };
    return { put: this.deps.tables.products.decode(stored) };
  }
}
