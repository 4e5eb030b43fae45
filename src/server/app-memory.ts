import type { Metrics } from "../adapters/metrics.js";
import type { CatalogSize } from "../catalog/catalog-view.js";

export interface AppMemoryDependencies {
  /** Estimated bytes that apps may hold; Infinity: no limit. */
  readonly limitBytes: number;
  /** Each catalogue in memory, the app that was asked for longest ago first. */
  readonly catalogs: { sizes(): Iterable<readonly [appId: string, size: CatalogSize]> };
  /** Bytes of the snapshot of each model in memory. */
  readonly models: { sizes(): Iterable<readonly [appId: string, bytes: number]> };
  /** Drops an app's model and products, and keeps the indexes of its catalogue; false when these went too. */
  readonly letGo: (appId: string) => boolean;
  /** Drops what is in memory of an app; its next request reads it from the store again. */
  readonly forget: (appId: string) => void;
  readonly metrics: Metrics;
}

/** Bounds the catalogues and models that are kept in memory. */
export interface AppMemory {
  /**
   * Lets the apps go that were asked for longest ago until the others fit. The newest one stays, whatever its size. What is kept of
   * apps that were let go takes a quarter of the limit at most; beyond, they are forgotten.
   */
  evict(): void;
  /** Whether an app is to be read before its first request: there is room, and it was not evicted. */
  isReadAhead(appId: string): boolean;
}

/** Bytes of a product in a catalogue, and of a model beside its snapshot: measured by `npm run bench -- memory`. */
const PRODUCT_BYTES = 2048;
const MODEL_BYTES = 1.5 * 2 ** 20;
/** Bytes of a product that was let go. */
const LET_GO_BYTES = 512;
/** Share of the limit that apps may hold that were let go. */
const LET_GO_SHARE = 0.25;

interface Held {
  bytes: number;
  readonly products: number;
  isLetGo: boolean;
}

export function createAppMemory(deps: AppMemoryDependencies): AppMemory {
  const { limitBytes, catalogs, models, letGo, forget, metrics } = deps;
  const evicted = new Set<string>();

  /** What each app holds, the one asked for longest ago first; models without a catalogue before all. */
  const heldNow = () => {
    const held = new Map<string, Held>();
    const modelBytes = new Map([...models.sizes()].map(([appId, bytes]) => [appId, bytes + MODEL_BYTES]));
    const sizes = new Map(catalogs.sizes());
    for (const [appId, bytes] of modelBytes)
      if (!sizes.has(appId)) held.set(appId, { bytes, products: 0, isLetGo: false });
    for (const [appId, { products, isLetGo }] of sizes) {
      const bytes = products * (isLetGo ? LET_GO_BYTES : PRODUCT_BYTES) + (modelBytes.get(appId) ?? 0);
      held.set(appId, { bytes, products, isLetGo });
    }
    return held;
  };
  const total = (held: Iterable<Held>) => [...held].reduce((sum, { bytes }) => sum + bytes, 0);
  metrics.watch?.("app_memory_bytes", () => total(heldNow().values()));

  return {
    evict() {
      if (limitBytes === Number.POSITIVE_INFINITY) return;
      const held = heldNow();
      const newest = [...held.keys()].at(-1);
      let left = total(held.values());
      for (const [appId, one] of held) {
        if (left <= limitBytes || appId === newest) break;
        if (one.isLetGo) continue;
        left -= one.bytes;
        one.isLetGo = letGo(appId);
        one.bytes = one.isLetGo ? one.products * LET_GO_BYTES : 0;
        left += one.bytes;
        evicted.add(appId);
        metrics.count("apps_evicted");
      }
      const kept = [...held].filter(([, { isLetGo }]) => isLetGo);
      let keptBytes = total(kept.map(([, one]) => one));
      for (const [appId, { bytes }] of kept) {
        if (keptBytes <= limitBytes * LET_GO_SHARE && left <= limitBytes) return;
        forget(appId);
        keptBytes -= bytes;
        left -= bytes;
      }
    },
    isReadAhead: (appId) =>
      limitBytes === Number.POSITIVE_INFINITY || (!evicted.has(appId) && total(heldNow().values()) < limitBytes),
  };
}
