import { IDEMPOTENCY_MS } from "../../domain/event.js";
import type { KeyClock } from "../idempotency-records.js";
import { asked, type Connection, LONG_MS } from "./connection.js";
import type { Tables } from "./tables.js";

/** Clocks of servers may differ by this much: a record that one of them still goes by is not removed by another. */
const MARGIN_MS = 60 * 60 * 1000;

/** Removes idempotency records that have expired by both readings; see `isExpired`. */
export async function sweepIdempotency(connection: Connection, tables: Tables, clock: KeyClock): Promise<void> {
  const due = clock.now() - IDEMPOTENCY_MS - MARGIN_MS;
  const livedDue = clock.livedNow() - IDEMPOTENCY_MS - MARGIN_MS;
  const kind = tables.idempotency.name;
  const old = [
    { kind, "v.claimedAt": { $lt: new Date(due) }, "v.livedAt": { $gt: 0, $lt: livedDue } },
    // from before `livedAt` was kept
    { kind, "v.claimedAt": { $lt: new Date(Math.min(due, livedDue)) }, "v.livedAt": { $in: [null, 0] } },
  ];
  for (const filter of old) await asked(connection, () => tables.idempotency.collection.deleteMany(filter), LONG_MS);
}
