import type { Now } from "../../domain/clock.js";
import { IDEMPOTENCY_MS } from "../store/idempotency.js";
import { asked, type Connection, LONG_MS } from "./connection.js";
import type { Tables } from "./tables.js";

/** Clocks of servers may differ by this much: a record that one of them still goes by is not removed by another. */
const MARGIN_MS = 60 * 60 * 1000;

/** Removes idempotency records past their time, whoever wrote them. */
export async function sweepIdempotency(connection: Connection, tables: Tables, now: Now): Promise<void> {
  const due = now() - IDEMPOTENCY_MS - MARGIN_MS;
  await asked(connection, () => tables.idempotency.collection.deleteMany({ "v.claimedAt": { $lt: due } }), LONG_MS);
}
