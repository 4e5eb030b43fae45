/**
 * Popularity before the first model: counted from the newest events, kept in memory, and counted again when events came.
 * It has the form of a model without sources, so that lists, filters and reasons use it as they use a trained one.
 */
import { setImmediate, setTimeout } from "node:timers/promises";
import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Now } from "../../domain/clock.js";
import type { Event } from "../../domain/event.js";
import { POPULARITY_WEIGHT } from "../../learning/sources/popularity/popularity.js";
import type { ServingModel } from "../../learning/sources/source.js";
import type { EventStore } from "../../store/ports/event-store.js";
import type { WatchedCatalog } from "../products/catalog.js";
import { productIdOf } from "../products/product-ids.js";

/** Events that are counted, the newest: 20 to 50 ms of work, in pages. */
const MOST_EVENTS = 5000;
const PAGE = 100;
/** Products of one event that count. */
const PRODUCTS_OF_EVENT = 100;
/** Age at which counts are renewed, beside an answer. */
const RENEWED_AFTER_MS = 5_000;
/** After a count that took long comes a pause of so many times as long: strangers may send events of very many products. */
const REST = 100;
/** The longest pause: a count also takes long where the store or the machine stood still. */
const MOST_REST_MS = 60_000;
/** How long an answer waits for the first count. */
const PATIENCE_MS = 100;
const MOST_APPS = 200;

const WEIGHTS: ReadonlyMap<string, number> = new Map(Object.entries(POPULARITY_WEIGHT));

export interface CountedPopularity {
  /** The counts of an app without a model; undefined while the first count takes too long. */
  of(appId: string, catalog: WatchedCatalog): Promise<ServingModel | undefined>;
  forget(appId: string): void;
}

interface Entry {
  model: ServingModel | undefined;
  newestId: string;
  revision: number;
  /** When it is counted again. */
  dueAt: number;
  /** The count under way. */
  counting: Promise<void> | undefined;
}

export function createCountedPopularity(deps: {
  readonly events: Pick<EventStore, "list">;
  readonly now: Now;
  readonly reportFailure: ReportFailure;
}): CountedPopularity {
  const entries = new Map<string, Entry>();

  const count = async (appId: string, entry: Entry, catalog: WatchedCatalog): Promise<void> => {
    const { revision } = catalog;
    const [newest] = await deps.events.list(appId, "", 1, true);
    const newestId = newest?.eventId ?? "";
    if (entry.model !== undefined && newestId === entry.newestId && revision === entry.revision) return;
    const counts = new EventCounts(catalog);
    for (let read = 0, before = ""; read < MOST_EVENTS; read += PAGE) {
      const events = await deps.events.list(appId, before, PAGE, true);
      for (const event of events) counts.add(event);
      const last = events.at(-1);
      if (last === undefined || events.length < PAGE) break;
      before = last.eventId;
      await setImmediate();
    }
    entry.model = counts.model();
    entry.newestId = newestId;
    entry.revision = revision;
  };

  const renew = (appId: string, entry: Entry, catalog: WatchedCatalog): void => {
    const from = deps.now();
    const rest = () => Math.min(REST * (deps.now() - from), MOST_REST_MS);
    entry.counting ??= count(appId, entry, catalog)
      .then(rest)
      .catch((error: unknown) => {
        deps.reportFailure("counted_popularity", error);
        return 0; // the answer is made without counts, or with the old ones
      })
      .then((pause) => {
        entry.dueAt = deps.now() + Math.max(RENEWED_AFTER_MS, pause);
        entry.counting = undefined;
      });
  };

  return {
    async of(appId, catalog) {
      let entry = entries.get(appId);
      if (entry === undefined) {
        entry = {
          model: undefined,
          newestId: "",
          revision: -1,
          dueAt: Number.NEGATIVE_INFINITY,
          counting: undefined,
        };
        entries.set(appId, entry);
        for (const oldest of entries.keys()) {
          if (entries.size <= MOST_APPS) break;
          entries.delete(oldest);
        }
      }
      if (deps.now() >= entry.dueAt) renew(appId, entry, catalog);
      if (entry.model === undefined && entry.counting !== undefined) {
        const waiting = new AbortController();
        const patience = setTimeout(PATIENCE_MS, undefined, { signal: waiting.signal }).catch(() => undefined); // aborted below
        await Promise.race([entry.counting, patience]);
        waiting.abort();
      }
      return entry.model;
    },
    forget(appId) {
      entries.delete(appId);
    },
  };
}

/**
 * Counts products of the catalogue in events, the newest first: ids in events may be invented. An order counts once, and
 * not at all when it was cancelled later.
 */
class EventCounts {
  readonly #scores = new Map<string, number>();
  readonly #orders = new Set<string>();

  constructor(private readonly catalog: WatchedCatalog) {}

  add({ actionType, bot, order, products }: Event): void {
    const orderId = order?.orderId ?? "";
    if (actionType === "order_cancel" && orderId !== "") this.#orders.add(orderId);
    const weight = WEIGHTS.get(actionType);
    if (bot || weight === undefined) return;
    if (actionType === "order" && orderId !== "") {
      if (this.#orders.has(orderId)) return;
      this.#orders.add(orderId);
    }
    const named = products.slice(0, PRODUCTS_OF_EVENT).map(({ productId }) => productIdOf(productId, this.catalog));
    for (const productId of new Set(named))
      if (this.catalog.get(productId) !== undefined)
        this.#scores.set(productId, (this.#scores.get(productId) ?? 0) + weight);
  }

  model(): ServingModel {
    const sorted = [...this.#scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    const productIds = sorted.map(([productId]) => productId);
    const indices = new Map(productIds.map((productId, index) => [productId, index]));
    return {
      modelId: "",
      productIds,
      indexOf: (productId) => indices.get(productId),
      sources: [],
      byPopularity: Uint32Array.from(sorted.keys()),
      popularity: Float32Array.from(sorted, ([, score]) => score),
    };
  }
}
