import type { IdempotencyRecord } from "../../domain/event.js";

/** Milliseconds for which an idempotency key keeps its event. */
export const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

export function isExpired(record: IdempotencyRecord, now: number): boolean {
  return now - record.claimedAt > IDEMPOTENCY_MS;
}
