import type { Database } from "lmdb";
import { DataDamaged, DomainError, Unavailable } from "../../domain/errors.js";
import type { Key } from "./keys.js";
import { numberRecord, textRecord } from "./records/app.js";
import { Table, type TableContext } from "./table.js";
import type { Tables } from "./tables.js";

/** What the store says of itself, beside its tables. */
export interface Meta {
  readonly numbers: Table<number>;
  readonly texts: Table<string>;
}

/** What an upgrade works on: the tables are those of the newest format, and there already. */
export interface UpgradedStore {
  readonly meta: Meta;
  readonly tables: Tables;
  /** A text not given before. */
  readonly newId: () => string;
}

/**
 * Turns a store of the format before into one of format `to`. It is run in one transaction with the number it leads to,
 * while every other process waits for the write lock: after a crash the store has either format, and never one between.
 */
export interface Upgrade {
  readonly to: number;
  run(store: UpgradedStore): void;
}

/** In order, without gaps. Another step makes a new format. */
export const UPGRADES: readonly Upgrade[] = [
  // The store has a name, and a table of copies, which opening makes.
  { to: 2, run: ({ meta, newId }) => put(meta.texts, STORE_ID_KEY, newId()) },
  // There are tables of rejected events, which opening makes.
  { to: 3, run: () => undefined },
  // There are heads of ledgers and a table of erasures, which opening makes; entries from before stay outside of the chain.
  { to: 4, run: () => undefined },
];

/**
 * The number of the layout of keys and values. It grows when a table is added, or when an older Aisle could not read
 * what a newer one writes.
 */
export const FORMAT_NUMBER = 4;

/** Since when records were removed whose bytes must leave the file; absent when there are none. */
export const ERASED_KEY: Key = "store\0erased";

export const FORMAT_KEY: Key = "store\0format";
const STORE_ID_KEY: Key = "store\0id";

/** The directory holds a store that this version of Aisle cannot read. */
export class FormatUnsupported extends DomainError {
  constructor(
    message: string,
    /** It can be upgraded. */
    readonly isOlder: boolean,
  ) {
    super(message);
  }
}

export function openMeta(database: Database<Uint8Array, Key>, context: TableContext): Meta {
  return {
    numbers: new Table("meta", database, numberRecord, context),
    texts: new Table("meta", database, textRecord, context),
  };
}

/**
 * Refuses a store that cannot be read as it is: a newer one; for reading only also an older one and one that is not
 * complete. To be asked before the tables are opened, which makes those that are missing.
 */
export function checkFormat(meta: Meta, readOnly: boolean, supported = FORMAT_NUMBER): void {
  const found = meta.numbers.get(FORMAT_KEY);
  if (found !== undefined && found > supported) throw unsupported(found, supported, "use a newer version");
  if (!readOnly) return;
  if (found === undefined) throw new Unavailable("The directory holds no complete store");
  if (found < supported) throw unsupported(found, supported, "it is upgraded when it is opened for writing");
}

/** Runs `body` in one write transaction, at once; nothing is written when it throws. */
export type Write = <R>(body: () => R) => R;

/** Makes a new store one of the newest format, and an older one, step by step and with a line for each. */
export function upgradeFormat(
  write: Write,
  store: UpgradedStore,
  log: (line: string) => void,
  upgrades: readonly Upgrade[] = UPGRADES,
): void {
  const supported = upgrades.at(-1)?.to ?? FORMAT_NUMBER;
  const { numbers, texts } = store.meta;
  for (;;) {
    if (numbers.get(FORMAT_KEY) === supported) return;
    const upgradedFrom = write(() => {
      const at = numbers.get(FORMAT_KEY); // another process may have upgraded it meanwhile
      if (at === undefined) {
        put(texts, STORE_ID_KEY, store.newId());
        put(numbers, FORMAT_KEY, supported);
      } else if (at !== supported) {
        const upgrade = upgrades.find(({ to }) => to === at + 1);
        if (upgrade === undefined) throw unsupported(at, supported, "it cannot be upgraded");
        upgrade.run(store);
        put(numbers, FORMAT_KEY, upgrade.to);
        return at;
      }
      return undefined;
    });
    if (upgradedFrom !== undefined)
      log(`The store was upgraded from format ${upgradedFrom} to format ${upgradedFrom + 1}`);
  }
}

/** Within a write transaction: the file is to be compacted. */
export function noteErased({ numbers }: Meta, at: number): void {
  if (numbers.get(ERASED_KEY) === undefined) put(numbers, ERASED_KEY, at);
}

/** Since when the file is to be compacted; undefined when it need not be. */
export function erasedAt({ numbers }: Meta): number | undefined {
  return numbers.get(ERASED_KEY);
}

/** The name the store got when it was made; a backup has the same. */
export function storeIdOf(meta: Meta): string {
  const id = meta.texts.get(STORE_ID_KEY);
  if (id === undefined) throw new DataDamaged("The store has lost its id");
  return id;
}

function put<T>(table: Table<T>, key: Key, value: T): void {
  table.putNow(key, table.encode(key, value));
}

function unsupported(found: number, supported: number, advice: string): FormatUnsupported {
  return new FormatUnsupported(
    `The store has format ${found}; this version of Aisle reads format ${supported}, ${advice}`,
    found < supported,
  );
}
