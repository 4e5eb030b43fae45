import type { ChangeStream, ClientSession } from "mongodb";
import type { ReportFailure } from "../../adapters/report-failure.js";
import { asked, type Connection, collectionOf } from "./connection.js";

/** Tells other servers what a transaction changed. The transaction inserts it; a sweep removes it after `KEPT_MS`. */
export interface News {
  readonly _id: string;
  readonly app: string;
  /** When it was inserted, by the database's clock. */
  readonly at: Date;
  /** Keys of the products that were written or removed. Empty: read all products again. */
  readonly products: readonly string[];
}

/** The collection of news. */
export const NEWS = "news";

/** News with more products than this say only that there are many. */
export const MAX_NEWS_PRODUCTS = 2000;

const KEPT_MS = 60 * 60 * 1000;

/** A server that has read no news for this long reads everything again. */
const TOO_LONG_MS = KEPT_MS / 2;

/** A transaction may become visible this long after it inserted its news; each poll reads so far back. */
const OVERLAP_MS = 30_000;

/** News that are remembered at least. */
const MANY = 1000;

/** Time between two attempts to open a change stream that ended. */
const REOPEN_MS = 5000;

/** Receives each piece of news at least once; `undefined` when some may have been missed. */
export type TakeNews = (news: readonly News[] | undefined) => Promise<void>;

export interface NewsFeedOptions {
  readonly connection: Connection;
  /** Milliseconds by a clock that is never set. */
  readonly elapsed: () => number;
  readonly reportFailure: ReportFailure;
  readonly take: TakeNews;
  readonly pollMs: number;
}

/**
 * Follows the news of other servers by a change stream. On a server without change streams, and while none is open, it polls.
 * It begins with the first call of `start`.
 */
export class NewsFeed {
  private stream: ChangeStream<News> | undefined;
  private polling: NodeJS.Timeout | undefined;
  private reopening: NodeJS.Timeout | undefined;
  private started: Promise<void> | undefined;
  private running: Promise<void> = Promise.resolve();
  /** The newest `at` of the news that were read. */
  private upTo = new Date(0);
  private polledAt = 0;
  /** News that were read, and their times. */
  private readonly seen = new Map<string, number>();
  private forgetAt = MANY;
  /** News may have been missed. */
  private isBehind = false;
  private closed = false;

  constructor(private readonly options: NewsFeedOptions) {}

  /** Resolves when news from now on will be read. Rejects with Unavailable. */
  start(): Promise<void> {
    this.started ??= this.begin().catch((error: unknown) => {
      this.started = undefined;
      throw error;
    });
    return this.started;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.polling);
    clearTimeout(this.reopening);
    await this.stream?.close();
    await this.running;
  }

  /** This server tells its own watchers what the news with this id says. */
  markOwn(id: string): void {
    if (this.started !== undefined) this.seen.set(id, this.upTo.getTime() + KEPT_MS);
  }

  /** Ends `markOwn`: the transaction has failed, or `isUnknown`. */
  unmarkOwn(id: string, isUnknown: boolean): void {
    this.seen.delete(id);
    this.isBehind ||= isUnknown;
  }

  /** Removes old news. */
  async sweep(): Promise<void> {
    const { connection } = this.options;
    const now = await timeOf(connection);
    await asked(connection, () => this.news.deleteMany({ at: { $lt: new Date(now - KEPT_MS) } }));
  }

  private get news() {
    return collectionOf<News>(this.options.connection, NEWS);
  }

  private async begin(): Promise<void> {
    this.upTo = new Date(await timeOf(this.options.connection));
    this.polledAt = this.options.elapsed();
    if (this.options.connection.hasChangeStreams) await this.follow();
    if (this.closed) return;
    this.polling = setInterval(() => {
      if (this.stream === undefined || this.isBehind) this.next(() => this.poll());
      else this.polledAt = this.options.elapsed();
    }, this.options.pollMs).unref();
  }

  /** Opens the change stream; resolves when it shows every later change. */
  private async follow(): Promise<void> {
    const { connection, take } = this.options;
    const stream = this.news.watch<News>([{ $match: { operationType: "insert" } }], { maxAwaitTimeMS: 1000 });
    const opened = new Promise<void>((resolve, reject) => {
      stream.once("init", () => resolve());
      stream.once("error", reject);
    });
    const ended = (error: unknown): void => {
      if (this.stream !== stream || this.closed) return;
      this.stream = undefined; // polling goes on from where the stream ended
      void stream.close().catch(() => undefined); // it has failed already
      this.reopen(error);
    };
    stream.on("change", (change) => {
      if (change.operationType !== "insert") return;
      const { fullDocument } = change;
      const isOwn = this.seen.has(fullDocument._id);
      this.note(fullDocument);
      if (!isOwn) this.next(() => take([fullDocument]));
    });
    stream.on("error", ended);
    await asked(connection, () => opened).catch(async (error: unknown) => {
      await stream.close().catch(() => undefined); // the first error is the one to report
      throw error;
    });
    this.stream = stream;
    if (this.started !== undefined) this.next(() => this.poll()); // what came while no stream was open
  }

  /** Opens another stream some time after one has failed. */
  private reopen(error: unknown): void {
    if (this.closed) return;
    this.options.reportFailure("store_watch", error);
    const follow = () => void this.follow().catch((again: unknown) => this.reopen(again));
    this.reopening = setTimeout(follow, REOPEN_MS).unref();
  }

  private async poll(): Promise<void> {
    const { connection, elapsed, take } = this.options;
    const askedAt = elapsed();
    const since = new Date(this.upTo.getTime() - OVERLAP_MS);
    const found = await asked(connection, () => this.news.find({ at: { $gte: since } }).toArray());
    const isLate = askedAt - this.polledAt > TOO_LONG_MS;
    this.polledAt = askedAt;
    const fresh = found.filter(({ _id }) => !this.seen.has(_id));
    for (const one of found) this.note(one);
    if (isLate || this.isBehind) {
      await take(undefined);
      this.isBehind = false;
    } else if (fresh.length > 0) await take(fresh);
  }

  private note({ _id, at }: News): void {
    this.seen.set(_id, at.getTime());
    if (at > this.upTo) this.upTo = at;
    if (this.seen.size < this.forgetAt) return;
    for (const [id, time] of this.seen) if (time < this.upTo.getTime() - 2 * OVERLAP_MS) this.seen.delete(id);
    this.forgetAt = Math.max(MANY, 2 * this.seen.size);
  }

  /** Runs one step after the other. */
  private next(step: () => Promise<void>): void {
    this.running = this.running.then(async () => {
      if (this.closed) return;
      try {
        await step();
      } catch (error) {
        this.options.reportFailure("store_watch", error);
        this.isBehind = true;
      }
    });
  }
}

/** Tells other servers to read all products of an app again. */
export async function insertReload(connection: Connection, app: string, _id: string, session: ClientSession) {
  const update = { $set: { app, products: [] }, $currentDate: { at: true as const } };
  await collectionOf<News>(connection, NEWS).updateOne({ _id }, update, { session, upsert: true });
}

/** The database's clock, ms. */
async function timeOf(connection: Connection): Promise<number> {
  const hello = await asked(connection, () => connection.db.admin().command({ hello: 1 }));
  return hello.localTime instanceof Date ? hello.localTime.getTime() : Date.now();
}
