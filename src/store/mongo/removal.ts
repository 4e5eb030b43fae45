import type { ClientSession } from "mongodb";
import type { App } from "../../domain/app.js";
import { appKey, keysOf } from "../keys.js";
import { asked, type Connection, LONG_MS } from "./connection.js";
import type { ModelFiles } from "./model-files.js";
import { insertReload } from "./news.js";
import { recordsOf } from "./table.js";
import type { Tables } from "./tables.js";
import type { Writer } from "./writer.js";

/** Documents removed in one transaction. */
const REMOVED_AT_ONCE = 1000;

/**
 * Removes apps with all their data, in steps. One transaction removes the app record and marks the removal as started; no other
 * transaction of the app commits at the same time. From then on the app does not exist, and any server can finish the
 * removal. Each step needs the mark, so a late server does no harm to a new app with the same id.
 */
export class Removals {
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly connection: Connection,
    private readonly tables: Tables,
    private readonly writer: Writer,
    private readonly files: ModelFiles,
    /** A text not given before, on any server. */
    private readonly newId: () => string,
  ) {}

  /** False when there is no such app. */
  async remove(appId: string, check?: (app: App) => void): Promise<boolean> {
    const found = await this.writer.run(appId, ({ tables }) => {
      const key = appKey(appId);
      const app = tables.apps.get(key);
      if (app === undefined) return false;
      check?.(app);
      tables.apps.delete(key);
      tables.removals.put(key, 1);
      return true;
    });
    await this.finish(appId);
    return found;
  }

  /** Finishes the removal of an app if one has begun: no record of the old app may show in a new one. */
  async finish(appId: string): Promise<void> {
    const running = this.running.get(appId);
    if (running !== undefined) return running;
    const removal = this.finishNow(appId).finally(() => this.running.delete(appId));
    this.running.set(appId, removal);
    return removal;
  }

  /** Finishes interrupted removals, of this or another server. */
  async resume(): Promise<void> {
    const across = { across: this.tables.removals.name };
    const begun = await asked(this.connection, () => recordsOf(this.connection).find(across).toArray());
    for (const { app } of begun) await this.finish(app);
  }

  private async finishNow(appId: string): Promise<void> {
    const key = appKey(appId);
    const isBegun = async () => (await this.tables.removals.get(key)) !== undefined;
    // Listed before the mark is read: with the mark there, all of them belong to the removed app.
    const files = await this.files.of(appId);
    if (!(await isBegun())) return;
    await this.files.remove(files);
    while (await this.removeSome(appId));
    await this.inTransaction(async (session) => {
      const removed = await recordsOf(this.connection).deleteOne({ _id: this.markOf(appId) }, { session });
      if (removed.deletedCount > 0) await insertReload(this.connection, appId, this.newId(), session);
    });
  }

  /** Removes records of the app, except the mark, in a transaction that needs the mark. False when none is left. */
  private async removeSome(appId: string): Promise<boolean> {
    const { connection } = this;
    const records = recordsOf(connection);
    const mark = this.markOf(appId);
    const { start, end } = keysOf(appId);
    const filter = { _id: { $gte: start, $lt: end, $ne: mark } };
    const find = () =>
      records
        .find(filter, { projection: { _id: 1 } })
        .limit(REMOVED_AT_ONCE)
        .toArray();
    const ids = (await asked(connection, find, LONG_MS)).map(({ _id }) => _id);
    if (ids.length === 0) return false;
    return this.inTransaction(async (session) => {
      const { matchedCount } = await records.updateOne({ _id: mark }, { $inc: { held: 1 } }, { session });
      if (matchedCount === 0) return false;
      await records.deleteMany({ _id: { $in: ids } }, { session });
      return true;
    });
  }

  private markOf(appId: string): string {
    return this.tables.removals.idOf(appKey(appId));
  }

  private async inTransaction<T>(body: (session: ClientSession) => Promise<T>): Promise<T> {
    const session = this.connection.client.startSession();
    try {
      return await asked(this.connection, () => session.withTransaction(body), LONG_MS);
    } finally {
      await session.endSession();
    }
  }
}
