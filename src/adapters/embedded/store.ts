import { randomUUID } from "node:crypto";
import type { Now } from "../../domain/clock.js";
import type { Metrics } from "../../ports/metrics.js";
import type { Store } from "../../ports/store.js";
import { ChangedApps, createActivity } from "./activity.js";
import { createAppStore } from "./app-store.js";
import { createContactStore } from "./contact-store.js";
import { createCopies } from "./copies.js";
import { type Environment, openEnvironment } from "./environment.js";
import { createEventStore } from "./event-store.js";
import { createFeedStore } from "./feed-store.js";
import { freeBytesOf } from "./free-space.js";
import { createHookStore } from "./hook-store.js";
import { createSweep } from "./idempotency.js";
import { createInteractionStore } from "./interaction-store.js";
import { createLeases } from "./lease.js";
import { removeOrphans } from "./model-files.js";
import { createModelStore } from "./model-store.js";
import { createOrderStore } from "./order-store.js";
import { createProductLog } from "./product-log.js";
import { createProductStore } from "./product-store.js";
import { ProductWatchers } from "./product-watch.js";
import { createRejectedEventStore } from "./rejected-event-store.js";
import { Removals } from "./removal.js";
import { createUnitOfWork } from "./unit-of-work.js";
import { createVisitorStore } from "./visitor-store.js";
import { Writer } from "./writer.js";
import type { WriterLimits } from "./writer-limits.js";

export interface EmbeddedStoreOptions {
  /** Made when it is not there, unless `readOnly`. Several processes and threads of one machine may share it. */
  readonly directory: string;
  readonly now: Now;
  /** A text not given before; names files while they are written. */
  readonly newId?: () => string;
  /** Told of each damaged value that was met, by the name of its table. */
  readonly onDamage?: (table: string) => void;
  /** Told, in one line each, what was done while opening. */
  readonly log?: (line: string) => void;
  /** Every write is then refused. */
  readonly readOnly?: boolean;
  readonly metrics?: Metrics;
  readonly limits?: Partial<WriterLimits>;
  /** Bytes left on the disk; asked of the file system when not given. See `limits.minFreeBytes`. */
  readonly freeBytes?: () => number;
  /** Milliseconds until product watchers are told of writes of other processes; 1 s when not given. */
  readonly watchPollMs?: number;
}

const WATCH_POLL_MS = 1000;

/**
 * Opens the store kept in one directory: records in LMDB, model snapshots in files beside it.
 *
 * Rejects with FormatUnsupported when a newer Aisle wrote the directory, with Unavailable when it cannot be opened.
 * After a failed write the store refuses all further ones (`ready` rejects) until it is closed and opened again.
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store> {
  const onDamage = (table: string): void => {
    options.metrics?.count("store_damaged_values", { table });
    options.onDamage?.(table);
  };
  const { directory, readOnly = false, log, newId } = options;
  const open = () => openEnvironment(directory, readOnly, onDamage, log, newId);
  let environment = await open();
  if (!readOnly && environment.erasedAt() !== undefined) environment = await compacted(environment, open, log);
  return assembleStore(environment, { ...options, onDamage });
}

/** Takes the bytes of what was erased out of the file, where nobody else has it open; else that waits for another start. */
async function compacted(
  environment: Environment,
  open: () => Promise<Environment>,
  log: (line: string) => void = () => undefined,
): Promise<Environment> {
  let isDone = false;
  try {
    isDone = await environment.compact();
  } catch {
    log("The file of the store could not be compacted: what was erased is in its free space until another start");
  } finally {
    await environment.close();
  }
  if (isDone) log("The file of the store was compacted: what was erased is in it no more");
  return open();
}

/** The store over an open environment, which tests may have wrapped to make its writes fail. */
export async function assembleStore(
  environment: Environment,
  options: EmbeddedStoreOptions & { readonly onDamage: (table: string) => void },
): Promise<Store> {
  const { now, metrics, limits, onDamage, newId = randomUUID } = options;
  const changed = new ChangedApps();
  const log = createProductLog(newId);
  const watchers = new ProductWatchers({ environment, log, metrics, pollMs: options.watchPollMs ?? WATCH_POLL_MS });
  const writer = new Writer({
    environment,
    now,
    metrics,
    limits,
    freeBytes: options.freeBytes ?? (() => freeBytesOf(environment.directory)),
    upkeep: [log.upkeep, createActivity(changed, now), createSweep(environment, now)],
    committed: (tables) => watchers.committed(tables),
  });
  const removals = new Removals(environment, writer);
  if (!environment.readOnly) {
    await removals.resume();
    await removeOrphans(environment, now);
  }
  return {
    apps: createAppStore(environment, writer, removals),
    events: createEventStore(environment),
    rejectedEvents: createRejectedEventStore(environment),
    visitors: createVisitorStore(environment),
    interactions: createInteractionStore(environment),
    contacts: createContactStore(environment),
    hooks: createHookStore(environment),
    feeds: createFeedStore(environment),
    products: createProductStore(environment, watchers),
    orders: createOrderStore(environment),
    models: createModelStore({ environment, writer, now, newId, onDamage }),
    leases: createLeases(writer, now),
    copies: createCopies({ environment, writer, removals, changed }),
    unitOfWork: createUnitOfWork({ writer, now, changed }),
    scrub: async () => {
      const refusal = writer.refusal(true);
      if (refusal !== undefined) throw refusal;
      try {
        await environment.noteErased(now());
      } catch (error) {
        writer.latch.close(error);
        throw writer.latch.refusal();
      }
    },
    ready: async () => {
      const refusal = writer.refusal();
      if (refusal !== undefined) throw refusal;
    },
    close: async () => {
      watchers.close();
      await writer.close();
      await environment.close();
    },
  };
}
