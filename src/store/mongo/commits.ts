import { setTimeout as pause } from "node:timers/promises";
import { type Binary, BSON, type ClientSession, type Collection } from "mongodb";
import { DataDamaged, InvalidArgument, Unavailable } from "../../domain/errors.js";
import type { Applier } from "./apply-commit.js";
import { asked, type Connection, collectionOf, commandsOf, isDuplicate } from "./connection.js";
import { appKey, type Key, keyOf, unpart } from "./keys.js";
import type { Write } from "./staged-tables.js";

/** A commit: everything that it writes, so that any server can finish it. Its `_id` is the app and its number. */
export interface CommitDocument {
  readonly _id: Key;
  readonly app: string;
  /** Its number: the commits of an app are counted. */
  readonly rev: number;
  /** Who made it: the name of a server and the number of its attempt. */
  readonly by: string;
  /** The writes; taken out some time after it is finished, when nobody commits to the app any more. */
  readonly redo?: Binary;
}

interface InSession {
  readonly session?: ClientSession;
}

/** A server waits for its turn. It stands among the commits of the app. */
interface RequestDocument {
  readonly _id: Key;
  readonly server: string;
}

/** All commits of an app up to this number are finished. It stays when the app is removed, so no number comes twice. */
interface HeadDocument {
  readonly _id: Key;
  readonly app: string;
  readonly rev: number;
}

/** Bytes of the writes of one commit; a document holds 16 MB. */
const MAX_REDO_BYTES = 15_000_000;

const FINISH_POLL_MS = 5;

/** A commit is kept at least until this many later ones are finished. */
export const KEPT_COMMITS = 8;

/** It is removed when twice as many are; several at once, after each commit whose number they divide. */
const REMOVED_BEHIND = 2 * KEPT_COMMITS;
const REMOVED_AT_ONCE = 8;

/** At most this many commit numbers exist behind the head, except commits that upkeep is about to remove. */
const LOGGED_COMMITS = 4 * KEPT_COMMITS;

const REV_DIGITS = 16;

/** A commit that only the primary has may be rolled back by a failover: no server may build on it. */
const DURABLE = { readConcern: "majority" } as const;

/** Earlier versions kept other documents beside the commits. */
const COMMIT_KEY = /^[^\0]*\0\d{16}$/;

/**
 * All-or-nothing commits over many documents on servers without transactions: a log of each app, with the numbers from 1
 * without a gap. A server that knows the state after commit n makes the next one so:
 *
 *   1. begin    insert commit n + 1 with all its writes; a duplicate means that another server has made it
 *   2. check    the head is at most n + KEPT_COMMITS; else the insert came so late that the number's own commit had been
 *               removed, and is taken back
 *   3. apply    every write, each only over an earlier one; on servers whose updates are not atomic only after all
 *               commits before are applied
 *   4. finish   the head says n + 1, once all commits before are applied, too
 *
 * After 1 the writes are durable, and with the insert the order of all works of all servers is decided. Commit n + 1 is
 * removed only when the head is further than n + 1 + KEPT_COMMITS: who reads the head after the insert and finds it below
 * that knows that there was no other commit of this number. In the same way, who finds no commit n + 1 and then the head
 * below that knows that n was the newest.
 *
 * A server reads the commits of other servers to update its cache. It answers a work when all commits up to the work's own
 * are applied. A commit that is not finished in time was abandoned. Any server that waits for it finishes it, since
 * applying is idempotent.
 *
 * Only inserts decide, because they are atomic on every server. FerretDB 1 finds the document of a conditional update and
 * writes it in two steps: of 402 updates that it reported to 8 callers at once, 92 were made. $max is no better there, so
 * the head can fall back by a few. That is why commits stay twice as long as servers rely on them; the next finished
 * commit raises the head again.
 */
export class Commits {
  private readonly commits: Collection<CommitDocument>;
  private readonly requests: Collection<RequestDocument>;
  private readonly heads: Collection<HeadDocument>;

