/**
 * What each batch does besides the works of its callers, after them and in the same transaction: it counts changes
 * of training data, removes expired idempotency keys and saves the clock. Each step is all or nothing.
 */
import type { Clock, Now } from "../../domain/clock.js";
import { IDEMPOTENCY_MS } from "../../domain/event.js";
import { INSTALLATION } from "../../domain/ids.js";
import { isExpired, type KeyClock } from "../idempotency-records.js";
import type { Environment } from "./environment.js";
import { after, appKey, FIRST, keyOf, LAST, ownedKey, timedKey } from "./keys.js";
import { type Machine, SAVE_EVERY_MS } from "./saved-clock.js";
import { type StagedTables, unlessDamaged } from "./staged-tables.js";

/** The apps that a batch's works changed. Each batch gets a new set, for the reason given at `Staged`. */
export class ChangedApps {
  private ids = new Set<string>();

  add(appId: string): void {
    this.ids.add(appId);
  }

  /** Returns the set of the batch that ends and starts a new one. */
  take(): ReadonlySet<string> {
    const { ids } = this;
    if (ids.size > 0) this.ids = new Set();
    return ids;
  }
}

/**
 * Counts training data changes, once per batch. The count starts at the current time. An app that reuses an id, or whose
 * count was damaged, therefore never repeats an earlier number.
 */
export function createActivity(changed: ChangedApps, now: Now): (tables: StagedTables) => void {
  return (tables) => {
    for (const appId of changed.take()) {
      const key = appKey(appId);
      tables.activity.put(key, Math.max((unlessDamaged(tables.activity, key) ?? 0) + 1, now()));
    }
  };
}

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
      const record = unlessDamaged(tables.idempotency, recordKey); // a newer one may have taken the key
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
    const until = clock.now() - IDEMPOTENCY_MS;
    if (nextApp === FIRST) left -= sweepApp(tables, INSTALLATION, until, left);
    const apps = stored.apps.entries({ start: nextApp, end: LAST, limit: APPS_AT_ONCE });
    nextApp = FIRST;
    for (const { key, value: app } of apps) {
      left -= sweepApp(tables, app.appId, until, left);
      const isStuck = left === 0 && removed === 0;
      nextApp = left === 0 && !isStuck ? key : after(key);
      if (isStuck) nextAt = at + LONG_PAUSE_MS;
      if (left === 0) return;
    }
    if (apps.length < APPS_AT_ONCE) nextApp = FIRST;
    nextAt = at + PAUSE_MS;
  };
}

/** Saves the clock with a commit. A step of the writer's upkeep. */
export function createClockNotes(environment: Environment, clock: Clock, machine: () => Machine): () => void {
  let noted = Number.NEGATIVE_INFINITY;
  return () => {
    const lived = clock.livedNow();
    if (lived - noted < SAVE_EVERY_MS) return;
    noted = lived;
    environment.noteClock({ ...clock.mark(), ...machine() });
  };
}
