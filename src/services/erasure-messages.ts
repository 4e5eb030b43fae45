import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Erasure, ErasureCounts } from "../domain/erasure.js";
import { ErasureSchema, type RemovedRecordsSchema } from "../gen/aisle/v1/erasure_pb.js";
import type { PersonItem } from "../identity/privacy/export.js";
import { timestampOf } from "./common-messages.js";
import { resultText } from "./operation-messages.js";

export function erasureMessage(erasure: Erasure): MessageInitShape<typeof ErasureSchema> {
  return {
    erasureId: erasure.erasureId,
    startTime: timestampOf(erasure.startedAt),
    endTime: timestampOf(erasure.finishedAt),
    removed: removedMessage(erasure.counts),
    keptContactCount: erasure.contactsKept,
  };
}

export function removedMessage(counts: ErasureCounts): MessageInitShape<typeof RemovedRecordsSchema> {
  const of = (kind: PersonItem["kind"]) => counts[kind] ?? 0;
  return {
    contacts: of("contacts"),
    visitors: of("visitors"),
    subscriptionChanges: of("changes"),
    interactions: of("interactions"),
    orders: of("orders"),
    events: of("events"),
    rejectedEvents: of("rejectedEvents"),
    idempotencyKeys: of("idempotency"),
    awaitedSubscriptions: of("confirmations"),
    waitingHookMessages: of("outbox"),
    failedHookMessages: of("deadHooks"),
    frameExposures: of("frameExposures"),
  };
}

/** An erasure as the result of its operation. */
export function erasureResult(erasure: Erasure): string {
  return resultText({ case: "erasure", value: create(ErasureSchema, erasureMessage(erasure)) });
}
