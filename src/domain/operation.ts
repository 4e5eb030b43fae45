export const OPERATION_KINDS = ["train_model", "evaluate_model", "erase_visitor", "run_feed"] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number];

export const OPERATION_STATES = ["running", "succeeded", "failed", "cancelled"] as const;
export type OperationState = (typeof OPERATION_STATES)[number];

/** Why an operation failed, as its caller sees it. */
export interface OperationFault {
  /** A number of `google.rpc.Code`. */
  readonly code: number;
  readonly message: string;
  readonly reason: string;
}

/** Long work of an app. It contains no personal data. */
export interface Operation {
  /** UUIDv7. */
  readonly operationId: string;
  readonly kind: OperationKind;
  readonly state: OperationState;
  readonly createdAt: number;
  /** 0 before it begins. */
  readonly startedAt: number;
  /** 0 before it ends. */
  readonly endedAt: number;
  /** When its process last wrote it. */
  readonly workedAt: number;
  /** "" before the first. */
  readonly stage: string;
  /** Share of the work done, 0 to 1. */
  readonly share: number;
  /** Somebody asked to stop it. */
  readonly isCancelled: boolean;
  /** The result, as the service that began it writes it; "" for none. */
  readonly result: string;
  readonly fault: OperationFault | null;
}

/** How long an operation is kept after its end, in milliseconds. */
export const OPERATION_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

export function hasEnded({ endedAt }: Operation): boolean {
  return endedAt !== 0;
}

/** Whether another process goes on with the work when its own dies. Such work cannot be cancelled. */
export function isResumed({ kind }: Operation): boolean {
  return kind === "erase_visitor" || kind === "run_feed";
}

/** An operation that begins now. */
export function newOperation(operationId: string, kind: OperationKind, at: number): Operation {
  return {
    operationId,
    kind,
    state: "running",
    createdAt: at,
    startedAt: at,
    endedAt: 0,
    workedAt: at,
    stage: "",
    share: 0,
    isCancelled: false,
    result: "",
    fault: null,
  };
}
