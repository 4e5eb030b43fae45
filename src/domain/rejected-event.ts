import type { FieldFault } from "./errors.js";
import type { Event } from "./event.js";

/** `reused`: the idempotency key was used with another body. */
export type RejectionFault = FieldFault | "reused";

/** An invalid event, stored for inspection and replay. */
export interface RejectedEvent {
  /** Decimal digits; later ids sort after earlier ones as text. */
  readonly rejectedId: string;
  readonly rejectedAt: number;
  readonly fault: RejectionFault;
  /** The field at fault, as RPC callers write it. */
  readonly field: string;
  /** The accepted values of the field; "" if its name says enough. */
  readonly accepted: string;
  /** As `intake/idempotency-key.ts` writes it; "" without a valid one. */
  readonly idempotencyKey: string;
  /** As sent: without an id and notes, `occurredAt` 0 when no time was given. Null once it was replayed. */
  readonly event: Event | null;
  /** Estimated size of `event`. */
  readonly bytes: number;
  /** Id of the event that a replay recorded, "" before. */
  readonly replayedAs: string;
}

/** Range of an app's log of rejected events. */
export interface RejectedLog {
  /** Number of the oldest event. */
  readonly first: number;
  /** Number of the next event. */
  readonly next: number;
  /** Total of all events. */
  readonly bytes: number;
}
