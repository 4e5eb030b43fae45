import type { ReportFailure } from "../adapters/report-failure.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { CatalogViews } from "./catalog-view.js";

/** Reads catalogues and models into memory before the first request, one app after the other, until `stop` fires. */
export type Preload = (stop: AbortSignal) => Promise<void>;

/** Most apps preloaded, in order of ids. */
const MOST_APPS = 200;
/** Products in memory at which preloading ends; further apps load on their first request. */
const MOST_PRODUCTS = 1_000_000;

/**
 * Without it, the first visitor after a start would wait until a large catalogue and its model are read, and the first
 * one after a feed as well. Loaded views follow later writes, and models later publications. Call it again and again,
 * for new apps.
 */
export function createPreload(deps: {
  readonly apps: Pick<AppStore, "list">;
  readonly views: Pick<CatalogViews, "of" | "loaded">;
  readonly models: { current(appId: string): Promise<unknown> };
  /** Whether an app is to be read now; default: always. */
  readonly isWanted?: (appId: string) => boolean;
  readonly reportFailure: ReportFailure;
}): Preload {
  /** Apps whose model was requested: from then on the registry updates it. */
  const asked = new Set<string>();

  /** Tries once: an unreadable model waits for the first request. */
  const loadModel = async (appId: string): Promise<void> => {
    if (asked.has(appId)) return;
    asked.add(appId);
    await deps.models.current(appId).catch((error: unknown) => deps.reportFailure("model_load", error));
  };

  /** Products of an app; 0 when it cannot be read now: it is tried again, and does not delay other apps. */
  const sizeOf = async (appId: string): Promise<number> => {
    try {
      return (deps.views.loaded(appId) ?? (await deps.views.of(appId))).size;
    } catch (error) {
      deps.reportFailure("catalogue_load", error);
      return 0;
    }
  };

  const listed = () =>
    deps.apps.list("", MOST_APPS).catch((error: unknown) => {
      deps.reportFailure("catalogue_load", error);
      return [];
    });

  const load = async (stop: AbortSignal): Promise<void> => {
    let products = 0;
    for (const { appId } of await listed()) {
      if (stop.aborted || products >= MOST_PRODUCTS) return;
      if (deps.isWanted?.(appId) === false) continue;
      const [size] = await Promise.all([sizeOf(appId), loadModel(appId)]);
      products += size;
    }
  };

  return async (stop) => {
    let onStop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      onStop = resolve;
    });
    stop.addEventListener("abort", onStop);
    try {
      // Stops at once, even in the middle of a large catalogue.
      await Promise.race([load(stop), stopped]);
    } finally {
      stop.removeEventListener("abort", onStop);
    }
  };
}
