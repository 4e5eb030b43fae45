import type { Now } from "../../domain/clock.js";
import type { IdempotencyRecord } from "../../domain/event.js";
import { asked, type Connection, LONG_MS } from "./connection.js";
import type { Tables } from "./tables.js";

/** How long an idempotency key keeps its event. */
export const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

/** Clocks of servers may differ by this much: a record that one of them still goes by is not removed by another. */
const MARGIN_MS = 60 * 60 * 1000;

export function isExpired(record: IdempotencyRecord, now: number): boolean {
  return now - record.claimedAt > IDEMPOTENCY_MS;
}

/** Removes idempotency records past their time, whoever wrote them. */
export async function sweepIdempotency(connection: Connection, tables: Tables, now: Now): Promise<void> {
  const due = now() - IDEMPOTENCY_MS - MARGIN_MS;
  await asked(connection, () => tables.idempotency.collection.deleteMany({ "v.claimedAt": { $lt: due } }), LONG_MS);
}
