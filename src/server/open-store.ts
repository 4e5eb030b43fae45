/** Opening the store that a location names: the one place that knows which kinds there are. */
import { setTimeout as pause } from "node:timers/promises";
import type { Metrics } from "../adapters/metrics.js";
import type { ReportFailure } from "../adapters/report-failure.js";
import type { Clock, Now } from "../domain/clock.js";
import { DomainError, Unavailable } from "../domain/errors.js";
import type { Store } from "../store/ports/store.js";
import { SETTINGS } from "./settings/config.js";
import { nameOf, type Setting } from "./settings/setting.js";
import type { StoreLocation } from "./settings/store-location.js";
import { storeWhenOpen } from "./store-when-open.js";

export { readStoreLocation, type StoreLocation } from "./settings/store-location.js";

export interface OpenStoreOptions {
  readonly now: Now;
  /** The clock that `now` reads, of a process that serves; see the stores. */
  readonly clock?: Clock;
  /** A text not given before, in any process. */
  readonly newId?: () => string;
  readonly metrics?: Metrics;
  /** Told of errors in work that no caller waits for: upkeep, watching for changes of products. */
  readonly reportFailure?: ReportFailure;
  /** Told once, when an embedded store takes no writes any more: restart the process, by another process. */
  readonly onLatched?: (cause: unknown) => void;
  /** Told of each damaged value that was met, by the name of its table. */
  readonly onDamage?: (table: string) => void;
  /** Told, in one line each, what was found and done while opening. Nothing of an address. */
  readonly log?: (line: string) => void;
  /** Every write is then refused; a store that is not there is not made. */
  readonly readOnly?: boolean;
  /** Milliseconds in which a MongoDB store answers one question, and in which it does a piece of work. */
  readonly answerMs?: number;
  readonly workMs?: number;
  /** With fewer bytes left on its disk an embedded store takes no writes. */
  readonly minFreeBytes?: number;
  /** Of an embedded store only the one with this id is opened, and none is made. */
  readonly expectedId?: string;
  /** The setting that named the location, for the line about what is wrong. */
  readonly setting?: Setting;
}

/** The store cannot be opened: one line for the operator that names the setting, and shows no user and no password. */
export class StoreNotOpened extends Error {
  constructor(
    line: string,
    readonly exitCode: number,
    /** It may be opened later as it is: the server of the store is away. */
    readonly isPassing: boolean,
    options?: { cause?: unknown },
  ) {
    super(line, options);
    this.name = new.target.name;
  }
}

/** Opens the store. The driver of the other kind is not loaded. Rejects with StoreNotOpened. */
export async function openStore(location: StoreLocation, options: OpenStoreOptions): Promise<Store> {
  const { workMs, minFreeBytes, expectedId, setting = SETTINGS.store, ...rest } = options;
  try {
    if (location.kind === "mongo") {
      const { openMongoStore } = await import("../store/mongo/store.js");
      return await openMongoStore({
        url: location.url,
        ...rest,
        ...(workMs !== undefined && { limits: { answerMs: workMs } }),
      });
    }
    const { openEmbeddedStore } = await import("../store/lmdb/store.js");
    const limits = minFreeBytes === undefined ? {} : { minFreeBytes };
    return await openEmbeddedStore({
      directory: location.directory,
      limits,
      ...(expectedId !== undefined && { expectedId }),
      ...rest,
    });
  } catch (cause) {
    throw notOpened(cause, location, setting);
  }
}

/** How often a missing store is tried again. */
const LOOK_AGAIN_MS = 1000;

/** A store, and when it will be open where its server is away: until then its calls reject with Unavailable. */
export interface StoreWhenThere {
  readonly store: Store;
  readonly opening: Promise<void> | undefined;
}

/** Opens the store, or waits until it is there and gives `away` the reason. Rejects if waiting would not help. */
export async function openStoreWhenThere(
  location: StoreLocation,
  options: OpenStoreOptions & { readonly away: (line: string) => void },
): Promise<StoreWhenThere> {
  const first = await openStore(location, options).catch(passing);
  if (!(first instanceof StoreNotOpened)) return { store: first, opening: undefined };
  options.away(first.message);
  let why = first.message;
  let found: Store | undefined;
  const closing = new AbortController();
  const look = async (): Promise<void> => {
    while (found === undefined) {
      await pause(LOOK_AGAIN_MS, undefined, { signal: closing.signal });
      try {
        found = await openStore(location, options);
      } catch (error) {
        const reason = error instanceof Error ? error.message : "The store cannot be opened";
        if (reason !== why) options.away(reason);
        why = reason;
      }
    }
  };
  const opening = look();
  opening.catch(() => undefined); // only closing ends it without a store
  const opened = (): Store => {
    if (found === undefined) throw new Unavailable("The store could not be reached yet");
    return found;
  };
  const close = async (): Promise<void> => {
    closing.abort();
    // whoever waits for the opening learns of it
    await opening.catch(() => undefined);
    await found?.close();
  };
  return { store: storeWhenOpen(opened, close), opening };
}

/** The error itself when it passes. */
function passing(error: unknown): StoreNotOpened {
  if (error instanceof StoreNotOpened && error.isPassing) return error;
  throw error;
}

function notOpened(cause: unknown, { kind }: StoreLocation, setting: Setting): StoreNotOpened {
  const failure = (text: string, exitCode: number, isPassing: boolean) =>
    new StoreNotOpened(`${nameOf(setting)}: ${text}`, exitCode, isPassing, { cause });
  if (!(cause instanceof Error)) return failure("cannot be opened", 1, false);
  if (kind === "mongo") {
    if ("option" in cause) {
      const what = typeof cause.option === "string" ? `its option ${cause.option}` : "it";
      return failure(`is not a MongoDB address: the driver rejects ${what}`, 2, false);
    }
    return failure(cause.message, 1, cause instanceof Unavailable);
  }
  // What the adapter has no words for, a library or the system says in words of its own.
  const code = "code" in cause ? ` (${String(cause.code)})` : "";
  const isPassing = "isPassing" in cause && cause.isPassing === true;
  return failure(cause instanceof DomainError ? cause.message : `cannot be opened${code}`, 1, isPassing);
}
