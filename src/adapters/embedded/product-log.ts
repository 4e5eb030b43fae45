import { appKey, type Key, timedKey, unpart } from "./keys.js";
import type { LogHead } from "./records/app.js";
import { type StagedTables, unlessDamaged } from "./staged.js";

/**
 * Which products of an app were written, in order of commits, so that every process that watches them learns of the
 * writes of all others. A batch adds its ids in the transaction of the writes themselves. Records hold ids, not
 * values: who reads the log reads the products as they are by then. Old records are cut off; who was further behind
 * reads the catalogue again.
 */

/** Ids in one record. */
const IDS_IN_RECORD = 500;

/** Records kept for each app: 128,000 ids when many are written at once, 256 changes when they come one by one. */
export const RECORDS_KEPT = 256;

/** The key of the record with this number. */
export function logKey(appId: string, number: number): Key {
  return timedKey(appId, "", number, "");
}

/** The records the batch under way adds to the log of one app. */
export interface Logged {
  readonly generation: string;
  readonly first: number;
  readonly last: number;
}

export interface ProductLog {
  /** Run with each batch, after its works. */
  readonly upkeep: (tables: StagedTables) => void;
  /** What the last batch added, by app id. */
  readonly added: ReadonlyMap<string, Logged>;
}

export function createProductLog(newGeneration: () => string): ProductLog {
  let added = new Map<string, Logged>();

  const append = (tables: StagedTables, appId: string, ids: readonly string[]): Logged => {
    const key = appKey(appId);
    const head: LogHead = unlessDamaged(tables.productHeads, key) ?? { generation: newGeneration(), cut: 0, last: 0 };
    let { cut, last } = head;
    for (let n = 0; n < ids.length; n += IDS_IN_RECORD) {
      tables.productLog.put(logKey(appId, ++last), ids.slice(n, n + IDS_IN_RECORD));
    }
    while (last - cut > RECORDS_KEPT) tables.productLog.delete(logKey(appId, ++cut));
    tables.productHeads.put(key, { generation: head.generation, cut, last });
    return { generation: head.generation, first: head.last + 1, last };
  };

  return {
    get added() {
      return added;
    },
    upkeep: (tables) => {
      if (added.size > 0) added = new Map();
      for (const [appId, ids] of writtenIds(tables)) {
        if (unlessDamaged(tables.removals, appKey(appId)) !== undefined) continue; // nothing of the app is to be left
        added.set(appId, append(tables, appId, ids));
      }
    },
  };
}

/** Product ids the batch writes or removes, by app id. */
function writtenIds(tables: StagedTables): Map<string, string[]> {
  const byApp = new Map<string, string[]>();
  for (const key of tables.products.toWrite()) {
    const border = key.indexOf("\0");
    const appId = unpart(key.slice(0, border));
    const ids = byApp.get(appId);
    const id = unpart(key.slice(border + 1));
    if (ids === undefined) byApp.set(appId, [id]);
    else ids.push(id);
  }
  return byApp;
}
