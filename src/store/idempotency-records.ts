import type { Clock } from "../domain/clock.js";
import { IDEMPOTENCY_MS, type IdempotencyRecord } from "../domain/event.js";
import { AppRecords, type StagedTable } from "./app-records.js";
import type { Key } from "./keys.js";
import type { Claim } from "./ports/unit-of-work.js";

/** The two `Clock` readings that decide whether a key has expired. */
export type KeyClock = Pick<Clock, "now" | "livedNow">;

/** A key must be expired by both readings. A clock jump then ages no key, and neither does time without a running server. */
export function isExpired({ claimedAt, livedAt }: IdempotencyRecord, { now, livedNow }: KeyClock): boolean {
  return now() - claimedAt > IDEMPOTENCY_MS && livedNow() - (livedAt || claimedAt) > IDEMPOTENCY_MS;
}

/** Expired records read as absent. */
export class IdempotencyRecords extends AppRecords<IdempotencyRecord> {
  constructor(
    prefix: Key,
    table: StagedTable<IdempotencyRecord>,
    protected readonly clock: KeyClock,
  ) {
    super(prefix, table);
  }

  override put(key: string, claim: Claim): void {
    super.put(key, { ...claim, livedAt: this.clock.livedNow() });
  }

  override get(key: string): IdempotencyRecord | undefined {
    const found = super.get(key);
    return found === undefined || isExpired(found, this.clock) ? undefined : found;
  }
}
