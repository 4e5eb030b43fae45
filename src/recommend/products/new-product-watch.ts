import { setImmediate } from "node:timers/promises";
import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Event } from "../../domain/event.js";
import type { ServingModel } from "../../learning/sources/source.js";
import type { EventStore } from "../../store/ports/event-store.js";
import type { WatchedCatalog } from "./catalog.js";
import { LiveIndex, type LiveProducts } from "./new-product-index.js";
import { productIdOf } from "./product-ids.js";

/** Keeps products newer than the model, and what visitors met with them, for each requested app. */
export interface LiveLayer {
  /** New products of the app beside this model, as far as they were read. */
  of(appId: string, catalog: WatchedCatalog, model: ServingModel): LiveProducts | undefined;
  /** Reads new products, then new events; some milliseconds of work at a time. Call it again and again. */
  refresh(): Promise<void>;
  forget(appId: string): void;
}

interface Entry {
  readonly catalog: WatchedCatalog;
  readonly index: LiveIndex;
  /** Of the catalogue when its products were last read; undefined before the first time. */
  revision: number | undefined;
  /** Id of the newest event that was read; undefined before the first one. */
  newestId: string | undefined;
  /** Refreshes since the last request. */
  idleRefreshes: number;
}

/** Products scanned before yielding in a full scan: 1 to 2 ms. */
const SCAN_BATCH = 4000;
/** Products indexed before yielding: a few milliseconds. */
const INDEX_BATCH = 40;
/** Refreshes of an unused app before it pauses until the next request. */
const MAX_IDLE_REFRESHES = 600;
/** Events read before yielding: 3 ms. As many of the newest are read at the beginning. */
const EVENT_BATCH = 100;
/** Events of an app read in one refresh; further ones are left out. */
const MAX_EVENTS = 1000;

export function createLiveLayer(deps: {
  readonly events: Pick<EventStore, "list">;
  readonly reportFailure: ReportFailure;
}): LiveLayer {
  const entries = new Map<string, Entry>();
  let running: Promise<void> | undefined;

  const takeProducts = async (entry: Entry): Promise<void> => {
    const { catalog, index } = entry;
    if (entry.revision === catalog.revision) return;
    const to = catalog.revision;
    const changed = entry.revision === undefined ? undefined : catalog.changedSince(entry.revision);
    const ids = changed ?? (await unknownIds(catalog, index.model));
    for (let from = 0; from < ids.length; from += INDEX_BATCH) {
      for (const productId of ids.slice(from, from + INDEX_BATCH)) index.put(productId, catalog.get(productId));
      await setImmediate();
    }
    entry.revision = to;
  };

  const newest = async (appId: string, limit: number) => (await deps.events.list(appId, "", limit, true)).toReversed();

  /**
   * Not needed while there is no new product. An event that becomes visible behind a later one is passed over: the counts
   * say that visitors met products together, not how many did.
   */
  const takeEvents = async (appId: string, entry: Entry): Promise<void> => {
    if (entry.index.size === 0) return;
    for (let read = 0; read < MAX_EVENTS; read += EVENT_BATCH) {
      const { newestId } = entry;
      const events =
        newestId === undefined
          ? await newest(appId, EVENT_BATCH)
          : await deps.events.list(appId, newestId, EVENT_BATCH, false);
      for (const event of events) entry.index.meet(withIds(event, entry.catalog));
      entry.newestId = events.at(-1)?.eventId ?? newestId ?? "";
      if (newestId === undefined || events.length < EVENT_BATCH) return;
      await setImmediate();
    }
    entry.newestId = (await newest(appId, 1))[0]?.eventId ?? entry.newestId;
  };

  const refresh = async (): Promise<void> => {
    for (const [appId, entry] of [...entries]) {
      if (entry.idleRefreshes++ > MAX_IDLE_REFRESHES) continue;
      await takeProducts(entry);
      // Recommendations work without the events; the next refresh catches up.
      await takeEvents(appId, entry).catch((error: unknown) => deps.reportFailure("live_events", error));
    }
  };

  return {
    of(appId, catalog, model) {
      const kept = entries.get(appId);
      if (kept?.catalog === catalog && kept.index.model === model) {
        kept.idleRefreshes = 0;
        return kept.index;
      }
      entries.delete(appId);
      if (model.placing === undefined) return undefined;
      const index = new LiveIndex(model, model.placing);
      entries.set(appId, { catalog, index, revision: undefined, newestId: undefined, idleRefreshes: 0 });
      return index;
    },
    refresh() {
      running ??= refresh().finally(() => {
        running = undefined;
      });
      return running;
    },
    forget(appId) {
      entries.delete(appId);
    },
  };
}

function withIds(event: Event, catalog: WatchedCatalog): Event {
  const products = event.products.map((product) => ({
    ...product,
    productId: productIdOf(product.productId, catalog),
  }));
  return { ...event, products };
}

/** Ids of all products that the model does not know. */
async function unknownIds(catalog: WatchedCatalog, model: ServingModel): Promise<string[]> {
  const found: string[] = [];
  let scanned = 0;
  for (const productId of catalog.ids()) {
    if (model.indexOf(productId) === undefined) found.push(productId);
    if (++scanned % SCAN_BATCH === 0) await setImmediate();
  }
  return found;
}
