import { setImmediate } from "node:timers/promises";
import type { ReportFailure } from "../adapters/report-failure.js";
import type { Event } from "../domain/event.js";
import type { ServingModel } from "../learning/model/source.js";
import type { EventStore } from "../store/ports/event-store.js";
import type { WatchedCatalog } from "./catalog.js";
import { LiveIndex, type LiveProducts } from "./live-products.js";
import { productIdOf } from "./product-ids.js";

/** Keeps products and events newer than the model, for each requested app. */
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
  /** Undefined before the first time. */
  revision: number | undefined;
  /** Refreshes since the last request. */
  idleRefreshes: number;
  /** Ids of the newest events already read. */
  seen: ReadonlySet<string>;
}

/** Products scanned before yielding in a full scan: 1 to 2 ms. */
const SCAN_BATCH = 4000;
/** Products indexed before yielding: a few milliseconds. */
const INDEX_BATCH = 40;
/** Refreshes of an unused app before it pauses until the next request. */
const MAX_IDLE_REFRESHES = 600;
/** The newest events are read, and more when all of them are new. */
const EVENTS_FIRST = 100;
const EVENTS_MOST = 1000;

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
    const ids = changed ?? (await unknownIds(entry));
    for (let from = 0; from < ids.length; from += INDEX_BATCH) {
      for (const productId of ids.slice(from, from + INDEX_BATCH)) index.put(productId, catalog.get(productId));
      await setImmediate();
    }
    entry.revision = to;
  };

  /** The new ones of the newest events; not needed while there is no new product. */
  const takeEvents = async (appId: string, entry: Entry): Promise<void> => {
    if (entry.index.size === 0) return;
    let newest = await deps.events.list(appId, "", EVENTS_FIRST, true);
    if (newest.length === EVENTS_FIRST && !newest.some(({ eventId }) => entry.seen.has(eventId)))
      newest = await deps.events.list(appId, "", EVENTS_MOST, true);
    for (const event of newest.toReversed())
      if (!entry.seen.has(event.eventId)) entry.index.meet(withIds(event, entry.catalog));
    const ids = newest.map(({ eventId }) => eventId);
    entry.seen = new Set([...ids, ...[...entry.seen].slice(0, EVENTS_MOST)]);
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
      if (model.placing === undefined) return undefined;
      const entry = {
        catalog,
        index: new LiveIndex(model, model.placing),
        revision: undefined,
        idleRefreshes: 0,
        seen: new Set<string>(),
      };
      entries.set(appId, entry);
      return entry.index;
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
async function unknownIds({ catalog, index }: Pick<Entry, "catalog" | "index">): Promise<string[]> {
  const found: string[] = [];
  let scanned = 0;
  for (const productId of catalog.ids()) {
    if (index.model.indexOf(productId) === undefined) found.push(productId);
    if (++scanned % SCAN_BATCH === 0) await setImmediate();
  }
  return found;
}
