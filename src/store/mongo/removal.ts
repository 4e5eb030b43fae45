import type { App } from "../../domain/app.js";
import { asked, type Connection, LONG_MS, withIds } from "./connection.js";
import { appKey, keysOf } from "./keys.js";
import type { ModelFiles } from "./model-files.js";
import type { Tables } from "./tables.js";
import type { Writer } from "./writer.js";

/** Documents removed in one operation. */
const REMOVED_AT_ONCE = 2000;

/**
 * Removes apps with all their data, in steps. One commit removes the app record and marks the removal as started. From then
 * on the app does not exist, and any server can finish the removal. It removes only records up to that commit, so a late
 * server does no harm to a new app with the same id.
 */
export class Removals {
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly connection: Connection,
    private readonly tables: Tables,
    private readonly writer: Writer,
    private readonly files: ModelFiles,
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

  /** Finishes the removal of an app if one has begun: nothing of the old app may be seen in a new one. */
  async finish(appId: string): Promise<void> {
    const running = this.running.get(appId);
    if (running !== undefined) return running;
    const removal = this.finishNow(appId).finally(() => this.running.delete(appId));
    this.running.set(appId, removal);
    return removal;
  }

  /** Finishes what was interrupted, here or on another server. */
  async resume(): Promise<void> {
    const begun = await asked(this.connection, () =>
      this.tables.removals.collection.find({ gone: { $ne: true } }).toArray(),
    );
    for (const { app } of begun) await this.finish(app);
  }

  private async finishNow(appId: string): Promise<void> {
    const begun = await asked(this.connection, () => this.tables.removals.collection.findOne({ _id: appKey(appId) }));
    if (begun === null || begun.gone === true) return;
    await this.files.removeUpTo(appId, begun.rev);
    for (const { name } of Object.values(this.tables)) {
      if (name !== "removals") await this.removeFrom(name, appId, begun.rev);
    }
    this.writer.forget(appId);
    await this.writer.run(appId, ({ tables }) => {
      const key = appKey(appId);
      if (tables.removals.get(key) !== undefined) tables.removals.delete(key);
    });
  }

  private async removeFrom(name: string, appId: string, rev: number): Promise<void> {
    const collection = this.connection.db.collection<{ readonly _id: string; readonly rev: number }>(name);
    const { start, end } = keysOf(appId);
    for (;;) {
      const due = await asked(
        this.connection,
        () =>
          collection
            .find(
              { _id: { $gte: start, $lt: end }, rev: { $lte: rev } },
              { projection: { _id: 1 }, batchSize: REMOVED_AT_ONCE + 1 },
            )
            .limit(REMOVED_AT_ONCE)
            .toArray(),
        LONG_MS,
      );
      if (due.length === 0) return;
      const ids = due.map(({ _id }) => _id);
      await asked(this.connection, () => collection.deleteMany({ ...withIds(ids), rev: { $lte: rev } }), LONG_MS);
      if (due.length < REMOVED_AT_ONCE) return;
    }
  }
}
