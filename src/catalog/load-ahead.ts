import type { AppStore } from "../ports/app-store.js";
import type { CatalogViews } from "./catalog-view.js";

/** Reads the catalogues of apps into memory before anybody asks for them, one after the other, until `stop` fires. */
export type LoadAhead = (stop: AbortSignal) => Promise<void>;

/** Apps that are looked at, in order of ids. */
const MOST_APPS = 200;
/** When so many products are in memory, catalogues of further apps wait until somebody asks for them. */
const MOST_PRODUCTS = 1_000_000;

/**
 * So that the first visitor after a start does not wait until a large catalogue is read, nor the first after a feed: the
 * view of an app that is there takes in what is written as it comes. To be called again and again, for new apps.
 */
export function createLoadAhead(deps: {
  readonly apps: Pick<AppStore, "list">;
  readonly views: Pick<CatalogViews, "of">;
}): LoadAhead {
  /** Products of an app; 0 for what cannot be read now: it is tried again, and keeps nothing from the others. */
  const sizeOf = (appId: string) =>
    deps.views.of(appId).then(
      ({ size }) => size,
      () => 0,
    );

  const load = async (stop: AbortSignal): Promise<void> => {
    let products = 0;
    for (const { appId } of await deps.apps.list("", MOST_APPS).catch(() => [])) {
      if (stop.aborted || products >= MOST_PRODUCTS) return;
      products += await sizeOf(appId);
    }
  };

  return async (stop) => {
    let onStop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      onStop = resolve;
    });
    stop.addEventListener("abort", onStop);
    try {
      // Nobody who stops waits until a large catalogue is read.
      await Promise.race([load(stop), stopped]);
    } finally {
      stop.removeEventListener("abort", onStop);
    }
  };
}
