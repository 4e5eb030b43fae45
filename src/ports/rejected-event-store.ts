import type { RejectedEvent } from "../domain/rejected-event.js";

/** What the log of one app holds at most; the oldest leave. */
export const REJECTED_LOG_LIMITS = { events: 1000, bytes: 4 * 2 ** 20 } as const;

/** Reads the logs of rejected events. They are written in a unit of work. */
export interface RejectedEventStore {
  get(appId: string, rejectedId: string): Promise<RejectedEvent | undefined>;
  /** Up to `limit` of them before the id `before`, newest first; "" begins with the newest. */
  list(appId: string, before: string, limit: number): Promise<RejectedEvent[]>;
}
