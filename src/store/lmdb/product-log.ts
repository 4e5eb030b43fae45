import { appKey, type Key, timedKey, unpart } from "./keys.js";
import type { LogHead } from "./records.js";
import { type StagedTables, unlessDamaged } from "./staged-tables.js";

/**
 * A log of an app's written products in commit order, from which each watching process learns of the writes of others. A
 * batch logs its product ids in the same transaction as the writes. The log holds ids, not values: its readers then read
 * the current products. Old log records are removed; a reader that lags further behind reads the catalogue again.
 */

/** Ids in one record. */
const IDS_IN_RECORD = 500;

/** Log records kept per app: 128,000 ids of bulk writes, or 256 single changes. */
export const RECORDS_KEPT = 256;

/** The key of the record with this number. */
export function logKey(appId: string, number: number): Key {
  return timedKey(appId, "", number, "");
}

/** The records that the current batch adds to the log of one app. */
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
        if (unlessDamaged(tables.removals, appKey(appId)) !== undefined) continue; // no record of a removed app may remain
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
