/** Opens the store at a location: the only place that knows which kinds of store exist. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Metrics } from "../adapters/metrics.js";
import type { ReportFailure } from "../adapters/report-failure.js";
import type { Clock, Now } from "../domain/clock.js";
import { DomainError, Unavailable } from "../domain/errors.js";
import type { EmbeddedStoreOptions } from "../store/lmdb/store.js";
import type { Store } from "../store/ports/store.js";
import { entryOf } from "./installed.js";
import { SETTINGS } from "./settings/config.js";
import { nameOf, type Setting } from "./settings/setting.js";
import type { StoreLocation } from "./settings/store-location.js";
import { type Ownership, ownDirectory } from "./store-owner.js";
import { storeWhenOpen } from "./store-when-open.js";

export { readStoreLocation, type StoreLocation } from "./settings/store-location.js";

export interface OpenStoreOptions {
  readonly now: Now;
  /** The clock behind `now`, in a process that serves; see the stores. */
  readonly clock?: Clock;
  /** Returns a unique text. */
  readonly newId?: () => string;
  readonly metrics?: Metrics;
  /** Called with errors of work that no caller waits for: maintenance, watching for changes of products. */
  readonly reportFailure?: ReportFailure;
  /** Called once, when an embedded store takes no more writes: restart the process, by another process. */
  readonly onLatched?: (cause: unknown) => void;
  /** Called with the table name of each damaged value. */
  readonly onDamage?: (table: string) => void;
  /** Called with a line for each step of opening; the lines do not show an address. */
  readonly log?: (line: string) => void;
  /**
   * Rejects every write, and does not create a missing store. Another process may write to an embedded one meanwhile, within
   * `readDirectory`; with `thread` this process does.
   */
  readonly readOnly?: boolean | "thread";
  /** Timeouts of a MongoDB store in milliseconds: for one query, and for a work. */
  readonly answerMs?: number;
  readonly workMs?: number;
  /** Minimum free bytes on the disk of an embedded store; with fewer it takes no writes. */
  readonly minFreeBytes?: number;
  /** For an embedded store: opens only the one with this id, and creates none. */
  readonly expectedId?: string;
  /** The setting with the location, named in error lines. */
  readonly setting?: Setting;
}

/** The store cannot be opened: one line for the operator with the setting, without user and password. */
export class StoreNotOpened extends Error {
  constructor(
    line: string,
    readonly exitCode: number,
    /** A later try may succeed: the server of the store is away. */
    readonly isPassing: boolean,
    options?: { cause?: unknown },
  ) {
    super(line, options);
    this.name = new.target.name;
  }
}

/** Opens the store. Does not load the driver of the other kind. Rejects with StoreNotOpened. */
export async function openStore(location: StoreLocation, options: OpenStoreOptions): Promise<Store> {
  const { workMs, minFreeBytes, expectedId, setting = SETTINGS.store, readOnly = false, ...rest } = options;
  try {
    if (location.kind === "mongo") {
      const { openMongoStore } = await import("../store/mongo/store.js");
      return await openMongoStore({
        url: location.url,
        readOnly: readOnly !== false,
        ...rest,
        ...(workMs !== undefined && { limits: { answerMs: workMs } }),
      });
    }
    const limits = minFreeBytes === undefined ? {} : { minFreeBytes };
    return await openOwned(location.directory, {
      directory: location.directory,
      limits,
      readOnly,
      ...(expectedId !== undefined && { expectedId }),
      ...rest,
    });
  } catch (cause) {
    throw notOpened(cause, location, setting);
  }
}

type OwnedOptions = Omit<EmbeddedStoreOptions, "readOnly"> & Pick<OpenStoreOptions, "readOnly">;

/** Opens an embedded store, and takes its directory for this process alone unless the store is only read. */
async function openOwned(directory: string, { readOnly, ...options }: OwnedOptions): Promise<Store> {
  const { openEmbeddedStore } = await import("../store/lmdb/store.js");
  // Where the store has gone, nothing is made: it may come back.
  const isGone = options.expectedId !== undefined && !existsSync(join(directory, "data.mdb"));
  if (readOnly === true) return openEmbeddedStore({ ...options, beside: true });
  if (readOnly === "thread") return openEmbeddedStore({ ...options, readOnly: true });
  if (isGone) return openEmbeddedStore(options);
  const owned = await ownDirectory(directory).catch((error: unknown) => error);
  if (owned instanceof Unavailable) throw owned;
  if (!isOwnership(owned)) {
    const { mustTakeWrites } = await import("../store/lmdb/files.js");
    await mustTakeWrites(directory); // says better why it cannot be taken
    const code = owned instanceof Error && "code" in owned ? ` (${String(owned.code)})` : "";
    throw new Unavailable(
      `No socket can be made in ${directory}${code}, which tells other processes who has the store`,
    );
  }
  try {
    const store = await openEmbeddedStore({
      ...options,
      isWhole,
      onLatched: (cause) => {
        void owned.release(); // it writes nothing more, and its replacement may
        options.onLatched?.(cause);
      },
    });
    owned.serveReaders(store.hold);
    return { ...store, close: () => store.close().finally(owned.end) };
  } catch (error) {
    await owned.end();
    throw error;
  }
}

/** Whether a process of its own can read a whole store. What only does not agree is no reason to refuse it. */
async function isWhole(directory: string): Promise<boolean> {
  const { verifyInProcess } = await import("./doctor.js");
  const { wasEnded, faults } = await verifyInProcess(entryOf("store-reader"), directory);
  return !wasEnded && faults.every(({ kind }) => kind !== "tree" && kind !== "value");
}

function isOwnership(owned: unknown): owned is Ownership {
  return typeof owned === "object" && owned !== null && "release" in owned;
}

/** Retry interval for a missing store. */
const LOOK_AGAIN_MS = 1000;

/** A store, and a promise that it is open when its server is away: until then its calls reject with Unavailable. */
export interface StoreWhenThere {
  readonly store: Store;
  readonly opening: Promise<void> | undefined;
}

/** Opens the store, or waits for it and passes the reason to `away`. Rejects if waiting would not help. */
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
    // everyone who waits for the opening gets the error
    await opening.catch(() => undefined);
    await found?.close();
  };
  return { store: storeWhenOpen(opened, close), opening };
}

/** The error itself when it is temporary. */
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
  // For an error unknown to the adapter, the library's or system's own text.
  const code = "code" in cause ? ` (${String(cause.code)})` : "";
  const isPassing = "isPassing" in cause && cause.isPassing === true;
  return failure(cause instanceof DomainError ? cause.message : `cannot be opened${code}`, 1, isPassing);
}
