import { setTimeout as pause } from "node:timers/promises";
import { type ClientSession, MongoError, MongoNetworkError, MongoServerError } from "mongodb";
import type { Now } from "../../domain/clock.js";
import { answered, type Connection, isDuplicate, NoAnswer } from "./connection.js";
import { EventOrder } from "./event-order.js";
import type { Job } from "./job.js";
import type { NewsFeed } from "./news.js";
import { Draft, type Write } from "./staged-tables.js";
import { eachOf } from "./table.js";
import type { Tables } from "./tables.js";
import { sendWrites, type Timely, type WriteCommands, writeCommandsOf } from "./write-commands.js";
import { chooseSlot, writerId } from "./writer-documents.js";

/** Another transaction wrote one of the same documents, or the primary or a connection was lost. Nothing was written. */
export class Conflicted extends Error {}

/** A command took too long before the transaction was committed. Nothing was written. */
export class TookTooLong extends Error {}

const COMMIT_AGAIN_MS = 20;

export interface GroupCommitDeps {
  readonly connection: Connection;
  readonly tables: Tables;
  readonly news: NewsFeed;
  /** A text not given before, on any server. */
  readonly newId: () => string;
  readonly now: Now;
  readonly committed: (appId: string, writes: readonly Write[]) => void;
}

/** Runs works of several callers and apps in one transaction: one query for each round of reads, one update, one commit. */
export class GroupCommit {
  private slot = chooseSlot();

  constructor(private readonly deps: GroupCommitDeps) {}

  /**
   * Runs the jobs and commits their writes; they are not settled yet. Rejects with Conflicted, TookTooLong or Unstorable when
   * nothing was written, and with the driver's error when the outcome is unknown. At the first attempt it inserts records that
   * seem new, and one that exists after all is a conflict.
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
    const { connection, tables, newId, now, news, committed } = this.deps;
    const { slot } = this;
    const orders = new Map<string, number>();
    const orderOf = (appId: string) => new EventOrder(slot, orders.get(appId), now);
    const until = performance.now() + limitMs;
    const timely = <T>(ask: () => Promise<T>) => answered(connection, ask, Math.max(1, until - performance.now()));
    let drafts: readonly Draft[];
    let commands: WriteCommands;
    try {
      drafts = await this.draft(session, jobs, timely, slot, orders);
      commands = writeCommandsOf(drafts, { tables, newId, slot, orderOf, mayInsert: isFirst });
      await sendWrites(connection, session, commands, jobs.length === 1, timely);
    } catch (error) {
      if (error instanceof NoAnswer) throw new TookTooLong("The transaction took too long", { cause: error });
      // A connection that breaks before the commit was sent leaves nothing.
      throw isConflict(error) || error instanceof MongoNetworkError ? this.conflicted(error) : error;
    }
    for (const id of commands.newsIds) news.markOwn(id);
    try {
      await commitTransaction(session, timely, until);
    } catch (error) {
      const isKnown = isConflict(error);
      for (const id of commands.newsIds) news.unmarkOwn(id, !isKnown);
      throw isKnown ? this.conflicted(error) : error;
    }
    for (const draft of drafts) {
      const writes = draft.writes();
      if (writes.length > 0) committed(draft.appId, writes);
    }
  }

  /**
   * Runs the works of each app one after the other; loads what they read and goes on, until all have run. It reads the greatest
   * order of each app's slot besides, where works may store events.
   */
  private async draft(
    session: ClientSession,
    jobs: readonly Job[],
    timely: Timely,
    slot: number,
    orders: Map<string, number>,
  ): Promise<readonly Draft[]> {
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
      if (isFirst)
        for (const appId of lanes.keys()) missing.set(writerId(appId, slot), (v) => takeOrder(orders, appId, v));
      if (missing.size === 0) return all.map(({ draft }) => draft);
      const found = new Map<string, unknown>();
      const ids = [...missing.keys()];
      await timely(() => eachOf(connection, ids, session, (id, v) => void found.set(id, v)));
      for (const [id, take] of missing) take(found.get(id));
    }
  }

  private conflicted(error: unknown): Conflicted {
    this.slot = chooseSlot();
    return new Conflicted("The transaction met another one", { cause: error });
  }
}

function takeOrder(orders: Map<string, number>, appId: string, v: unknown): void {
  if (typeof v === "number") orders.set(appId, v);
}

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
  const isLabelled =
    error.hasErrorLabel("UnknownTransactionCommitResult") || error.hasErrorLabel("RetryableWriteError");
  return isLabelled || error instanceof MongoNetworkError;
}

const WRITE_CONFLICT = 112;

/** The server has rolled the transaction back, and a new one may succeed. */
function isConflict(error: unknown): boolean {
  if (!(error instanceof MongoError)) return false;
  if (error.hasErrorLabel("UnknownTransactionCommitResult")) return false;
  if (error.hasErrorLabel("TransientTransactionError") || isDuplicate(error)) return true;
  return error instanceof MongoServerError && error.code === WRITE_CONFLICT;
}
