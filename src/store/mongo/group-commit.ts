import { setTimeout as pause } from "node:timers/promises";
import { BSON, type ClientSession, type Document, MongoError, MongoServerError } from "mongodb";
import { keyOf } from "../keys.js";
import { answered, type Connection, isDuplicate, NoAnswer } from "./connection.js";
import type { Job } from "./job.js";
import { MAX_NEWS_PRODUCTS, NEWS, type NewsFeed } from "./news.js";
import { Draft, type Write } from "./staged-tables.js";
import { eachOf, RECORDS } from "./table.js";
import type { Tables } from "./tables.js";

/** Another transaction wrote one of the same documents, or the primary changed. Nothing was written. */
export class Conflicted extends Error {}

/** A command took too long before the transaction was committed. Nothing was written. */
export class TookTooLong extends Error {}

/** A record that cannot be stored. Nothing was written. */
export class Unstorable extends Error {}

/**
 * Writer documents of an app. Each transaction that writes for an app also writes one of them; one that removes what others
 * refer to writes all of them, and so conflicts with every other. Servers choose different ones, so that they do not
 * conflict otherwise.
 */
const WRITER_SLOTS = 16;

/** The kind of writer documents. */
const WRITERS = "writers";

/** Updates in one command. */
const UPDATES_AT_ONCE = 5000;

/** Bytes of the updates in one command; the driver's serializer ends at 17 MiB. */
const COMMAND_BYTES = 12_000_000;

const COMMIT_AGAIN_MS = 20;

export interface GroupCommitDeps {
  readonly connection: Connection;
  readonly tables: Tables;
  readonly news: NewsFeed;
  /** A text not given before, on any server. */
  readonly newId: () => string;
  readonly committed: (appId: string, writes: readonly Write[]) => void;
}

/** The commands of one transaction. */
interface Commands {
  readonly inserts: Document[];
  readonly updates: Document[];
  readonly deletes: Document[];
  readonly news: Document[];
  readonly newsIds: string[];
}

/** Runs works of several callers and apps in one transaction: one query for each round of reads, one update, one commit. */
export class GroupCommit {
  private slot = Math.floor(Math.random() * WRITER_SLOTS);

  constructor(private readonly deps: GroupCommitDeps) {}

  /**
   * Runs the jobs and commits their writes; they are not settled yet. At the first attempt it inserts records that seem new, which
   * costs the server less than an upsert; a record that was there after all makes it reject with Conflicted. Rejects with Conflicted, TookTooLong or Unstorable when
   * nothing was written, and with the driver's error when the outcome is unknown.
   */
  async commit(jobs: readonly Job[], limitMs: number, isFirst: boolean): Promise<void> {
    const { connection } = this.deps;
    const session = connection.client.startSession({ causalConsistency: false });
    try {
      session.startTransaction({
        readConcern: { level: "snapshot" },
        writeConcern: { w: "majority", journal: true },
        readPreference: "primary",
      });
      await this.run(session, jobs, limitMs, isFirst);
    } finally {
      session.endSession().catch(() => undefined); // it aborts what is open; the server forgets it by itself
    }
  }

  private async run(session: ClientSession, jobs: readonly Job[], limitMs: number, isFirst: boolean): Promise<void> {
    const { connection, news, committed } = this.deps;
    const until = performance.now() + limitMs;
    const timely = <T>(ask: () => Promise<T>) => answered(connection, ask, Math.max(1, until - performance.now()));
    let drafts: readonly Draft[];
    let commands: Commands;
    try {
      drafts = await this.draft(session, jobs, timely);
      commands = this.commandsOf(drafts, isFirst);
      await send(connection, session, commands, jobs.length === 1, timely);
    } catch (error) {
      throw this.failure(error);
    }
    for (const id of commands.newsIds) news.markOwn(id);
    try {
      await commitTransaction(session, timely, until);
    } catch (error) {
      const isKnown = isConflict(error);
      for (const id of commands.newsIds) news.unmarkOwn(id, !isKnown);
      throw isKnown ? this.failure(error) : error;
    }
    for (const draft of drafts) {
      const writes = draft.writes();
      if (writes.length > 0) committed(draft.appId, writes);
    }
  }

