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

/** A change stream that has not even answered "nothing new" for this long has ended; it is asked each second. */
const SILENT_MS = 10_000;

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
 * Follows the news of other servers by a change stream. On a server without change streams, and while none is known to be
 * open, it polls. It begins with the first call of `start`.
 */
export class NewsFeed {
  private stream: ChangeStream<News> | undefined;
  /** When the database last answered the stream, by `elapsed`; undefined before the first answer, and without a stream. */
  private heardAt: number | undefined;
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
    this.seen.set(id, this.upTo.getTime() + KEPT_MS);
    if (this.started !== undefined) return;
    // The first poll reads back for a while, and nobody watched then: the newest of them are enough.
    for (const oldest of this.seen.keys()) {
      if (this.seen.size <= MANY) break;
      this.seen.delete(oldest);
    }
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
    const { connection, elapsed, pollMs } = this.options;
    this.upTo = new Date(await timeOf(connection));
    if (this.closed) return;
    for (const id of this.seen.keys()) this.seen.set(id, this.upTo.getTime());
    this.polledAt = elapsed();
    this.polling = setInterval(() => this.pollUnlessFollowing(), pollMs).unref();
    if (connection.hasChangeStreams) this.follow();
  }

  private pollUnlessFollowing(): void {
    const now = this.options.elapsed();
    if (this.heardAt === undefined || this.isBehind) this.next(() => this.poll());
    else if (now - this.heardAt > SILENT_MS) this.end(new Error(`the change stream is silent for ${SILENT_MS} ms`));
    else this.polledAt = now;
  }

  /** Opens a change stream. Polling goes on until the database has answered it. */
  private follow(): void {
    const stream = this.news.watch<News>([{ $match: { operationType: "insert" } }], { maxAwaitTimeMS: 1000 });
    this.stream = stream;
    const heard = (): void => {
      if (this.stream !== stream) return;
      const isFirst = this.heardAt === undefined;
      this.heardAt = this.options.elapsed();
      if (isFirst) this.next(() => this.poll()); // what came before the stream began
    };
    // Each answer without changes moves the token. `init` is an event of the driver's cursor and never of its stream.
    stream.on("resumeTokenChanged", heard);
    // The driver opens another cursor when it loses one, and that may never answer either.
    stream.on("close", () => {
      if (this.stream === stream) this.heardAt = undefined;
    });
    stream.on("change", (change) => {
      heard();
      if (change.operationType !== "insert") return;
      const { fullDocument } = change;
      const isOwn = this.seen.has(fullDocument._id);
      this.note(fullDocument);
      if (!isOwn) this.next(() => this.options.take([fullDocument]));
    });
    stream.on("error", (error) => {
      if (this.stream === stream) this.end(error);
    });
  }

  /** Polling goes on from where the stream ended; another one is opened some time later. */
  private end(error: unknown): void {
    if (this.closed) return;
    const { stream } = this;
    this.stream = undefined;
    this.heardAt = undefined;
    void stream?.close().catch(() => undefined); // the first error is the one to report
    this.options.reportFailure("store_watch", error);
    this.reopening = setTimeout(() => this.follow(), REOPEN_MS).unref();
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
