/**
 * Trains apps that are young: soon after their first import ends or their first thousand events came, and again when their
 * data has doubled. The hourly schedule suffices for an app that has grown up.
 */
import type { App } from "../../domain/app.js";
import type { Now } from "../../domain/clock.js";
import type { ModelRecord } from "../../domain/model.js";
import type { ProductCounts } from "../../domain/product.js";
import type { AppStore } from "../../store/ports/app-store.js";
import type { EventStore } from "../../store/ports/event-store.js";
import type { ModelStore } from "../../store/ports/model-store.js";

/** An app in which nothing changed for this long has been imported. */
const QUIET_MS = 30_000;
/** Interactions with products for which the first training does not wait until the app is quiet. */
const FIRST_INTERACTIONS = 1000;
/** Fewer interactions make no model of an app without products, and no new one. */
const FEW_INTERACTIONS = 100;
/** Shortest time between two models, and after a training that failed. */
const PAUSE_MS = 2 * 60_000;
/** A model of so many interactions is renewed by the schedule alone. */
const GROWN_UP = 20_000;
/** Events read at once. */
const PAGE = 500;

const TAUGHT_BY: ReadonlySet<string> = new Set(["product_view", "add_to_cart", "order"]);

export interface YoungApps {
  /** Trains, one after the other, the young apps whose time has come. Call it every few seconds. */
  trainGrown(onFailure: (appId: string, error: unknown) => void): Promise<void>;
}

export interface YoungAppsDependencies {
  readonly apps: Pick<AppStore, "list">;
  readonly models: Pick<ModelStore, "activity" | "list">;
  readonly events: Pick<EventStore, "list">;
  readonly productCounts: (appId: string) => Promise<ProductCounts>;
  /** False when there is no data to learn from. */
  readonly trainIfPossible: (appId: string) => Promise<boolean>;
  readonly now: Now;
}

/** What was seen of an app. */
interface Seen {
  readonly createdAt: number;
  readonly activity: string;
  /** Since when the activity is this one. */
  readonly since: number;
  /** Nothing is to be done until something changes. */
  readonly isDone: boolean;
  readonly isGrownUp: boolean;
}

export function createYoungApps(deps: YoungAppsDependencies): YoungApps {
  let seen = new Map<string, Seen>();
  /** When the last training failed, by app. */
  const failedAt = new Map<string, number>();

  const look = async ({ appId, createdAt }: App, before: Seen | undefined): Promise<Seen> => {
    if (before?.createdAt === createdAt && before.isGrownUp) return before;
    const activity = await deps.models.activity(appId);
    const isSame = before?.createdAt === createdAt && before.activity === activity;
    if (isSame && before.isDone) return before;
    const since = isSame ? before.since : deps.now();
    const state = { createdAt, activity, since, isDone: activity === "", isGrownUp: false };
    if (state.isDone) return state;
    const [model] = await deps.models.list(appId);
    if (model?.activity === activity) return { ...state, isDone: true };
    if (model !== undefined && interactionsOf(model) >= GROWN_UP) return { ...state, isGrownUp: true };
    const isQuiet = deps.now() - since >= QUIET_MS;
    const isDue = model === undefined ? await isReady(appId, isQuiet) : await hasGrown(appId, model);
    if (!isDue) return { ...state, isDone: isQuiet && (model === undefined || hasRested(model)) };
    const isTrained = await deps.trainIfPossible(appId);
    return { ...state, isDone: !isTrained };
  };

  const isReady = async (appId: string, isQuiet: boolean): Promise<boolean> => {
    if (!isQuiet) return (await interactionsSince(appId, "", FIRST_INTERACTIONS)) >= FIRST_INTERACTIONS;
    if ((await productsOf(appId)) > 0) return true;
    return (await interactionsSince(appId, "", FEW_INTERACTIONS)) >= FEW_INTERACTIONS;
  };

  const hasRested = ({ createdAt }: ModelRecord) => deps.now() - createdAt >= PAUSE_MS;

  /** Whether the data has doubled since a model. */
  const hasGrown = async (appId: string, model: ModelRecord): Promise<boolean> => {
    if (!hasRested(model)) return false;
    const wanted = Math.max(FEW_INTERACTIONS, interactionsOf(model));
    const startedAt = model.createdAt - model.trainingMs;
    if ((await interactionsSince(appId, firstIdAt(startedAt), wanted)) >= wanted) return true;
    const { products = 0 } = model.manifest.dataCounts;
    return (await productsOf(appId)) >= 2 * Math.max(products, 1);
  };

  const productsOf = async (appId: string): Promise<number> => {
    const { fed, learned } = await deps.productCounts(appId);
    return fed + learned;
  };

  /** Interactions of events with greater ids, counted up to `limit`. */
  const interactionsSince = async (appId: string, eventId: string, limit: number): Promise<number> => {
    let count = 0;
    for (let after = eventId; count < limit; ) {
      const events = await deps.events.list(appId, after, PAGE, false);
      for (const { actionType, bot, products } of events)
        if (!bot && TAUGHT_BY.has(actionType)) count += products.length;
      const last = events.at(-1);
      if (last === undefined || events.length < PAGE) break;
      after = last.eventId;
    }
    return count;
  };

  return {
    async trainGrown(onFailure) {
      const found = new Map<string, Seen>();
      for (let after = ""; ; ) {
        const apps = await deps.apps.list(after, 100);
        for (const app of apps) {
          after = app.appId;
          if (deps.now() - (failedAt.get(app.appId) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) continue;
          failedAt.delete(app.appId);
          try {
            found.set(app.appId, await look(app, seen.get(app.appId)));
          } catch (error) {
            failedAt.set(app.appId, deps.now());
            onFailure(app.appId, error);
          }
        }
        if (apps.length < 100) break;
      }
      seen = found;
    },
  };
}

function interactionsOf({ manifest }: ModelRecord): number {
  return manifest.dataCounts.interactions ?? 0;
}

/** Event ids are UUIDv7: ids given before this time are less. */
function firstIdAt(at: number): string {
  const hex = Math.max(0, Math.floor(at)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
