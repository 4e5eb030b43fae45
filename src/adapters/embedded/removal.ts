import { rm } from "node:fs/promises";
import type { Environment } from "./environment.js";
import { appKey, FIRST, type Key, keysOf, LAST } from "./keys.js";
import { modelDirectory } from "./model-files.js";
import type { StagedTable, StagedTables } from "./staged.js";
import type { Writer } from "./writer.js";

/** Records removed in one transaction: some milliseconds of work. */
const REMOVED_AT_ONCE = 2000;

const ALONE = { alone: true, frees: true };

/**
 * Removes apps whole, in steps that other writes go between. That it has begun is written together with the removal
 * of the app itself: from then on the app does not exist, and a removal that a crash interrupted is finished when the
 * store is next opened.
 */
export class Removals {
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly environment: Environment,
    private readonly writer: Writer,
  ) {}

  /** False when there is no such app. */
  async remove(appId: string): Promise<boolean> {
    const mark = (tables: StagedTables): boolean => {
      const key = appKey(appId);
      if (tables.apps.get(key) === undefined) return false;
      tables.apps.delete(key);
      tables.removals.put(key, 1);
      return true;
    };
    const found = await this.writer.run(mark, { frees: true });
    await this.finish(appId);
    return found;
  }

  /** Finishes the removal of an app if one has begun: nothing of the old app may be seen in a new one. */
  async finish(appId: string): Promise<void> {
    const running = this.running.get(appId);
    if (running !== undefined) return running;
    if (this.environment.tables.removals.get(appKey(appId)) === undefined) return;
    const removal = this.removeAll(appId).finally(() => this.running.delete(appId));
    this.running.set(appId, removal);
    return removal;
  }

  /** Finishes what an earlier process left. */
  async resume(): Promise<void> {
    const ids = this.environment.tables.removals.keys({ start: FIRST, end: LAST });
    for (const key of ids) await this.finish(key.slice(0, key.indexOf("\0")));
  }

  private async removeAll(appId: string): Promise<void> {
    while ((await this.writer.run((tables) => removeSome(tables, appId), ALONE)) > 0) {}
    // Another process may have finished it: then the files are those of a new app.
    if (this.environment.tables.removals.get(appKey(appId)) === undefined) return;
    // After the records: whoever puts a snapshot from here on finds the app gone and removes its file by itself.
    await rm(modelDirectory(this.environment.directory, appId), { recursive: true, force: true });
    while (!(await this.writer.run((tables) => removeLast(tables, appId), ALONE))) {}
  }
}

/** Removes up to REMOVED_AT_ONCE records and says how many. Runs alone in its transaction. */
function removeSome(tables: StagedTables, appId: string): number {
  // Another process has finished it meanwhile, and a new app may have the id by now.
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

/** Ends the removal when nothing is left to remove, and says whether it did. */
function removeLast(tables: StagedTables, appId: string): boolean {
  if (removeSome(tables, appId) > 0) return false;
  tables.removals.delete(appKey(appId));
  return true;
}
