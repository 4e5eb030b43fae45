import { ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import type { Reason } from "./reasons.js";

/** Why Aisle refused a call, such as `APP_NOT_FOUND`; undefined when the error does not come from Aisle. */
export function reasonOf(error: unknown): Reason | undefined {
  const [info] = ConnectError.from(error).findDetails(ErrorInfoSchema);
  return info?.reason as Reason | undefined;
}

export interface FieldViolation {
  /** Path of the field, such as `event.action_type`. */
  readonly field: string;
  /** `FIELD_MISSING` or `FIELD_INVALID`. */
  readonly reason: string;
  /** What is accepted. */
  readonly description: string;
}

/** The fields that Aisle did not accept. */
export function fieldsOf(error: unknown): FieldViolation[] {
  return ConnectError.from(error)
    .findDetails(BadRequestSchema)
    .flatMap(({ fieldViolations }) => fieldViolations);
}

/** Milliseconds after which Aisle asks to call again; undefined when it names no time. */
export function retryDelayMs(error: unknown): number | undefined {
  const [info] = ConnectError.from(error).findDetails(RetryInfoSchema);
  const delay = info?.retryDelay;
  return delay && Number(delay.seconds) * 1000 + delay.nanos / 1e6;
}