  constructor(
    private readonly connection: Connection,
    private readonly applier: Applier,
  ) {
    this.commits = collectionOf(connection, "commits", DURABLE);
    this.requests = collectionOf(connection, "turns");
    this.heads = collectionOf(connection, "heads", DURABLE);
  }

  /** Reads in a session see what was written or read in it before, whichever server is the primary by then. */
  startSession(): ClientSession {
    return this.connection.client.startSession({ causalConsistency: true });
  }

  /** Number up to which the app's commits are finished, 0 before the first. */
  async head(appId: string, inSession: InSession = {}): Promise<number> {
    const found = await asked(this.connection, () => this.heads.findOne({ _id: appKey(appId) }, inSession));
    return found?.rev ?? 0;
  }

  /** Number of the app's last commit, finished or not. */
  async newest(appId: string): Promise<number> {
    let rev = await this.head(appId);
    while ((await this.at(appId, rev + 1)) !== undefined) rev++;
    return rev;
  }

  /** Resolves when the commit of this number is finished; rejects with Unavailable when that takes too long. */
  async finished(appId: string, rev: number): Promise<void> {
    for (let ms = 0; (await this.head(appId)) < rev; ms += FINISH_POLL_MS) {
      if (ms > this.connection.answerMs) throw new Unavailable("A commit of the app is not finished");
      await pause(FINISH_POLL_MS);
    }
  }

  /** Numbers up to which the commits of these apps are finished. */
  async headsOf(appIds: readonly string[]): Promise<Map<string, number>> {
    const found = await asked(this.connection, () =>
      this.heads.find({ _id: { $in: appIds.map(appKey) } }, { batchSize: appIds.length + 1 }).toArray(),
    );
    return new Map(found.map(({ app, rev }) => [app, rev]));
  }

