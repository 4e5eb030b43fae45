import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { InvalidArgument } from "../domain/errors.js";
import type {
  OperationFault,
  OperationKind as OperationKindName,
  Operation as StoredOperation,
} from "../domain/operation.js";
import { ErrorReason } from "../gen/aisle/v1/error_reason_pb.js";
import {
  type Operation,
  type OperationErrorSchema,
  OperationKind,
  OperationSchema,
  OperationStage,
  OperationState,
} from "../gen/aisle/v1/operation_pb.js";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { timestampOf } from "./common-messages.js";
import { enumWords } from "./enum-words.js";
import { toConnectError } from "./errors/errors.js";

const KINDS = {
  train_model: OperationKind.TRAIN_MODEL,
  evaluate_model: OperationKind.EVALUATE_MODEL,
  erase_visitor: OperationKind.ERASE_VISITOR,
  run_feed: OperationKind.RUN_FEED,
} as const;

const STATES = {
  running: OperationState.RUNNING,
  succeeded: OperationState.SUCCEEDED,
  failed: OperationState.FAILED,
  cancelled: OperationState.CANCELLED,
} as const;

const STAGES = enumWords<OperationStage>(OperationStage);
const REASONS = enumWords<ErrorReason>(ErrorReason);

/** A result as `Operation.result` keeps it: an operation of it alone. */
export function resultText(result: MessageInitShape<typeof OperationSchema>["result"]): string {
  const only = result === undefined ? {} : { result };
  return Buffer.from(toBinary(OperationSchema, create(OperationSchema, only))).toString("base64");
}

export function operationMessage(appId: string, operation: StoredOperation): Operation {
  const { operationId, kind, state, createdAt, startedAt, endedAt, stage, share, result, fault } = operation;
  const init: MessageInitShape<typeof OperationSchema> = {
    appId,
    operationId,
    kind: KINDS[kind],
    state: STATES[state],
    progress: { stage: stageOf(stage), doneShare: share },
  };
  const created = timestampOf(createdAt);
  const started = timestampOf(startedAt);
  const ended = timestampOf(endedAt);
  const message = create(OperationSchema, {
    ...init,
    ...(created && { createTime: created }),
    ...(started && { startTime: started }),
    ...(ended && { endTime: ended }),
    ...(fault !== null && { result: { case: "error", value: errorMessage(fault) } }),
  });
  if (fault === null && result !== "")
    message.result = fromBinary(OperationSchema, Buffer.from(result, "base64")).result;
  return message;
}

function errorMessage({ code, message, reason }: OperationFault): MessageInitShape<typeof OperationErrorSchema> {
  return { code, message, reason: REASONS.get(reason.toLowerCase()) ?? ErrorReason.ERROR_REASON_UNSPECIFIED };
}

/** The stored name of a kind; undefined for none. */
export function kindOf(kind: OperationKind): OperationKindName | undefined {
  if (kind === OperationKind.TRAIN_MODEL) return "train_model";
  if (kind === OperationKind.EVALUATE_MODEL) return "evaluate_model";
  if (kind === OperationKind.ERASE_VISITOR) return "erase_visitor";
  if (kind === OperationKind.RUN_FEED) return "run_feed";
  if (kind === OperationKind.UNSPECIFIED) return undefined;
  throw new InvalidArgument("kind", "invalid", "a kind of OperationKind");
}

/** What a caller would have seen of the error. */
export function faultOf(error: unknown): OperationFault {
  const seen = toConnectError(error);
  return { code: seen.code, message: seen.rawMessage, reason: seen.findDetails(ErrorInfoSchema)[0]?.reason ?? "" };
}

/** Stages have the words of the enum. */
function stageOf(name: string): OperationStage {
  return STAGES.get(name) ?? OperationStage.UNSPECIFIED;
}
