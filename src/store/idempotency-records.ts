import type { Clock } from "../domain/clock.js";
import { IDEMPOTENCY_MS, type IdempotencyRecord } from "../domain/event.js";
import { type Key, keyBehind } from "./keys.js";
import type { Claim, Claims } from "./ports/unit-of-work.js";
import type { StagedTable } from "./transaction.js";

/** The two `Clock` readings that decide whether a key has expired. */
export type KeyClock = Pick<Clock, "now" | "livedNow">;

/** A key must be expired by both readings. A clock jump then ages no key, and neither does time without a running server. */
export function isExpired({ claimedAt, livedAt }: IdempotencyRecord, { now, livedNow }: KeyClock): boolean {
  return now() - claimedAt > IDEMPOTENCY_MS && livedNow() - (livedAt || claimedAt) > IDEMPOTENCY_MS;
}

/** Expired records read as absent. */
export class IdempotencyRecords implements Claims {
  constructor(
    /** Common prefix of the keys of all the app's records. */
    protected readonly prefix: Key,
    protected readonly table: StagedTable<IdempotencyRecord>,
    private readonly clock: KeyClock,
  ) {}

  get(key: string): IdempotencyRecord | undefined {
    const found = this.table.get(keyBehind(this.prefix, key));
    return found === undefined || isExpired(found, this.clock) ? undefined : found;
  }

  put(key: string, claim: Claim): void {
    this.table.put(keyBehind(this.prefix, key), { answer: "", ...claim, livedAt: this.clock.livedNow() });
  }

  delete(key: string): void {
    this.table.delete(keyBehind(this.prefix, key));
  }
}
