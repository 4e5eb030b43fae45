import type { Now } from "../../domain/clock.js";
import type { Metrics } from "../../ports/metrics.js";
import type { ProductChange } from "../../ports/product-store.js";
import { type ProductListener, ProductListeners } from "../store/product-listeners.js";
import { TOMBSTONE_MS } from "./apply.js";
import type { Commits } from "./commits.js";
import { asked, type Connection, LONG_MS } from "./connection.js";
import { appKey, type Key, keyOf, unpart } from "./keys.js";
import type { Write } from "./staged.js";
import type { Tables } from "./tables.js";

/** What the watchers of one app have been told. */
interface Watched {
  readonly listeners: ProductListeners;
  /** All commits up to this one were told; undefined until it is known where to begin. */
  upTo: number | undefined;
  /** Commits told of since, by key. */
  readonly told: Map<Key, number>;
  /** When it was last asked what other servers have committed. */
  polledAt: number;
}

export interface ProductWatchersDeps {
  readonly connection: Connection;
  readonly tables: Tables;
  readonly commits: Commits;
  readonly metrics: Metrics | undefined;
  readonly now: Now;
  /** The last commit of an app that this server knows of. */
  readonly known: (appId: string) => number | undefined;
}

/** After this long without an answer tombstones may be gone, and with them the news of removals. */
const TOO_LONG_MS = TOMBSTONE_MS / 2;

/**
 * Tells of product writes: those of this server with their commit, those of other servers when `poll` finds them. A
 * product that was told of as one commit left it is not told of again but for a later one.
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
   * A server that does not know the app's commits asks for the last one. One commit may have been made since the
   * caller began to watch and before the question; it is told of to be sure.
   */
  private open(appId: string): Watched {
    const watched: Watched = {
      listeners: new ProductListeners(this.deps.metrics),
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
        () => undefined, // the next poll asks again
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
