import type { RejectedEvent } from "../../domain/rejected-event.js";

/** Limits of one app's log. The oldest entries are evicted. */
export const REJECTED_LOG_LIMITS = { events: 1000, bytes: 4 * 2 ** 20 } as const;

/** Reads the logs of rejected events. A unit of work writes them. */
export interface RejectedEventStore {
  get(appId: string, rejectedId: string): Promise<RejectedEvent | undefined>;
  /** Up to `limit` events with ids less than `before`, newest first; "" starts with the newest. */
  list(appId: string, before: string, limit: number): Promise<RejectedEvent[]>;
}
