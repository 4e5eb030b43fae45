import type { Metrics } from "../adapters/metrics.js";
import type { App } from "../domain/app.js";
import type { Now } from "../domain/clock.js";
import { Unavailable } from "../domain/errors.js";
import type { FrameConfiguration } from "../domain/frame.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";
import type { CircuitBreaker } from "./store-circuit-breaker.js";

/** Lifetime of a cached copy: a change by another server becomes visible after this time. */
export const COPY_MS = 1000;

/** Maximum apps and frames in the cache; the least recently used is evicted. */
const MAX_COPIES = 10_000;

/** Reads of apps and frames, and the transactions that change them. */
export interface AppsAndChanges {
  readonly apps: AppStore;
  readonly changes: Pick<UnitOfWork, "run">;
}

/**
 * Caches apps and frame configurations of a remote store for a second; the last copy serves while the store does not
 * answer. A change made through `changes` is visible here at once. Absent apps are not cached; absent frames are.
 * Copies are for reading: a writer reads the app in its transaction.
 */
export function withCachedApps(
  apps: AppStore,
  changes: Pick<UnitOfWork, "run">,
  deps: { readonly patience: CircuitBreaker; readonly monotonicNow: Now; readonly metrics: Metrics },
): AppsAndChanges {
  const appCopies = new Copies<App>(deps, false);
  const frameCopies = new Copies<FrameConfiguration>(deps, true);
  const changing = async <T>(forget: () => void, write: () => Promise<T>): Promise<T> => {
    try {
      return await write();
    } finally {
      forget(); // a failed write may have been made
    }
  };
  const frameKey = (appId: string, frameId: string) => `${appId}\0${frameId}`;
  const changingApp = <T>(appId: string, write: () => Promise<T>): Promise<T> =>
    changing(() => {
      appCopies.forget(appId);
      frameCopies.forgetAll(frameKey(appId, ""));
    }, write);
  return {
    apps: {
      ...apps,
      get: (appId) => appCopies.get(appId, () => apps.get(appId)),
      getFrame: (appId, frameId) => frameCopies.get(frameKey(appId, frameId), () => apps.getFrame(appId, frameId)),
      create: (app, claim) => changingApp(app.appId, () => apps.create(app, claim)),
      delete: (appId, check) => changingApp(appId, () => apps.delete(appId, check)),
    },
    changes: { run: (appId, work) => changingApp(appId, () => changes.run(appId, work)) },
  };
}

interface Copy<T> {
  /** Undefined before the first answer. */
  known: { readonly value: T | undefined; readonly readAt: number } | undefined;
  reading: Promise<T | undefined> | undefined;
}

class Copies<T> {
  /** In order of use, the oldest first. */
  private readonly copies = new Map<string, Copy<T>>();

  constructor(
    private readonly deps: { readonly patience: CircuitBreaker; readonly monotonicNow: Now; readonly metrics: Metrics },
    private readonly keepsAbsent: boolean,
  ) {}

  async get(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const copy = this.used(key);
    const { known } = copy;
    if (known !== undefined && this.deps.monotonicNow() - known.readAt < COPY_MS) return known.value;
    if (known === undefined) return this.deps.patience.waitLong(() => this.read(key, copy, read));
    try {
      return await this.deps.patience.wait(() => this.read(key, copy, read));
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      this.deps.metrics.count("app_copies_used");
      return known.value;
    }
  }

  forget(key: string): void {
    this.copies.delete(key);
  }

  /** Drops all entries whose keys begin with `prefix`. */
  forgetAll(prefix: string): void {
    for (const key of this.copies.keys()) if (key.startsWith(prefix)) this.copies.delete(key);
  }

  /** Concurrent callers share one read. Its result is not cached when the entry was dropped meanwhile. */
  private read(key: string, copy: Copy<T>, read: () => Promise<T | undefined>): Promise<T | undefined> {
    if (copy.reading !== undefined) return copy.reading;
    const readAt = this.deps.monotonicNow();
    const reading = read();
    copy.reading = reading;
    const ended = () => {
      copy.reading = undefined;
    };
    reading.then((value) => {
      ended();
      copy.known = { value, readAt };
      if (value === undefined && !this.keepsAbsent && this.copies.get(key) === copy) this.copies.delete(key);
    }, ended);
    return reading;
  }

  private used(key: string): Copy<T> {
    const copy = this.copies.get(key) ?? { known: undefined, reading: undefined };
    this.copies.delete(key);
    this.copies.set(key, copy);
    if (this.copies.size > MAX_COPIES) for (const oldest of this.copies.keys()) if (this.copies.delete(oldest)) break;
    return copy;
  }
}
