import { randomUUID } from "node:crypto";
import type { Metrics } from "../../adapters/metrics.js";
import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Clock, Now } from "../../domain/clock.js";
import type { KeyClock } from "../idempotency-records.js";
import type { Store } from "../ports/store.js";
import { compact } from "./compaction.js";
import { createCopies } from "./copies.js";
import { type Environment, openBeside, openEnvironment } from "./environment.js";
import { createEventStore, EventOrder } from "./event-store.js";
import { freeBytesOf } from "./files.js";
import { createInteractionStore } from "./interaction-store.js";
import { createLeases } from "./lease.js";
import { removeOrphans } from "./model-files.js";
import { createModelStore } from "./model-store.js";
import { ProductWatchers } from "./product-watch.js";
import {
  createAppStore,
  createContactStore,
  createFeedStore,
  createHookStore,
  createOperationStore,
  createOrderStore,
  createProductStore,
  createRejectedEventStore,
  createVisitorStore,
} from "./record-stores.js";
import { Removals } from "./removal.js";
import { type Machine, resumeClock, thisMachine } from "./saved-clock.js";
import { createUnitOfWork } from "./unit-of-work.js";
import { ChangedApps, createActivity, createClockNotes, createSweep } from "./upkeep.js";
import { Writer } from "./writer.js";
import type { WriterLimits } from "./writer-limits.js";

export interface EmbeddedStoreOptions {
  /** Created when missing, unless `readOnly`. One process may have it open for writing, in several threads. */
  readonly directory: string;
  readonly now: Now;
  /** The clock behind `now`. It continues from the store's newest commit; idempotency keys expire by its other readings. */
  readonly clock?: Clock | undefined;
  /** Default: this machine. */
  readonly machine?: () => Machine;
  /** Returns a unique text, used to name temporary files. */
  readonly newId?: () => string;
  /** Called with the table's name for each damaged value that is read. */
  readonly onDamage?: (table: string) => void;
  /** Called with one line for each action taken while opening. */
  readonly log?: (line: string) => void;
  /** Refuse all writes. */
  readonly readOnly?: boolean;
  /** Read beside another process, which holds its pages; see `openBeside`. */
  readonly beside?: boolean;
  /** Open only the store with this id, and create none. */
  readonly expectedId?: string;
  /** Reads a whole store whose file may be cut short, in another process; false when it is damaged. */
  readonly isWhole?: (directory: string) => Promise<boolean>;
  readonly metrics?: Metrics;
  /** Called for errors in background work: upkeep and product watching. */
  readonly reportFailure?: ReportFailure;
  /** Called once, when a write failed. The store then refuses writes until it is reopened, preferably by a new process. */
  readonly onLatched?: (cause: unknown) => void;
  readonly limits?: Partial<WriterLimits>;
  /** Free bytes on the disk; default: ask the file system. See `limits.minFreeBytes`. */
  readonly freeBytes?: () => number;
}

/** Interval of the check for a replaced file while nothing is written. */
const LOOK_EVERY_MS = 1000;

/** An open embedded store. */
export interface EmbeddedStore extends Store {
  /**
   * Keeps the pages of the newest commit and of later ones as they are, for a reader in another process, until the function that
   * it answers is called. The file grows by all writes meanwhile.
   */
  hold(): () => void;
}

/**
 * Opens the store kept in one directory: records in LMDB, model snapshots in files beside it.
 *
 * Rejects with FormatUnsupported when a newer Aisle wrote the directory, with Unavailable when it cannot be opened.
 * After a failed write the store refuses all further ones (`ready` rejects) until it is closed and opened again.
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const onDamage = (table: string): void => {
    options.metrics?.count("store_damaged_values", { table });
    options.onDamage?.(table);
  };
  const { directory, readOnly = false, beside = false, log, newId, expectedId, isWhole } = options;
  const open = () =>
    beside
      ? openBeside(directory, onDamage)
      : openEnvironment(directory, readOnly, onDamage, log, newId, expectedId, isWhole);
  let environment = await open();
  if (!environment.readOnly && environment.erasedAt() !== undefined) {
    await compacted(environment, options);
    environment = await open();
  }
  try {
    return await assembleStore(environment, { ...options, onDamage });
  } catch (error) {
    await environment.close();
    throw error;
  }
}

/** Compacts a file with erased bytes, and closes it. */
async function compacted(
  environment: Environment,
  { log = () => undefined, reportFailure }: Pick<EmbeddedStoreOptions, "log" | "reportFailure">,
): Promise<void> {
  try {
    await compact(environment);
    log("The file of the store was compacted: what was erased is in it no more");
  } catch (error) {
    reportFailure?.("store_upkeep", error);
    log("The file of the store could not be compacted: what was erased is in its free space until another start");
  }
}

