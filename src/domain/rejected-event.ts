import type { FieldFault } from "./errors.js";
import type { Event } from "./event.js";

/** `reused`: the idempotency key was used with another body. */
export type RejectionFault = FieldFault | "reused";

/** An event that was refused for what it says, kept so that it can be looked at and taken after all. */
export interface RejectedEvent {
  /** Decimal digits; of a later one they are greater as text. */
  readonly rejectedId: string;
  readonly rejectedAt: number;
  readonly fault: RejectionFault;
  /** The field at fault, as RPC callers write it. */
  readonly field: string;
  /** The accepted values of the field; "" if its name says enough. */
  readonly accepted: string;
  /** As `intake/idempotency-key.ts` writes it; "" when it came without one, or with one that cannot be. */
  readonly idempotencyKey: string;
  /** As sent: without an id and notes, `occurredAt` 0 when no time was given. Null once it was replayed. */
  readonly event: Event | null;
  /** What `event` is reckoned to take. */
  readonly bytes: number;
  /** Id of the event that a replay made of it, "" before. */
  readonly replayedAs: string;
}

/** Where the log of an app's rejected events begins and ends. */
export interface RejectedLog {
  /** Number of the oldest there is. */
  readonly first: number;
  /** Number of the one that comes next. */
  readonly next: number;
  /** Of all there are. */
  readonly bytes: number;
}
