/** Errors by who must react. `services/errors/errors.ts` maps them to RPC codes, the facade to HTTP statuses. */
export class DomainError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A field is missing, or present with a value that is not accepted. */
export type FieldFault = "missing" | "invalid";

/**
 * A field that is not accepted. `field` is the path as RPC callers write it (`event.action_type`); the facade translates
 * it to its own names. `accepted` says what is accepted. Neither ever quotes the value.
 */
export interface Violation {
  readonly field: string;
  readonly fault: FieldFault;
  readonly accepted: string;
}

/** Maximum violations that one error names. */
const MAX_VIOLATIONS = 100;

/** The caller sent something that is not accepted and must change it. */
export class InvalidArgument extends DomainError implements Violation {
  /** All violations of the request that were found; the first one is this error's own. */
  readonly violations: readonly Violation[];

  constructor(
    readonly field: string,
    readonly fault: FieldFault,
    readonly accepted = "",
    others: readonly Violation[] = [],
  ) {
    const violations = [{ field, fault, accepted }, ...others].slice(0, MAX_VIOLATIONS);
    super(violationsText(violations));
    this.violations = violations;
  }
}

/** Another request of the last 24 hours had the same `request_id`. */
export class RequestIdReused extends InvalidArgument {
  constructor() {
    super("request_id", "invalid", "one that no other request of the last 24 hours has");
  }
}

/** All violations of a request in one text. */
export function violationsText(violations: readonly Violation[]): string {
  return violations.map(violationText).join("; ");
}

function violationText({ field, fault, accepted }: Violation): string {
  return fault === "missing"
    ? `Missing required field: ${field}`
    : `Invalid field: ${field}${accepted && `, ${accepted}`}`;
}

/**
 * Runs every check, and throws one InvalidArgument with the violations that all of them found. A caller that checks the
 * fields of a request in this way names all of them at once. Errors of other kinds are thrown at once.
 */
export function checkAll(...checks: readonly (() => void)[]): void {
  const found: Violation[] = [];
  for (const check of checks) {
    try {
      check();
    } catch (error) {
      if (!(error instanceof InvalidArgument)) throw error;
      found.push(...error.violations);
    }
  }
  const [first, ...others] = found;
  if (first !== undefined) throw new InvalidArgument(first.field, first.fault, first.accepted, others);
}

/** A check for `checkAll`: throws InvalidArgument unless `isFine`. */
export function check(isFine: boolean, field: string, fault: FieldFault, accepted = ""): () => void {
  return () => {
    if (!isFine) throw new InvalidArgument(field, fault, accepted);
  };
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
  | "signing_secret"
  | "visitor"
  | "operation"
  | "order";

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

/** Why the current state does not allow a call. `aborted` invites a retry, `precondition` does not. */
const CONFLICTS = {
  etag_mismatch: "aborted",
  training_running: "aborted",
  evaluation_running: "aborted",
  copy_running: "aborted",
  too_many_unlisted: "precondition",
  not_enough_data: "precondition",
  public_url_not_set: "precondition",
  too_many_signing_secrets: "precondition",
  copy_of_other_source: "precondition",
  secret_key_changed: "precondition",
} as const;

/** The call is valid but the current state does not allow it. */
export class Conflict extends DomainError {
  constructor(
    readonly reason: keyof typeof CONFLICTS,
    message: string,
  ) {
    super(message);
  }

  get kind(): "aborted" | "precondition" {
    return CONFLICTS[this.reason];
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
 * the disk is full; the answer would come too late; too many calls, bytes of calls or watches are open.
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
  "watches",
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

/** An earlier try with the same `request_id` is still under way. A retry gets its answer. */
export class RequestRunning extends Unavailable {
  constructor() {
    super("An earlier try of this request is under way");
  }
}

/** A stored value does not match its checksum or its format. It is never returned. */
export class DataDamaged extends DomainError {}
