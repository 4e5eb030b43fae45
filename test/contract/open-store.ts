import { afterEach, beforeEach } from "vitest";
import type { Now } from "../../src/domain/clock.js";
import type { Store } from "../../src/store/ports/store.js";

/** An open store over data of its own, empty at first. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens another over the same data. */
  reopen(): Promise<Store>;
  /** Opens another store over the same data, as another process would, by its own clock `now`; `dispose` closes it. */
  openSecond?(now?: Now): Promise<Store>;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

/** What a store cannot do, each with the reason; the suites leave it out. */
export interface StoreLimits {
  /** Its data is seen by one store at a time. */
  readonly oneProcess?: string;
  /** All processes that share its data go by the same clock. */
  readonly oneClock?: string;
}

/** For the name of a suite that is left out. */
export function because(reason: string | undefined): string {
  return reason === undefined ? "" : ` (left out: ${reason})`;
}

/** How a suite gets a store; `now` is the clock it must go by. */
export type OpenStore = (now: Now) => Promise<OpenedStore>;

/** What a test of a suite works with; a new store for each test. */
export interface StoreUnderTest {
  readonly store: Store;
  /** The store's clock, in milliseconds; tests set it. */
  at: number;
  reopen(): Promise<Store>;
  openSecond(now?: Now): Promise<Store>;
}

/** The time at which every test begins. */
export const START = Date.UTC(2026, 0, 15, 12);

/** Opens a store before each test of the surrounding suite and disposes of it afterwards. */
export function useStore(open: OpenStore): StoreUnderTest {
  let opened: OpenedStore | undefined;
  let store: Store | undefined;
  const current: StoreUnderTest = {
    at: START,
    get store() {
      if (store === undefined) throw new Error("The store is open only while a test runs");
      return store;
    },
    reopen: async () => {
      store = await opened?.reopen();
      return current.store;
    },
    openSecond: async (now) => {
      const second = await opened?.openSecond?.(now);
      if (second === undefined) throw new Error("The store is not opened twice; its limits should say so");
      return second;
    },
  };
  beforeEach(async () => {
    current.at = START;
    opened = await open(() => current.at);
    store = opened.store;
  });
  afterEach(async () => {
    store = undefined;
    await opened?.dispose();
    opened = undefined;
  });
  return current;
}

/** Everything of an async iterable of batches, in one list. */
export async function gather<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

/** The order stores keep ids in: by code points. */
export function byCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
