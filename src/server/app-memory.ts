import type { Metrics } from "../adapters/metrics.js";

/** What one kind of data holds in memory, by app. */
type Held = Iterable<readonly [appId: string, amount: number]>;

export interface AppMemoryDependencies {
  /** Estimated bytes that apps may hold; Infinity: no limit. */
  readonly limitBytes: number;
  /** Products of each catalogue in memory, the app that was asked for longest ago first. */
  readonly catalogs: { sizes(): Held };
  /** Bytes of the snapshot of each model in memory. */
  readonly models: { sizes(): Held };
  /** Drops what is in memory of an app; its next request reads it from the store again. */
  readonly forget: (appId: string) => void;
  readonly metrics: Metrics;
}

/** Bounds the catalogues and models that are kept in memory. */
export interface AppMemory {
  /** Forgets the apps that were asked for longest ago until the others fit. The newest one stays, whatever its size. */
  evict(): void;
  /** Whether an app is to be read before its first request: there is room, and it was not forgotten. */
  isReadAhead(appId: string): boolean;
}

/** Bytes of a product in a catalogue, and of a model beside its snapshot: measured by `npm run bench -- memory`. */
const PRODUCT_BYTES = 2048;
const MODEL_BYTES = 1.5 * 2 ** 20;

export function createAppMemory(deps: AppMemoryDependencies): AppMemory {
  const { limitBytes, catalogs, models, forget, metrics } = deps;
  const forgotten = new Set<string>();

  /** Bytes of each app, the one asked for longest ago first; models without a catalogue before all. */
  const heldBytes = () => {
    const held = new Map<string, number>();
    const modelBytes = new Map([...models.sizes()].map(([appId, bytes]) => [appId, bytes + MODEL_BYTES]));
    const products = new Map(catalogs.sizes());
    for (const [appId, bytes] of modelBytes) if (!products.has(appId)) held.set(appId, bytes);
    for (const [appId, count] of products) held.set(appId, count * PRODUCT_BYTES + (modelBytes.get(appId) ?? 0));
    return held;
  };
  const total = (held: ReadonlyMap<string, number>) => [...held.values()].reduce((sum, bytes) => sum + bytes, 0);
  metrics.watch?.("app_memory_bytes", () => total(heldBytes()));

  return {
    evict() {
      if (limitBytes === Number.POSITIVE_INFINITY) return;
      const held = heldBytes();
      let left = total(held);
      for (const [appId, bytes] of held) {
        if (left <= limitBytes || held.size === 1) return;
        forget(appId);
        forgotten.add(appId);
        metrics.count("apps_evicted");
        held.delete(appId);
        left -= bytes;
      }
    },
    isReadAhead: (appId) =>
      limitBytes === Number.POSITIVE_INFINITY || (!forgotten.has(appId) && total(heldBytes()) < limitBytes),
  };
}
