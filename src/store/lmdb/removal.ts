import type { App } from "../../domain/app.js";
import type { Environment } from "./environment.js";
import { appKey, FIRST, type Key, keysOf, LAST } from "./keys.js";
import { removeAllFiles } from "./model-files.js";
import type { StagedTable, StagedTables } from "./staged-tables.js";
import type { Writer } from "./writer.js";

/** Records removed in one transaction: some milliseconds of work. */
const REMOVED_AT_ONCE = 2000;

const ALONE = { alone: true, frees: true };

/**
 * Removes apps with all their data, in steps, so that other writes can run in between. One transaction removes the app
 * record and marks the removal as started. From then on the app does not exist. If a crash interrupts the removal, the
 * next opening of the store finishes it.
 */
export class Removals {
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly environment: Environment,
    private readonly writer: Writer,
  ) {}

  /** False when there is no such app. */
  async remove(appId: string, check?: (app: App) => void): Promise<boolean> {
    const mark = (tables: StagedTables): boolean => {
      const key = appKey(appId);
      const app = tables.apps.get(key);
      if (app === undefined) return false;
      check?.(app);
      tables.apps.delete(key);
      tables.removals.put(key, 1);
      return true;
    };
    const found = await this.writer.run(mark, { frees: true });
    await this.finish(appId);
    return found;
  }

  /** Finishes an interrupted removal of an app, since a new app with its id must not see old records. */
  async finish(appId: string): Promise<void> {
    const running = this.running.get(appId);
    if (running !== undefined) return running;
    if (this.environment.tables.removals.get(appKey(appId)) === undefined) return;
    const removal = this.removeAll(appId).finally(() => this.running.delete(appId));
    this.running.set(appId, removal);
    return removal;
  }

  /** Finishes removals that an earlier process left. */
  async resume(): Promise<void> {
    const ids = this.environment.tables.removals.keys({ start: FIRST, end: LAST });
    for (const key of ids) await this.finish(key.slice(0, key.indexOf("\0")));
  }

  private async removeAll(appId: string): Promise<void> {
    while ((await this.writer.run((tables) => removeSome(tables, appId), ALONE)) > 0) {}
    // Another call may have finished it. The files then belong to a new app.
    if (this.environment.tables.removals.get(appKey(appId)) === undefined) return;
    // After the records, so that a later `put` of a snapshot finds the app gone.
    await removeAllFiles(this.environment.directory, appId);
    while (!(await this.writer.run((tables) => removeLast(tables, appId), ALONE))) {}
  }
}

/** Removes up to REMOVED_AT_ONCE records and returns their number. Runs alone in its transaction. */
function removeSome(tables: StagedTables, appId: string): number {
  // Another call has finished it meanwhile, and a new app may have the id by now.
  if (tables.removals.get(appKey(appId)) === undefined) return 0;
  const range = keysOf(appId);
  let left = REMOVED_AT_ONCE;
  const all: readonly Pick<StagedTable<unknown>, "delete" | "table">[] = Object.values(tables);
  for (const staged of all) {
    if (staged.table.name === "removals") continue;
    const keys: Key[] = staged.table.keys({ ...range, limit: left });
    for (const key of keys) staged.delete(key);
    left -= keys.length;
    if (left === 0) break;
  }
  return REMOVED_AT_ONCE - left;
}

/** Ends the removal when no record is left, and returns whether it did. */
function removeLast(tables: StagedTables, appId: string): boolean {
  if (removeSome(tables, appId) > 0) return false;
  tables.removals.delete(appKey(appId));
  return true;
}
