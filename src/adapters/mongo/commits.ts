import { setTimeout as pause } from "node:timers/promises";
import { type Binary, BSON, type Collection } from "mongodb";
import { DataDamaged, Unavailable } from "../../domain/errors.js";
import type { Applier } from "./apply.js";
import { asked, type Connection, collectionOf, isDuplicate } from "./connection.js";
import { appKey } from "./keys.js";
import type { Write } from "./staged.js";

/**
 * A commit that was begun and is not finished: there is one of an app at most, since its `_id` is the app's. It holds
 * everything that is to be written, so that any server can finish it.
 */
export interface CommitDocument {
  readonly _id: string;
  readonly app: string;
  /** Its number: the commits of an app are counted. */
  readonly rev: number;
  /** Who began it: the name of a server and the number of its attempt. */
  readonly by: string;
  readonly redo: Binary;
}

/** A server waits for its turn. It stands beside the commit document of the app. */
interface RequestDocument {
  readonly _id: string;
  readonly server: string;
}

/** The number of the last finished commit of an app; it stays when the app is removed, so no number comes twice. */
interface HeadDocument {
  readonly _id: string;
  readonly app: string;
  readonly rev: number;
}

/** Bytes of the writes of one commit; a document holds 16 MB. */
const MAX_REDO_BYTES = 15_000_000;

const FINISH_POLL_MS = 5;

/**
 * All-or-nothing commits over many documents on servers without transactions. One commit of an app goes
 *
 *   1. begin    insert {_id: app, rev: n + 1, redo}; a duplicate means that another server's commit is under way
 *   2. check    the head still says n; else the commit was made for a state that is past, and is withdrawn
 *   3. apply    every write, each only over an earlier one
 *   4. finish   the head says n + 1, then the commit document goes
 *
 * After 1 the writes are durable, and 2 is decided: nobody else can begin, so the head cannot move but by this commit.
 * So a commit document is valid if, and only if, its number is the head's plus one, whoever looks, and whatever was
 * interrupted: a valid one is applied and finished by any server, another is removed. What was read while the head said
 * n, and before 1, is the state after commit n: the works that read it have run one after the other with all works of
 * all servers. Only inserts decide, which are atomic on every server; conditional updates are not (of 402 that FerretDB 1.24
 * reported as made by 8 callers at once, 92 were).
 */
export class Commits {
  private readonly commits: Collection<CommitDocument & Partial<RequestDocument>>;
  private readonly requests: Collection<RequestDocument>;
  private readonly heads: Collection<HeadDocument>;

  constructor(
    private readonly connection: Connection,
    private readonly applier: Applier,
  ) {
    this.commits = collectionOf(connection, "commits");
    this.requests = collectionOf(connection, "commits");
    this.heads = collectionOf(connection, "heads");
  }

  /** Number of the app's last finished commit, 0 before the first. */
  async head(appId: string): Promise<number> {
    const found = await asked(this.connection, () => this.heads.findOne({ _id: appKey(appId) }));
    return found?.rev ?? 0;
  }

  /** Resolves when the commit of this number is finished; rejects with Unavailable when that takes too long. */
  async finished(appId: string, rev: number): Promise<void> {
    for (let ms = 0; (await this.head(appId)) < rev; ms += FINISH_POLL_MS) {
      if (ms > this.connection.answerMs) throw new Unavailable("A commit of the app is not finished");
      await pause(FINISH_POLL_MS);
    }
  }

  /** Numbers of the last finished commits of these apps. */
  async headsOf(appIds: readonly string[]): Promise<Map<string, number>> {
    const found = await asked(this.connection, () =>
      this.heads.find({ _id: { $in: appIds.map(appKey) } }, { batchSize: appIds.length + 1 }).toArray(),
    );
    return new Map(found.map(({ app, rev }) => [app, rev]));
  }

  /** False when another commit of the app is under way. */
  async begin(appId: string, rev: number, by: string, redo: Uint8Array): Promise<boolean> {
    const document = { _id: appKey(appId), app: appId, rev, by, redo: new BSON.Binary(redo) };
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

  /** The commit under way. */
  async underWay(appId: string): Promise<CommitDocument | undefined> {
    return (await asked(this.connection, () => this.commits.findOne({ _id: appKey(appId) }))) ?? undefined;
  }

  /** Commits under way of any app. */
  async allUnderWay(limit: number): Promise<Pick<CommitDocument, "app" | "by">[]> {
    return asked(this.connection, () =>
      this.commits
        .find({ rev: { $gt: 0 } })
        .project<CommitDocument>({ app: 1, by: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /** Asks the server whose commits come one after the other to leave the next one to `server`. */
  async requestTurn(appId: string, server: string): Promise<void> {
    await asked(this.connection, async () => {
      try {
        await this.requests.insertOne({ _id: requestId(appId), server });
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
    });
  }

  /** The server that has asked for the next commit. */
  async requestedBy(appId: string): Promise<string | undefined> {
    const found = await asked(this.connection, () => this.requests.findOne({ _id: requestId(appId) }));
    return found?.server;
  }

  async withdrawRequest(appId: string, server: string): Promise<void> {
    await asked(this.connection, () => this.requests.deleteOne({ _id: requestId(appId), server }));
  }

  apply(appId: string, rev: number, writes: readonly Write[]): Promise<void> {
    return this.applier.apply(appId, rev, writes);
  }

  /** Ends a commit that was applied, and with it the request of `server` if there was one. */
  async finish({ app, rev, by }: Pick<CommitDocument, "app" | "rev" | "by">, server: string): Promise<void> {
    const _id = appKey(app);
    await asked(this.connection, async () => {
      if (rev > 1) return void (await this.heads.updateOne({ _id, rev: rev - 1 }, { $set: { rev } }));
      try {
        await this.heads.insertOne({ _id, app, rev });
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
    });
    await asked(this.connection, () =>
      this.commits.deleteMany({
        $or: [
          { _id, by },
          { _id: requestId(app), server },
        ],
      }),
    );
  }

  /** Takes back a commit that was begun and is not valid. */
  async withdraw({ app, by }: Pick<CommitDocument, "app" | "by">): Promise<void> {
    await asked(this.connection, () => this.commits.deleteOne({ _id: appKey(app), by }));
  }

  /** Finishes, or withdraws, a commit that another server or an earlier process has left. */
  async complete(left: CommitDocument): Promise<void> {
    if (left.rev !== (await this.head(left.app)) + 1) return this.withdraw(left);
    await this.apply(left.app, left.rev, decodeRedo(left.redo.buffer));
    await this.finish(left, "");
  }
}

function requestId(appId: string): string {
  return `${appKey(appId)}\0turn`;
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
