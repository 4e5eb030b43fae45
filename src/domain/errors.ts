/** Errors by who must react. `services/wire/errors.ts` maps them to RPC codes, the facade to HTTP statuses. */
export class DomainError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A field is missing, or present with a value that is not accepted. */
export type FieldFault = "missing" | "invalid";

/**
 * The caller sent something that is not accepted and must change it.
 * `field` is the path as RPC callers write it (`event.action_type`); the facade translates it to its own names.
 * `accepted` says what is accepted. Neither ever quotes the value.
 */
export class InvalidArgument extends DomainError {
  constructor(
    readonly field: string,
    readonly fault: FieldFault,
    readonly accepted = "",
  ) {
    super(
      fault === "missing"
        ? `Missing required field: ${field}`
        : `Invalid field: ${field}${accepted && `, ${accepted}`}`,
    );
  }
}

/** The kinds of things that can be missing. */
export type Resource =
  | "app"
  | "event"
  | "rejected_event"
  | "contact"
  | "product"
  | "model"
  | "frame_configuration"
  | "link"
  | "hook"
  | "feed"
  | "product_group"
  | "signing_secret";

/** The named thing does not exist in this app (or the app itself does not). */
export class NotFound extends DomainError {
  constructor(readonly resource: Resource) {
    super(`There is no such ${resource.replace("_", " ")}`);
  }
}

/** The thing exists already, or a key was used for something else. */
export class AlreadyExists extends DomainError {
  constructor(
    readonly resource: "app" | "idempotency_key",
    message: string,
  ) {
    super(message);
  }
}

/** The call is valid but the current state does not allow it. `aborted` invites a retry, `precondition` does not. */
export class Conflict extends DomainError {
  constructor(
    readonly kind: "aborted" | "precondition",
    message: string,
  ) {
    super(message);
  }
}

/** The signature of a call is unknown or expired. Nothing was done. */
export class Unauthenticated extends DomainError {
  constructor(
    readonly reason: "signature_unknown" | "signature_expired",
    message: string,
  ) {
    super(message);
  }
}

/** Too many calls. Nothing was stored. */
export class RateLimited extends DomainError {
  constructor(
    readonly retryAfterMs: number,
    /** The limit that was reached: so many calls in so many milliseconds. */
    readonly limit: { readonly limit: number; readonly windowMs: number },
  ) {
    super("Rate limit exceeded");
  }
}

/**
 * Why an overloaded server rejected a call. Too many works or bytes wait; the oldest work or a commit takes too long;
 * the disk is full; the answer would come too late; too many calls or bytes of calls are under way.
 */
export const SHED_REASONS = [
  "queue_length",
  "queue_bytes",
  "queue_age",
  "slow_commit",
  "disk",
  "deadline",
  "calls",
  "call_bytes",
] as const;

export type ShedReason = (typeof SHED_REASONS)[number];

/** Nothing was done; the same call may succeed later. */
export class Unavailable extends DomainError {
  /** Set when the server was overloaded. */
  readonly shed: ShedReason | undefined;

  constructor(
    message: string,
    readonly retryAfterMs = 1000,
    options?: { cause?: unknown; shed?: ShedReason },
  ) {
    super(message, options);
    this.shed = options?.shed;
  }
}

/** A stored value does not match its checksum or its format. It is never returned. */
export class DataDamaged extends DomainError {}