  /** Runs the works of each app one after the other; loads what they read and goes on, until all have run. */
  private async draft(session: ClientSession, jobs: readonly Job[], timely: Timely): Promise<readonly Draft[]> {
    const { connection, tables } = this.deps;
    const lanes = new Map<string, { readonly draft: Draft; readonly jobs: Job[]; done: number }>();
    for (const job of jobs) {
      const lane = lanes.get(job.appId);
      if (lane === undefined) lanes.set(job.appId, { draft: new Draft(job.appId, tables), jobs: [job], done: 0 });
      else lane.jobs.push(job);
    }
    const all = [...lanes.values()];
    for (let isFirst = true; ; isFirst = false) {
      const missing = new Map<string, (v: unknown) => void>();
      for (const lane of all) {
        if (!isFirst && lane.draft.missing.size === 0) continue;
        lane.draft.missing.clear();
        runFrom(lane);
        for (const [id, take] of lane.draft.missing) missing.set(id, take);
      }
      if (missing.size === 0) return all.map(({ draft }) => draft);
      const found = new Map<string, unknown>();
      const ids = [...missing.keys()];
      await timely(() => eachOf(connection, ids, session, (id, v) => void found.set(id, v)));
      for (const [id, take] of missing) take(found.get(id));
    }
  }

  private commandsOf(drafts: readonly Draft[], mayInsert: boolean): Commands {
    const commands: Commands = { inserts: [], updates: [], deletes: [], news: [], newsIds: [] };
    const by = this.deps.newId();
    for (const draft of drafts) {
      const writes = draft.writes();
      if (writes.length === 0 && !draft.changed) continue;
      for (const { id: _id, document, isNew } of writes) {
        if (document === undefined) commands.deletes.push({ q: { _id }, limit: 1 });
        else if (isNew && mayInsert) commands.inserts.push(document);
        else commands.updates.push({ q: { _id }, u: document, upsert: true });
      }
      for (const _id of draft.held()) commands.updates.push({ q: { _id }, u: { $inc: { held: 1 } } });
      commands.updates.push(...this.writerUpdates(draft, by));
      this.addNews(commands, draft.appId, writes);
    }
    return commands;
  }

  private *writerUpdates({ appId: app, isExclusive, changed }: Draft, by: string): Iterable<Document> {
    for (let slot = 0; slot < WRITER_SLOTS; slot++) {
      const isOwn = slot === this.slot;
      if (!isOwn && !isExclusive) continue;
      const $set = { app, kind: WRITERS, by, ...(isOwn && changed && { changed: by }) };
      yield { q: { _id: writerId(app, slot) }, u: { $set }, upsert: true };
    }
  }

  private addNews({ news, newsIds }: Commands, app: string, writes: readonly Write[]): void {
    const { name } = this.deps.tables.products;
    const products = writes.filter(({ table }) => table === name).map(({ key }) => key);
    if (products.length === 0) return;
    const _id = this.deps.newId();
    newsIds.push(_id);
    news.push({
      q: { _id },
      u: { $set: { app, products: products.length > MAX_NEWS_PRODUCTS ? [] : products }, $currentDate: { at: true } },
      upsert: true,
    });
  }

  private failure(error: unknown): unknown {
    if (error instanceof NoAnswer) return new TookTooLong("The transaction took too long", { cause: error });
    if (!isConflict(error)) return error;
    this.slot = Math.floor(Math.random() * WRITER_SLOTS); // another server may use the same
    return new Conflicted("The transaction met another one", { cause: error });
  }
}

type Timely = <T>(ask: () => Promise<T>) => Promise<T>;

function runFrom(lane: { readonly draft: Draft; readonly jobs: readonly Job[]; done: number }): void {
  for (let n = lane.done; n < lane.jobs.length; n++) {
    const job = lane.jobs[n]!;
    const stands = lane.draft.attempt(
      () => job.run(lane.draft),
      (error) => job.fail(error),
    );
    if (stands) lane.done = n + 1;
  }
}

