import type { Now } from "../../domain/clock.js";
import { IDEMPOTENCY_MS } from "../store/idempotency.js";
import type { Environment } from "./environment.js";
import { after, FIRST, keyOf, LAST, ownedKey, timedKey } from "./keys.js";
import type { StagedTables } from "./staged.js";

/** Limits of one sweep: some milliseconds of work. */
const RECORDS_AT_ONCE = 2000;
const APPS_AT_ONCE = 16;

/** Milliseconds between two sweeps, as long as they keep up. */
const PAUSE_MS = 1000;

/**
 * Removes idempotency records past their time, some with a batch now and then, app after app in turns. An app with
 * more of them than one sweep takes is swept again with the very next batch.
 */
export function createSweep({ tables: stored }: Environment, now: Now): (tables: StagedTables) => void {
  let nextAt = Number.NEGATIVE_INFINITY;
  let nextApp = FIRST;

  /** How many were due, of at most `limit`. */
  const sweepApp = (tables: StagedTables, appId: string, until: number, limit: number): number => {
    const range = { start: ownedKey(appId, "", ""), end: timedKey(appId, "", until, ""), limit };
    const due = stored.idempotencyTimes.entries(range);
    for (const { key, value } of due) {
      tables.idempotencyTimes.delete(key);
      const recordKey = keyOf(appId, value);
      const record = tables.idempotency.get(recordKey); // a newer one may have taken the key
      if (record !== undefined && record.claimedAt < until) tables.idempotency.delete(recordKey);
    }
    return due.length;
  };

  return (tables) => {
    const at = now();
    if (at < nextAt) return;
    let left = RECORDS_AT_ONCE;
    const apps = stored.apps.entries({ start: nextApp, end: LAST, limit: APPS_AT_ONCE });
    nextApp = FIRST;
    for (const { key, value: app } of apps) {
      left -= sweepApp(tables, app.appId, at - IDEMPOTENCY_MS, left);
      nextApp = left === 0 ? key : after(key);
      if (left === 0) return;
    }
    if (apps.length < APPS_AT_ONCE) nextApp = FIRST;
    nextAt = at + PAUSE_MS;
  };
}
