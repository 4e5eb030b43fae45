import { setTimeout as pause } from "node:timers/promises";
import { type Binary, BSON, type Collection } from "mongodb";
import { DataDamaged, Unavailable } from "../../domain/errors.js";
import type { Applier } from "./apply.js";
import { asked, type Connection, collectionOf, isDuplicate } from "./connection.js";
import { appKey, type Key, keyOf, unpart } from "./keys.js";
import type { Write } from "./staged.js";

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

/** A commit is there at least until so many later ones are finished. */
export const KEPT_COMMITS = 8;

/** It is removed when twice as many are; several at once, after each commit whose number they divide. */
const REMOVED_BEHIND = 2 * KEPT_COMMITS;
const REMOVED_AT_ONCE = 8;

/** There are commits of no more numbers than these behind the head, but for those that upkeep is about to remove. */
const LOGGED_COMMITS = 4 * KEPT_COMMITS;

const REV_DIGITS = 16;

/** Earlier versions kept other documents beside the commits. */
const COMMIT_KEY = /^[^\0]*\0\d{16}$/;

/**
 * All-or-nothing commits over many documents on servers without transactions: a log of each app, with the numbers from 1
 * without a gap. A server that knows the state after commit n makes the next one so:
 *
 *   1. begin    insert commit n + 1 with all its writes; a duplicate means that another server has made it
 *   2. check    the head is at most n + KEPT_COMMITS; else the insert came so late that the number's own commit had been
 *               removed, and is taken back
 *   3. apply    every write, each only over an earlier one
 *   4. finish   the head says n + 1, once all commits before are applied, too
 *
 * After 1 the writes are durable, and with the insert the order of all works of all servers is decided. Commit n + 1 is
 * removed only when the head is further than n + 1 + KEPT_COMMITS: who reads the head after the insert and finds it below
 * that knows that there was no other commit of this number. In the same way, who finds no commit n + 1 and then the head
 * below that knows that n was the newest.
 *
 * A server learns what others have committed from their commits, and keeps what it had read before. It answers for a work when
 * all commits up to that of the work are applied. One that is not finished in time was left by its server, and is
 * finished by whoever waits for it: applying is done over and over without harm.
 *
 * Only inserts decide, which are atomic on every server; conditional updates are not (of 402 that FerretDB 1.24 reported as made by
 * 8 callers at once, 92 were). That the head falls back by a few where $max is not atomic either is why
 * commits stay twice as long as they are relied upon; the next one that is finished puts it right.
 */
export class Commits {
  private readonly commits: Collection<CommitDocument>;
  private readonly requests: Collection<RequestDocument>;
  private readonly heads: Collection<HeadDocument>;

  constructor(
    private readonly connection: Connection,
    private readonly applier: Applier,
  ) {
    this.commits = collectionOf(connection, "commits");
    this.requests = collectionOf(connection, "turns");
    this.heads = collectionOf(connection, "heads");
  }

  /** Number up to which the app's commits are finished, 0 before the first. */
  async head(appId: string): Promise<number> {
    const found = await asked(this.connection, () => this.heads.findOne({ _id: appKey(appId) }));
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
  async begin(appId: string, rev: number, by: string, redo: Uint8Array): Promise<boolean> {
    const document = { _id: commitKey(appId, rev), app: appId, rev, by, redo: new BSON.Binary(redo) };
    return asked(this.connection, async () => {
      try {
        await this.commits.insertOne(document);
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

  apply(appId: string, rev: number, writes: readonly Write[]): Promise<void> {
    return this.applier.apply(appId, rev, writes);
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
    await asked(this.connection, () => this.commits.bulkWrite(operations, { ordered: false }));
  }

  /** Blanks all commits of an app that are finished by now. Servers that have not seen one yet begin anew, as after a pause. */
  async blankFinished(appId: string): Promise<void> {
    const head = await this.head(appId);
    const revs = Array.from({ length: LOGGED_COMMITS }, (_, n) => head - n).filter((rev) => rev > 0);
    if (revs.length > 0) await this.blank(appId, revs);
  }

  /** Finishes the first commit of an app that is not, when another server or an earlier process has left it. */
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

/** The writes as bytes; undefined when they are too many for one commit. */
export function encodeRedo(writes: readonly Write[]): Uint8Array | undefined {
  const redo = {
    writes: writes.map(({ table, key, stored, known }) =>
      stored === undefined ? { t: table, k: key } : { t: table, k: key, v: stored, n: known },
    ),
  };
  try {
    const bytes = BSON.serialize(redo);
    return bytes.length > MAX_REDO_BYTES ? undefined : bytes;
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the serializer's own buffer ends at 17 MiB
    throw error;
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
