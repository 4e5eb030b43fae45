import { DataDamaged, DomainError, Unavailable } from "../../domain/errors.js";
import { number, text } from "../schema/kinds.js";
import { codecOf } from "./codec.js";
import type { Key } from "./keys.js";
import { type SavedClock, savedClockKind } from "./records.js";
import { Table, type TableContext, type TableData } from "./table.js";
import type { Tables } from "./tables.js";

/** The store's metadata: format number, id and clock. */
export interface Meta {
  readonly numbers: Table<number>;
  readonly texts: Table<string>;
  readonly clocks: Table<SavedClock>;
}

/** The store during an upgrade. All tables of the newest format already exist. */
export interface UpgradedStore {
  readonly meta: Meta;
  readonly tables: Tables;
  /** A text not given before. */
  readonly newId: () => string;
  /** Removes a table of an earlier format with all its entries. */
  readonly drop: (table: string) => void;
}

/**
 * Upgrades a store from the previous format to `to`. One transaction runs it and sets the new number. After a crash the store
 * therefore has one of the two formats, never a mix.
 */
export interface Upgrade {
  readonly to: number;
  run(store: UpgradedStore): void;
}

/** In order, without gaps. Another step makes a new format; the oldest that is read is the one before the first. */
const UPGRADES: readonly Upgrade[] = [
  // The keys of contacts follow other rules; a server that starts writes them anew, app by app (`identity/rekey-contacts.ts`).
  // Opening creates the table of suppressed addresses.
  { to: 10, run: () => undefined },
  // The log of written products told other processes of the directory of them.
  {
    to: 11,
    run: ({ drop }) => {
      for (const table of FORMER_TABLES) drop(table);
    },
  },
];

/** Tables of formats before 11. */
export const FORMER_TABLES: readonly string[] = ["productLog", "productHeads"];

/**
 * Version of the layout of keys and values. It grows when a table is added, or when an older Aisle could not read the
 * records of a newer one.
 */
export const FORMAT_NUMBER = 11;

/** The oldest format that can be upgraded. */
const OLDEST = 9;
const TOO_OLD = "it cannot be upgraded";

/** Time of the first erasure since the last compaction; absent when the file holds no erased bytes. */
const ERASED_KEY: Key = "store\0erased";

export const FORMAT_KEY: Key = "store\0format";
/** The clock at one of the last commits. */
const CLOCK_KEY: Key = "store\0clock";
export const STORE_ID_KEY: Key = "store\0id";

/** The directory holds a store that this version of Aisle cannot read. */
export class FormatUnsupported extends DomainError {
  constructor(
    message: string,
    readonly canBeUpgraded: boolean,
  ) {
    super(message);
  }
}

export function openMeta(database: TableData, context: TableContext): Meta {
  return {
    numbers: new Table("meta", database, codecOf(number), context),
    texts: new Table("meta", database, codecOf(text), context),
    clocks: new Table("meta", database, codecOf(savedClockKind), context),
  };
}

/**
 * Refuses a newer format, and with `readOnly` also an older format or an incomplete store. Call it before the tables are
 * opened, since opening creates missing tables.
 */
export function checkFormat(meta: Meta, readOnly: boolean, supported = FORMAT_NUMBER): void {
  const found = meta.numbers.get(FORMAT_KEY);
  if (found !== undefined && found > supported) throw unsupported(found, supported, "use a newer version");
  if (!readOnly) return;
  if (found === undefined) throw new Unavailable("The directory holds no complete store");
  if (found < OLDEST) throw unsupported(found, supported, TOO_OLD);
  if (found < supported) throw unsupported(found, supported, "it is upgraded when it is opened for writing");
}

/** Runs `body` in one write transaction, at once; nothing is written when it throws. */
export type Write = <R>(body: () => R) => R;

/** Gives a new store the newest format and upgrades an older one step by step, with a log line for each step. */
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
      const at = numbers.get(FORMAT_KEY);
      if (at === undefined) {
        put(texts, STORE_ID_KEY, store.newId());
        put(numbers, FORMAT_KEY, supported);
      } else if (at !== supported) {
        const upgrade = upgrades.find(({ to }) => to === at + 1);
        if (upgrade === undefined) throw unsupported(at, supported, TOO_OLD);
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

/** Within a write transaction: records that the file holds erased bytes. */
export function noteErased({ numbers }: Meta, at: number): void {
  if (numbers.get(ERASED_KEY) === undefined) put(numbers, ERASED_KEY, at);
}

/** The entry that `noteErased` makes, which a compacted file does not need. */
export function isErasureNote(table: string, key: Key): boolean {
  return table === "meta" && key === ERASED_KEY;
}

/** Time of the first erasure since the last compaction; undefined when there was none. */
export function erasedAt({ numbers }: Meta): number | undefined {
  return numbers.get(ERASED_KEY);
}

/** Within a write transaction: see `saved-clock.ts`. */
export function noteClock({ clocks }: Meta, clock: SavedClock): void {
  put(clocks, CLOCK_KEY, clock);
}

/** Undefined in a store without a saved clock, or with a damaged one, which the next save replaces. */
export function savedClock({ clocks }: Meta): SavedClock | undefined {
  try {
    return clocks.get(CLOCK_KEY);
  } catch (error) {
    if (error instanceof DataDamaged) return undefined;
    throw error;
  }
}

/** The id created with the store; a backup has the same id. */
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
    OLDEST <= found && found < supported,
  );
}
