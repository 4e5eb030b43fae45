import { IDEMPOTENCY_MS } from "../../domain/event.js";
import { isExpired, type KeyClock } from "../idempotency-records.js";
import type { Environment } from "./environment.js";
import { after, FIRST, keyOf, LAST, ownedKey, timedKey } from "./keys.js";
import type { StagedTables } from "./staged-tables.js";

/** Limits of one sweep: some milliseconds of work. */
const RECORDS_AT_ONCE = 2000;
const APPS_AT_ONCE = 16;

/** Milliseconds between two sweeps, as long as they keep up. */
const PAUSE_MS = 1000;
/** Pause after a sweep that removed nothing. After a clock jump or downtime many keys have expired by `now` but not by `livedNow`. */
const LONG_PAUSE_MS = 60_000;

/**
 * Removes expired idempotency records, a few at a time with a batch of writes, one app after the other. An app with more
 * expired records than one sweep takes is swept again with the next batch.
 */
export function createSweep({ tables: stored }: Environment, clock: KeyClock): (tables: StagedTables) => void {
  let nextAt = Number.NEGATIVE_INFINITY;
  let nextApp = FIRST;
  let removed = 0;

  /** Returns the number of due entries, at most `limit`. */
  const sweepApp = (tables: StagedTables, appId: string, until: number, limit: number): number => {
    const range = { start: ownedKey(appId, "", ""), end: timedKey(appId, "", until, ""), limit };
    const due = stored.idempotencyTimes.entries(range);
    for (const { key, value } of due) {
      const recordKey = keyOf(appId, value);
      const record = tables.idempotency.get(recordKey); // a newer one may have taken the key
      if (record !== undefined && record.claimedAt < until) {
        if (!isExpired(record, clock)) continue;
        tables.idempotency.delete(recordKey);
      }
      tables.idempotencyTimes.delete(key);
      removed++;
    }
    return due.length;
  };

  return (tables) => {
    const at = clock.livedNow();
    if (at < nextAt) return;
    removed = 0;
    let left = RECORDS_AT_ONCE;
    const apps = stored.apps.entries({ start: nextApp, end: LAST, limit: APPS_AT_ONCE });
    nextApp = FIRST;
    for (const { key, value: app } of apps) {
      left -= sweepApp(tables, app.appId, clock.now() - IDEMPOTENCY_MS, left);
      const isStuck = left === 0 && removed === 0;
      nextApp = left === 0 && !isStuck ? key : after(key);
      if (isStuck) nextAt = at + LONG_PAUSE_MS;
      if (left === 0) return;
    }
    if (apps.length < APPS_AT_ONCE) nextApp = FIRST;
    nextAt = at + PAUSE_MS;
  };
}