/** The store over an open environment, which tests may have wrapped to make its writes fail. */
export async function assembleStore(environment: Environment, options: AssembleOptions): Promise<EmbeddedStore> {
  const { now, clock, machine = thisMachine, onDamage, newId = randomUUID } = options;
  if (clock !== undefined && !environment.readOnly) resumeClock(environment, clock, machine());
  const keyClock = clock ?? { now, livedNow: now };
  const { writer, watchers, changed, eventOrder } = createWriting(environment, keyClock, options);
  const removals = new Removals(environment, writer);
  if (!environment.readOnly) {
    await removals.resume();
    await removeOrphans(environment, now);
  }
  const stopLooking = lookForFile(environment, writer);
  return {
    apps: createAppStore(environment, writer, removals, keyClock),
    events: createEventStore(environment),
    rejectedEvents: createRejectedEventStore(environment),
    visitors: createVisitorStore(environment),
    interactions: createInteractionStore(environment),
    contacts: createContactStore(environment),
    hooks: createHookStore(environment),
    feeds: createFeedStore(environment),
    products: createProductStore(environment, watchers),
    operations: createOperationStore(environment),
    orders: createOrderStore(environment),
    models: createModelStore({ environment, writer, now, newId, onDamage }),
    leases: createLeases(writer, now),
    copies: createCopies({ environment, writer, removals, changed }),
    unitOfWork: createUnitOfWork({ writer, clock: keyClock, changed, eventOrder }),
    scrub: () => noteErased(environment, writer, now),
    hold: () => environment.hold(),
    ready: async () => {
      const refusal = writer.refusal();
      if (refusal !== undefined) throw refusal;
    },
    close: async () => {
      stopLooking();
      watchers.close();
      await writer.close();
      await environment.close();
    },
  };
}

type AssembleOptions = EmbeddedStoreOptions & { readonly onDamage: (table: string) => void };

/** The writer with the upkeep of its batches, and who watches the products that they write. */
function createWriting(environment: Environment, keyClock: KeyClock, options: AssembleOptions) {
  const { now, clock, machine = thisMachine, reportFailure = () => undefined } = options;
  const changed = new ChangedApps();
  const eventOrder = new EventOrder();
  const watchers = new ProductWatchers(reportFailure);
  const writer = new Writer({
    environment,
    now,
    metrics: options.metrics,
    reportFailure,
    limits: options.limits,
    freeBytes: options.freeBytes ?? (() => freeBytesOf(environment.directory)),
    upkeep: [
      createActivity(changed, now),
      createSweep(environment, keyClock),
      () => eventOrder.batchEnds(),
      ...(clock === undefined ? [] : [createClockNotes(environment, clock, machine)]),
    ],
    committed: (tables) => watchers.committed(tables),
    onLatched: options.onLatched,
  });
  return { writer, watchers, changed, eventOrder };
}

/** Shuts the writer when the file of the store was moved or replaced; returns what ends the checks. */
function lookForFile(environment: Environment, writer: Writer): () => void {
  const look = () => {
    try {
      environment.checkFile();
    } catch (error) {
      writer.latch.close(error);
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

async function noteErased(environment: Environment, writer: Writer, now: Now): Promise<void> {
  const refusal = writer.refusal(true);
  if (refusal !== undefined) throw refusal;
  try {
    await environment.noteErased(now());
  } catch (error) {
    writer.latch.close(error);
    throw writer.latch.refusal();
  }
}