async function send(
  connection: Connection,
  session: ClientSession,
  { inserts, updates, deletes, news }: Commands,
  isAlone: boolean,
  timely: Timely,
): Promise<void> {
  const groups: readonly (readonly [string, string, string, readonly Document[]])[] = [
    ["insert", RECORDS, "documents", inserts],
    ["update", RECORDS, "updates", updates],
    ["delete", RECORDS, "deletes", deletes],
    ["update", NEWS, "updates", news],
  ];
  for (const [command, collection, list, statements] of groups) {
    for (const some of isAlone ? withinBytes(statements) : inParts(statements, UPDATES_AT_ONCE)) {
      const body = { [command]: collection, [list]: some, ordered: false };
      const answer = await timely(() => serialized(() => connection.db.command(body, { session })));
      const [failed] = Array.isArray(answer.writeErrors) ? answer.writeErrors : [];
      if (failed !== undefined) throw new MongoServerError({ message: "a write failed", code: failed.code });
    }
  }
}

function* inParts<T>(all: readonly T[], size: number): Iterable<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}

/** Parts that the driver can serialize. */
function* withinBytes(statements: readonly Document[]): Iterable<readonly Document[]> {
  let part: Document[] = [];
  let bytes = 0;
  for (const statement of statements) {
    const size = serializedSize(statement);
    if (part.length > 0 && (bytes + size > COMMAND_BYTES || part.length >= UPDATES_AT_ONCE)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(statement);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

function serializedSize(statement: Document): number {
  try {
    return BSON.calculateObjectSize(statement);
  } catch (error) {
    throw new Unstorable("A record cannot be serialized", { cause: error });
  }
}

/** Errors of the driver's serializer and of a server that refuses a document mean that a record cannot be stored. */
async function serialized<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isRefused = error instanceof MongoServerError && UNSTORABLE_CODES.has(error.code);
    const isOfDriver = error instanceof MongoError && error.name !== "MongoInvalidArgumentError";
    if (isRefused || !isOfDriver) throw new Unstorable("A record cannot be stored", { cause: error });
    throw error;
  }
}

/** BadValue, BSONObjectTooLarge, and the older codes of a document that is too large. */
const UNSTORABLE_CODES: ReadonlySet<unknown> = new Set([2, 10334, 17280, 17419, 17420]);

/** Commits; asks again while the outcome is unknown. */
async function commitTransaction(session: ClientSession, timely: Timely, until: number): Promise<void> {
  for (;;) {
    try {
      return await timely(() => session.commitTransaction());
    } catch (error) {
      if (!isUnknown(error) || performance.now() + COMMIT_AGAIN_MS >= until) throw error;
      await pause(COMMIT_AGAIN_MS);
    }
  }
}

/** The commit may have been made: the answer was lost, or the server was no longer the primary. */
function isUnknown(error: unknown): boolean {
  if (!(error instanceof MongoError) || error.hasErrorLabel("TransientTransactionError")) return false;
  return error.hasErrorLabel("UnknownTransactionCommitResult") || error.hasErrorLabel("RetryableWriteError");
}

const WRITE_CONFLICT = 112;

/** The server has rolled the transaction back, and a new one may succeed. */
function isConflict(error: unknown): boolean {
  if (!(error instanceof MongoError)) return false;
  if (error.hasErrorLabel("UnknownTransactionCommitResult")) return false;
  if (error.hasErrorLabel("TransientTransactionError") || isDuplicate(error)) return true;
  return error instanceof MongoServerError && error.code === WRITE_CONFLICT;
}

function writerId(appId: string, slot: number): string {
  return `${keyOf(appId, "")}${WRITERS}\0${String(slot).padStart(2, "0")}`;
}

/** Changes whenever a transaction has changed the app's training data; "" before the first. */
export async function activityOf(connection: Connection, appId: string): Promise<string> {
  const prefix = `${keyOf(appId, "")}${WRITERS}`;
  const writers = connection.db.collection<{ readonly _id: string; readonly changed?: string }>(RECORDS);
  const found = await answered(connection, () =>
    writers.find({ _id: { $gte: `${prefix}\0`, $lt: `${prefix}\x01` } }, { batchSize: WRITER_SLOTS + 1 }).toArray(),
  );
  return found
    .map(({ changed = "" }) => changed)
    .join("")
    .replaceAll("-", "");
}
