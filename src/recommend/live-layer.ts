import { setImmediate } from "node:timers/promises";
import type { Metrics } from "../adapters/metrics.js";
import type { ReportFailure } from "../adapters/report-failure.js";
import type { Now } from "../domain/clock.js";
import type { Event } from "../domain/event.js";
import type { ServingModel } from "../learning/model/source.js";
import type { EventStore } from "../store/ports/event-store.js";
import type { ModelStore } from "../store/ports/model-store.js";
import { EventTail } from "./event-tail.js";
import { type LearningStores, LiveLearning } from "./live-learning.js";
import type { WatchedCatalog } from "./products/catalog.js";
import { LiveIndex, type LiveProducts } from "./products/new-product-index.js";
import { productIdOf } from "./products/product-ids.js";
import { WorkBudget } from "./work-budget.js";

/** Keeps products and events newer than the model, for each requested app. */
export interface LiveLayer {
  /** New products of the app beside this model, as far as they were read. */
  of(appId: string, catalog: WatchedCatalog, model: ServingModel): LiveProducts | undefined;
  /** Reads new products, then new events; some milliseconds of work at a time. Call it again and again. */
  refresh(): Promise<void>;
  /** Time of the newest event that this model has learned, ms; undefined for a model that this process does not learn on. */
  learnedUntil(appId: string, modelId: string): number | undefined;
  forget(appId: string): void;
}

export interface LiveLayerDependencies extends LearningStores {
  readonly events: Pick<EventStore, "list">;
  readonly models: Pick<ModelStore, "activity">;
  readonly now: Now;
  /** Milliseconds that never go back. */
  readonly monotonicNow: Now;
  readonly metrics: Metrics;
  readonly reportFailure: ReportFailure;
}

interface Entry {
  readonly catalog: WatchedCatalog;
  readonly model: ServingModel;
  /** Undefined for a model without texts. */
  readonly index: LiveIndex | undefined;
  /** Undefined for a model that cannot learn on. */
  readonly learning: LiveLearning | undefined;
  readonly tail: EventTail;
  /** Received time of the newest event that was learned, ms. */
  learnedUntil: number;
  /** Of the catalogue when its products were last read; undefined before the first time. */
  revision: number | undefined;
  /** Of the app when its events were last read. */
  activity: string;
  /** Refreshes since the last request. */
  idleRefreshes: number;
}

/** Products scanned before yielding in a full scan: 1 to 2 ms. */
const SCAN_BATCH = 4000;
/** Products indexed before yielding: a few milliseconds. */
const INDEX_BATCH = 40;
/** Refreshes of an unused app before it pauses until the next request. */
const MAX_IDLE_REFRESHES = 600;
/** Events that come faster than they may be learned are skipped when learning is so far behind. */
const MOST_LAG_MS = 5000;

export function createLiveLayer(deps: LiveLayerDependencies): LiveLayer {
  const entries = new Map<string, Entry>();
  const budget = new WorkBudget(deps.monotonicNow);
  let running: Promise<void> | undefined;
  let turn = 0;

  const takeProducts = async ({ catalog, model, index, revision }: Entry): Promise<number> => {
    if (index === undefined || revision === catalog.revision) return catalog.revision;
    const to = catalog.revision;
    const changed = revision === undefined ? undefined : catalog.changedSince(revision);
    const ids = changed ?? (await unknownIds(catalog, model));
    for (let from = 0; from < ids.length; from += INDEX_BATCH) {
      for (const productId of ids.slice(from, from + INDEX_BATCH)) index.put(productId, catalog.get(productId));
      await setImmediate();
    }
    return to;
  };

  const take = async (entry: Entry, events: readonly Event[]): Promise<void> => {
    const { index, learning, catalog } = entry;
    if (index !== undefined)
      await budget.spend(() => {
        for (const event of events) index.meet(withIds(event, catalog));
      });
    await learning?.learn(events, budget);
    for (const { receivedAt } of events) entry.learnedUntil = Math.max(entry.learnedUntil, receivedAt);
  };

  /** Looks for erasures, then takes new events and those that were left, as far as the budget goes. */
  const takeEvents = async (appId: string, entry: Entry): Promise<void> => {
    const { index, learning, tail } = entry;
    if (learning === undefined && (index === undefined || index.size === 0)) return;
    // Not of the budget: many apps of a remote store would leave nothing of it.
    const activity = await deps.models.activity(appId);
    if (activity !== entry.activity) await learning?.lookForErasures();
    else if (tail.isQuiet && learning?.isQuiet !== false) return;
    while (!budget.isSpent) {
      const events = await budget.spend(() => tail.next());
      if (events.length === 0) break;
      await take(entry, events);
    }
    entry.activity = activity;
    if (tail.lag(deps.now()) > MOST_LAG_MS) {
      deps.metrics.count("learning_skips");
      await tail.skip();
    }
    await learning?.goOn(budget);
    while (!budget.isSpent) {
      const events = await budget.spend(() => tail.settled(deps.now()));
      if (events === undefined) break;
      await take(entry, events);
    }
  };

  const refresh = async (): Promise<void> => {
    budget.refill();
    const all = [...entries];
    const first = all.length === 0 ? 0 : turn % all.length;
    for (const [n, [appId, entry]] of [...all.slice(first), ...all.slice(0, first)].entries()) {
      if (entry.idleRefreshes++ > MAX_IDLE_REFRESHES) continue;
      entry.revision = await takeProducts(entry);
      // Apps that find the budget spent come first next time: one app may use all of it.
      if (!budget.isSpent) turn = first + n + 1;
      // Recommendations work without the events; the next refresh catches up.
      await takeEvents(appId, entry).catch((error: unknown) => {
        entry.tail.readAgain();
        deps.reportFailure("live_events", error);
      });
    }
  };

  deps.metrics.watch?.("learning_lag_ms", () =>
    [...entries.values()].reduce((most, { tail }) => Math.max(most, tail.lag(deps.now())), 0),
  );

  return {
    of(appId, catalog, model) {
      const kept = entries.get(appId);
      if (kept?.catalog === catalog && kept.model === model) {
        kept.idleRefreshes = 0;
        return kept.index;
      }
      const { live, placing } = model;
      const indexOf = (name: string) => model.indexOf(name) ?? model.indexOf(productIdOf(name, catalog));
      const entry: Entry = {
        catalog,
        model,
        index: placing && new LiveIndex(model, placing),
        learning: live && new LiveLearning(appId, live, indexOf, deps),
        tail: new EventTail(appId, deps.events, live?.learnedUntil),
        learnedUntil: live?.learnedUntil ?? 0,
        revision: undefined,
        activity: "",
        idleRefreshes: 0,
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
    learnedUntil(appId, modelId) {
      const entry = entries.get(appId);
      return entry?.learning && entry.model.modelId === modelId ? entry.learnedUntil : undefined;
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
