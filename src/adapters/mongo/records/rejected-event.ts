import type { RejectedEvent, RejectedLog } from "../../../domain/rejected-event.js";
import { number, oneOf, orNull, record, text } from "../shape.js";
import { eventShape } from "./event.js";

export const rejectedEventShape = record<RejectedEvent>({
  rejectedId: text,
  rejectedAt: number,
  fault: oneOf("missing", "invalid", "reused"),
  field: text,
  accepted: text,
  idempotencyKey: text,
  event: orNull(eventShape),
  bytes: number,
  replayedAs: text,
});

export const rejectedLogShape = record<RejectedLog>({ first: number, next: number, bytes: number });
