import { randomUUID } from "node:crypto";
import type { Metrics } from "../../adapters/metrics.js";
import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Clock, Now } from "../../domain/clock.js";
import { Unavailable } from "../../domain/errors.js";
import type { Store } from "../ports/store.js";
import { asked, type Connection, collectionOf, connect } from "./connection.js";
import { createCopies } from "./copies.js";
import { createEventStore } from "./event-store.js";
import { checkFormat, FORMAT_NUMBER, formatOf } from "./format.js";
import { GroupCommit } from "./group-commit.js";
import { createInteractionStore } from "./interaction-store.js";
import { createLeases, heldLeases } from "./lease.js";
import { Maintenance, sweepIdempotency } from "./maintenance.js";
import { ModelFiles } from "./model-files.js";
import { createModelStore } from "./model-store.js";
import { NewsFeed } from "./news.js";
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
import { noteClock, resumeClock } from "./saved-clock.js";
import { ensureIndexes, openTables } from "./tables.js";
import { createTallyBoard } from "./tally-board.js";
import { createUnitOfWork } from "./unit-of-work.js";
import { WRITER_LIMITS, Writer, type WriterLimits } from "./writer.js";

export interface MongoStoreOptions {
  /** `mongodb://…` or `mongodb+srv://…`; the database is the one it names, else `aisle`. Many servers may share it. */
  readonly url: string;
  readonly now: Now;
  /** The clock that `now` reads: it goes on from what the store's servers noted, and keys expire by its other readings. */
  readonly clock?: Clock | undefined;
  /** Milliseconds by a clock that is never set, for what must not depend on the clocks of servers; `performance.now`. */
  readonly elapsed?: Now;
  /** A text not given before, on any server. */
  readonly newId?: () => string;
  /** Called with the table's name for each damaged value that is read. */
  readonly onDamage?: (table: string) => void;
  /** Told, in one line each, what was found and done while opening. */
  readonly log?: (line: string) => void;
  /** Refuse all writes and leave upkeep to other servers. */
  readonly readOnly?: boolean;
  readonly metrics?: Metrics;
  /** Called for errors in background work: upkeep and product watching. */
  readonly reportFailure?: ReportFailure;
  /** One operation that takes longer than this many milliseconds is rejected with Unavailable; else `limits.answerMs`. */
  readonly answerMs?: number;
  readonly limits?: Partial<WriterLimits>;
  /** Poll interval for product writes of other servers, ms; default 1000. */
  readonly watchPollMs?: number;
}

const WATCH_POLL_MS = 1000;

/** Milliseconds between two rounds of upkeep. */
const ROUND_MS = 1000;

/**
 * Opens the store kept in a MongoDB database: a replica set, a sharded cluster, or another server that speaks the same protocol
 * and has transactions.
 *
 * Rejects with FormatUnsupported when a newer Aisle wrote the database, with ServerUnsuited for a server without transactions,
 * with Unavailable when no server answers. Later a server that does not answer makes calls reject with Unavailable within
 * `limits.answerMs`; they succeed again when it is back.
 */
export async function openMongoStore(options: MongoStoreOptions): Promise<Store> {
  const { metrics, log = () => undefined, newId = randomUUID } = options;
  const limits = { ...WRITER_LIMITS, ...options.limits };
  const onDamage = (table: string): void => {
    metrics?.count("store_damaged_values", { table });
    options.onDamage?.(table);
  };
  const { connection, server } = await connect(options.url, options.answerMs ?? limits.answerMs, onDamage);
  let storeId: string;
  try {
    const follows = connection.hasChangeStreams ? "follows a change stream" : "polls each second";
    log(`The store is ${server}; Aisle ${follows} for the changes of other servers`);
    storeId = await checkFormat(connection, { log, readOnly: options.readOnly ?? false, newId });
    if (options.readOnly !== true) await ensureIndexes(connection);
    if (options.readOnly !== true && options.clock !== undefined) await resumeClock(connection, options.clock);
  } catch (error) {
    await connection.client.close();
    throw error;
  }
  return assembleStore(connection, storeId, { ...options, newId }, limits);
}

/** The store over an open connection. */
function assembleStore(
  connection: Connection,
  storeId: string,
  options: MongoStoreOptions & Required<Pick<MongoStoreOptions, "newId">>,
  limits: WriterLimits,
): Store {
  const { now, clock, metrics, newId, reportFailure = () => undefined } = options;
  const keyClock = clock ?? { now, livedNow: now };
  const tables = openTables(connection);
  const elapsed = options.elapsed ?? (() => performance.now());
  const watchers: ProductWatchers = new ProductWatchers(connection, tables, reportFailure, () => news);
  const news: NewsFeed = new NewsFeed({
    connection,
    elapsed,
    reportFailure,
    take: (some) => watchers.take(some),
    pollMs: options.watchPollMs ?? WATCH_POLL_MS,
  });
  const groupCommit = new GroupCommit({
    connection,
    tables,
    news,
    newId,
    now,
    committed: (appId, writes) => watchers.committed(appId, writes),
  });
  const writer = new Writer({ groupCommit, metrics, limits, readOnly: options.readOnly ?? false });
  const files = new ModelFiles(connection, now);
  const removals = new Removals(connection, tables, writer, files, newId);
  const leases = createLeases({
    run: (appId, work) => writer.run(appId, (draft) => work(draft.tables.leases)),
    held: () => heldLeases(connection, tables),
    now,
    elapsed,
  });
  const tasks = [
    { every: 5, run: () => leases.observe() },
    { every: 10, run: () => removals.resume() },
    { every: 60, run: () => sweepIdempotency(connection, tables, keyClock) },
    { every: 60, run: () => news.sweep() },
    { every: 5, run: async () => watchers.follow() },
    ...(clock === undefined ? [] : [{ every: 5, run: () => noteClock(connection, clock) }]),
  ];
  const upkeep = new Maintenance(options.readOnly === true ? [] : tasks, ROUND_MS, "store_upkeep", reportFailure);
  return {
    apps: createAppStore(tables, writer, removals, keyClock),
    events: createEventStore(tables, connection),
    rejectedEvents: createRejectedEventStore(tables),
    visitors: createVisitorStore(tables),
    interactions: createInteractionStore(tables),
    contacts: createContactStore(tables),
    hooks: createHookStore(tables),
    feeds: createFeedStore(tables),
    products: createProductStore(tables, watchers),
    operations: createOperationStore(tables),
    orders: createOrderStore(tables),
    leases,
    copies: createCopies({ storeId, tables, writer, removals }),
    models: createModelStore({ tables, writer, connection, files, onDamage: connection.onDamage }),
    unitOfWork: createUnitOfWork({ writer, clock: keyClock }),
    scrub: async () => undefined, // records are removed at once, and news hold no names of persons
    tallies: createTallyBoard(connection, now),
    ready: async () => {
      const refusal = writer.refusal();
      if (refusal !== undefined) throw refusal;
      // A write of the same kind as an event's: it needs a primary, a majority and room on the disk.
      const meta = collectionOf<{ readonly _id: string; readonly at: number }>(connection, "meta");
      await asked(connection, () => meta.updateOne({ _id: "ready" }, { $set: { at: now() } }, { upsert: true }));
      if ((await formatOf(connection)) !== FORMAT_NUMBER)
        throw new Unavailable("Another version of Aisle has upgraded the store");
    },
    close: async () => {
      await writer.close();
      await Promise.all([upkeep.close(), news.close()]);
      connection.closed = true;
      await connection.client.close();
    },
  };
}
