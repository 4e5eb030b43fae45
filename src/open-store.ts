/** Opening the store that a location names: the one place that knows which kinds there are. */
import { SETTINGS } from "./config.js";
import type { Now } from "./domain/clock.js";
import type { Metrics } from "./ports/metrics.js";
import type { Store } from "./ports/store.js";
import { nameOf, type Setting } from "./setting.js";
import type { StoreLocation } from "./store-location.js";

export { readStoreLocation, type StoreLocation } from "./store-location.js";

export interface OpenStoreOptions {
  readonly now: Now;
  /** A text not given before, in any process. */
  readonly newId?: () => string;
  readonly metrics?: Metrics;
  /** Told of each damaged value that was met, by the name of its table. */
  readonly onDamage?: (table: string) => void;
  /** Told, in one line each, what was found and done while opening. Nothing of an address. */
  readonly log?: (line: string) => void;
  /** Every write is then refused; a store that is not there is not made. */
  readonly readOnly?: boolean;
  /** A call of a MongoDB store that takes longer than this many milliseconds is rejected with Unavailable. */
  readonly answerMs?: number;
  /** The setting that named the location, for the line about what is wrong. */
  readonly setting?: Setting;
}

/** The store cannot be opened: one line for the operator that names the setting, and shows nothing of an address. */
export class StoreNotOpened extends Error {
  constructor(
    line: string,
    readonly exitCode: number,
    options?: { cause?: unknown },
  ) {
    super(line, options);
    this.name = new.target.name;
  }
}

/** Opens the store. The driver of the other kind is not loaded. Rejects with StoreNotOpened. */
export async function openStore(location: StoreLocation, options: OpenStoreOptions): Promise<Store> {
  const { answerMs, setting = SETTINGS.store, ...rest } = options;
  try {
    if (location.kind === "mongo") {
      const { openMongoStore } = await import("./adapters/mongo/store.js");
      return await openMongoStore({
        url: location.url,
        ...rest,
        ...(answerMs !== undefined && { limits: { answerMs } }),
      });
    }
    const { openEmbeddedStore } = await import("./adapters/embedded/store.js");
    return await openEmbeddedStore({ directory: location.directory, ...rest });
  } catch (cause) {
    throw notOpened(cause, setting);
  }
}

/** By the code of a system error: what it says of the directory of an embedded store. */
const DIRECTORY_FAULTS: ReadonlyMap<string, string> = new Map([
  ["EEXIST", "is a file; a directory is wanted"],
  ["ENOTDIR", "leads through a file; a directory is wanted"],
  ["EACCES", "may not be read and written by this user"],
  ["EPERM", "may not be read and written by this user"],
  ["EROFS", "lies on a file system that cannot be written"],
  ["ENOSPC", "lies on a disk that is full"],
  ["ENAMETOOLONG", "has a name that is too long"],
  ["ELOOP", "leads in a circle"],
]);

function notOpened(cause: unknown, setting: Setting): StoreNotOpened {
  const line = (text: string) => `${nameOf(setting)}: ${text}`;
  if (!(cause instanceof Error)) return new StoreNotOpened(line("cannot be opened"), 1, { cause });
  if (cause.name === "AddressRefused") {
    const option = "option" in cause && typeof cause.option === "string" ? `its option ${cause.option}` : "it";
    return new StoreNotOpened(line(`is no address of a MongoDB server: the driver does not accept ${option}`), 2);
  }
  const code = "code" in cause ? String(cause.code) : "";
  const fault = DIRECTORY_FAULTS.get(code) ?? (code && `cannot be opened (${code})`);
  return new StoreNotOpened(line(fault || cause.message), 1, { cause });
}
