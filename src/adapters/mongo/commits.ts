import { type Binary, BSON, type Collection } from "mongodb";
import { DataDamaged } from "../../domain/errors.js";
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

/** The number of the last finished commit of an app; it stays when the app is removed, so no number comes twice. */
interface HeadDocument {
  readonly _id: string;
  readonly app: string;
  readonly rev: number;
}

/** Bytes of the writes of one commit; a document holds 16 MB. */
export const MAX_REDO_BYTES = 15_000_000;

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
  private readonly commits: Collection<CommitDocument>;
  private readonly requests: Collection<{ readonly _id: string }>;
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

  /** Asks the server whose commits come one after the other to leave room between two. */
  async requestTurn(appId: string): Promise<void> {
    await asked(this.connection, async () => {
      try {
        await this.requests.insertOne({ _id: requestId(appId) });
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
    });
  }

  apply(appId: string, rev: number, writes: readonly Write[]): Promise<void> {
    return this.applier.apply(appId, rev, writes);
  }

  /** Ends a commit that was applied. True when another server has asked for a turn. */
  async finish({ app, rev, by }: Pick<CommitDocument, "app" | "rev" | "by">): Promise<boolean> {
    const _id = appKey(app);
    await asked(this.connection, async () => {
      if (rev > 1) return void (await this.heads.updateOne({ _id, rev: rev - 1 }, { $set: { rev } }));
      try {
        await this.heads.insertOne({ _id, app, rev });
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
    });
    const { deletedCount } = await asked(this.connection, () =>
      this.commits.deleteMany({ $or: [{ _id, by }, { _id: requestId(app) }] }),
    );
    return deletedCount > 1;
  }

  /** Takes back a commit that was begun and is not valid. */
  async withdraw({ app, by }: Pick<CommitDocument, "app" | "by">): Promise<void> {
    await asked(this.connection, () => this.commits.deleteOne({ _id: appKey(app), by }));
  }

  /** Finishes, or withdraws, a commit that another server or an earlier process has left. */
  async complete(left: CommitDocument): Promise<void> {
    if (left.rev !== (await this.head(left.app)) + 1) return this.withdraw(left);
    await this.apply(left.app, left.rev, decodeRedo(left.redo.buffer));
    await this.finish(left);
  }
}

function requestId(appId: string): string {
  return `${appKey(appId)}\0turn`;
}

export function encodeRedo(writes: readonly Write[]): Uint8Array {
  return BSON.serialize({
    writes: writes.map(({ table, key, stored, known }) =>
      stored === undefined ? { t: table, k: key } : { t: table, k: key, v: stored, n: known },
    ),
  });
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