  /** False when there is a commit of this number. */
  async begin(appId: string, rev: number, by: string, redo: Uint8Array, inSession: InSession = {}): Promise<boolean> {
    const document = { _id: commitKey(appId, rev), app: appId, rev, by, redo: new BSON.Binary(redo) };
    return asked(this.connection, async () => {
      try {
        await this.commits.insertOne(document, inSession);
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    });
  }

  /** The commit of this number. */
  async at(appId: string, rev: number): Promise<CommitDocument | undefined> {
    return (await asked(this.connection, () => this.commits.findOne({ _id: commitKey(appId, rev) }))) ?? undefined;
  }

  /** Apps and numbers of the commits there are of any app, in the order of their keys after `after`. */
  async list(after: Key, limit: number): Promise<(Pick<CommitDocument, "app" | "rev"> & { readonly key: Key })[]> {
    const found = await asked(this.connection, () =>
      this.commits
        .find({ _id: { $gt: after } }, { projection: { _id: 1 }, batchSize: limit + 1 })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    );
    return found
      .filter(({ _id }) => COMMIT_KEY.test(_id))
      .map(({ _id: key }) => ({ key, app: appOf(key), rev: Number(key.slice(-REV_DIGITS)) }));
  }

  /** Asks a server whose commits leave no room to leave the next one to `server`. */
  async requestTurn(appId: string, server: string): Promise<void> {
    await asked(this.connection, async () => {
      try {
        await this.requests.insertOne({ _id: appKey(appId), server });
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
    });
  }

  /** The server that has asked for the next commit. */
  async requestedBy(appId: string): Promise<string | undefined> {
    const found = await asked(this.connection, () => this.requests.findOne({ _id: appKey(appId) }));
    return found?.server;
  }

  async withdrawRequest(appId: string, server: string): Promise<void> {
    await asked(this.connection, () => this.requests.deleteOne({ _id: appKey(appId), server }));
  }

  /**
   * Applies a commit; resolves when those `before` are applied, too. It does not wait for them where updates are atomic,
   * because there the later write of a document always wins.
   */
  async apply(appId: string, rev: number, writes: readonly Write[], before = Promise.resolve()): Promise<void> {
    if (!this.connection.hasAtomicUpdates) await before;
    await Promise.all([before, this.applier.apply(appId, rev, writes)]);
  }

  /** Says that this commit and all before it are applied. */
  async finish(appId: string, rev: number): Promise<void> {
    await asked(this.connection, async () => {
      const raise = () =>
        this.heads.updateOne({ _id: appKey(appId) }, { $max: { rev }, $setOnInsert: { app: appId } }, { upsert: true });
      try {
        await raise();
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        await raise(); // another server has inserted it meanwhile
      }
    });
    if (rev % REMOVED_AT_ONCE !== 0) return;
    const last = rev - REMOVED_BEHIND;
    await this.remove(
      appId,
      Array.from({ length: REMOVED_AT_ONCE }, (_, n) => last - n),
    );
  }

  /** Removes commits that the head has left behind. */
  async remove(appId: string, revs: readonly number[]): Promise<void> {
    const operations = revs
      .filter((rev) => rev > 0)
      .map((rev) => ({ deleteOne: { filter: { _id: commitKey(appId, rev) } } }));
    if (operations.length === 0) return;
    await asked(this.connection, () => this.commits.bulkWrite(operations, { ordered: false }));
  }

  /** Takes the writes out of finished commits: they may be personal, and are of use only while others commit. */
  async blank(appId: string, revs: readonly number[]): Promise<void> {
    const operations = revs.map((rev) => ({
      updateOne: { filter: { _id: commitKey(appId, rev) }, update: { $unset: { redo: "" as const } } },
    }));
    for (const some of commandsOf(this.connection, operations))
      await asked(this.connection, () => this.commits.bulkWrite(some, { ordered: false }));
  }

  /** Blanks all commits of an app that are finished by now. Servers that have not seen one yet begin anew, as after a pause. */
  async blankFinished(appId: string): Promise<void> {
    const head = await this.head(appId);
    const revs = Array.from({ length: LOGGED_COMMITS }, (_, n) => head - n).filter((rev) => rev > 0);
    if (revs.length > 0) await this.blank(appId, revs);
  }

  /** Finishes an app's first unfinished commit, which another server or an earlier process has abandoned. */
  async complete({ app, rev, redo }: CommitDocument): Promise<void> {
    if (redo === undefined || (await this.head(app)) !== rev - 1) return;
    await this.apply(app, rev, decodeRedo(redo.buffer));
    await this.finish(app, rev);
  }
}

function commitKey(appId: string, rev: number): Key {
  return keyOf(appId, String(rev).padStart(REV_DIGITS, "0"));
}

function appOf(key: Key): string {
  return unpart(key.slice(0, -REV_DIGITS - 1));
}

/** The writes as bytes. Throws when they are too many for one commit, or one of them is no BSON. */
export function encodeRedo(writes: readonly Write[]): Uint8Array {
  const redo = {
    writes: writes.map(({ table, key, stored, known }) =>
      stored === undefined ? { t: table, k: key } : { t: table, k: key, v: stored, n: known },
    ),
  };
  const tooLong = () =>
    new InvalidArgument("batch", "invalid", `at most ${MAX_REDO_BYTES / 1e6} MB are written at once`);
  try {
    const bytes = BSON.serialize(redo);
    if (bytes.length > MAX_REDO_BYTES) throw tooLong();
    return bytes;
  } catch (error) {
    throw error instanceof RangeError ? tooLong() : error; // the serializer's own buffer ends at 17 MiB
  }
}

export function decodeRedo(bytes: Uint8Array): Write[] {
  const { writes } = BSON.deserialize(bytes);
  if (!Array.isArray(writes)) throw unknownLayout();
  return writes.map((one: unknown): Write => {
    if (typeof one !== "object" || one === null || !("t" in one && "k" in one)) throw unknownLayout();
    const { t: table, k: key } = one;
    if (typeof table !== "string" || typeof key !== "string") throw unknownLayout();
    return { table, key, stored: "v" in one ? one.v : undefined, known: "n" in one && one.n === true };
  });
}

function unknownLayout(): DataDamaged {
  return new DataDamaged("A commit under way has an unknown layout");
}
