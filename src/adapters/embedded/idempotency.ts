import type { Now } from "../../domain/clock.js";
import type { IdempotencyRecord } from "../../domain/event.js";
import type { Environment } from "./environment.js";
import { after, keyOf, ownedKey, timedKey } from "./keys.js";
import type { StagedTables } from "./staged.js";

/** How long an idempotency key keeps its event. */
export const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

export function isExpired(record: IdempotencyRecord, now: number): boolean {
  return now - record.claimedAt > IDEMPOTENCY_MS;
}

/** Removed at most with each batch and app: above what a batch of equal size adds, so that the sweep keeps up. */
const SWEPT_PER_APP = 2000;

/**
 * Removes idempotency records past their time, some with each batch: those of the apps the batch wrote to and of one
 * other app, a different one each time, so that the records of an app that fell silent go as well.
 */
export function createSweep(
  environment: Environment,
  now: Now,
): (tables: StagedTables, appIds: ReadonlySet<string>) => void {
  const times = environment.tables.idempotencyTimes;
  let cursor = "";

  const nextApp = (): string | undefined => {
    const [app] = environment.tables.apps.entries({ start: cursor, end: "\u{10ffff}", limit: 1 });
    cursor = app === undefined ? "" : after(app.key);
    return app?.value.appId;
  };

  const sweepApp = (tables: StagedTables, appId: string, until: number): void => {
    const start = ownedKey(appId, "", "");
    const end = until <= 0 ? start : timedKey(appId, "", until, "");
    for (const { key, value } of times.entries({ start, end, limit: SWEPT_PER_APP })) {
      tables.idempotencyTimes.delete(key);
      const recordKey = keyOf(appId, value);
      const record = tables.idempotency.get(recordKey);
      if (record !== undefined && record.claimedAt < until) tables.idempotency.delete(recordKey);
    }
  };

  return (tables, appIds) => {
    const until = now() - IDEMPOTENCY_MS;
    for (const appId of appIds) sweepApp(tables, appId, until);
    const other = nextApp();
    if (other !== undefined && !appIds.has(other)) sweepApp(tables, other, until);
  };
}
