import type { Subscription } from "../../domain/contact.js";
import { statementTime } from "./statement-time.js";

/** What decides whether a statement counts. */
export interface OrderedStatement {
  readonly subscribed: boolean;
  /** When it was made, by its sender. */
  readonly at: number;
  readonly recordedAt: number;
  /** Event or call id; later ones are greater. */
  readonly by: string;
  /** Whether `at` is the time of its arrival, which is later than all that arrived before. */
  readonly isOrderedByArrival: boolean;
}

/** An unsubscription counts although its own time is so much before that of the subscription in force. */
const MAX_LATE_MS = 86_400_000;

/**
 * The time under which a statement counts beside what is known; undefined: it does not count. Doubt unsubscribes:
 *
 * - An unsubscription counts when it arrives, unless its own time is more than 24 hours before that of the subscription
 *   in force. It then gets the first millisecond after that subscription, so that repeating the subscription is older.
 * - A subscription counts when its own time is later than that of the last unsubscription. The same time is not later. A time
 *   ahead of its receipt counts as so much behind it: the clock of the last sender may have been ahead as well.
 * - Of two statements that say the same, the later one counts; at the same time, the one with the greater id.
 *
 * When the server's clock was ahead once and is right now, the order of arrival decides.
 */
export function countsAt(statement: OrderedStatement, known: Subscription): number | undefined {
  const { subscribed, recordedAt, by } = statement;
  const { status, changedAt, changedBy } = known;
  if (status === null) return statementTime(statement, 0);
  // An unsubscription may have got the millisecond after its arrival.
  const wasAhead = changedAt > recordedAt + 1;
  if (wasAhead) return changedAt + 1;
  const lead = Math.max(0, statement.at - recordedAt);
  const at = Math.min(statement.at, recordedAt) - (subscribed && status === false ? lead : 0);
  if (at > changedAt) return at;
  if (subscribed === status) return at === changedAt && by > changedBy ? at : undefined;
  if (statement.isOrderedByArrival) return changedAt + 1;
  return !subscribed && changedAt - at <= MAX_LATE_MS ? changedAt + 1 : undefined;
}
