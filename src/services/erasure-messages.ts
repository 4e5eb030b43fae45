import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Erasure, ErasureCounts } from "../domain/erasure.js";
import { ErasureSchema } from "../gen/aisle/v1/erasure_pb.js";
import { timestampOf } from "./common-messages.js";
import { resultText } from "./operation-messages.js";

export function erasureMessage(erasure: Erasure): MessageInitShape<typeof ErasureSchema> {
  return {
    erasureId: erasure.erasureId,
    startTime: timestampOf(erasure.startedAt),
    endTime: timestampOf(erasure.finishedAt),
    removed: removedMessage(new Map(Object.entries(erasure.counts))),
    keptContactCount: erasure.contactsKept,
  };
}

export function removedMessage(counts: ReadonlyMap<keyof ErasureCounts & string, number>): Record<string, bigint> {
  return Object.fromEntries([...counts].map(([table, removed]) => [table, BigInt(removed)]));
}

/** An erasure as the result of its operation. */
export function erasureResult(erasure: Erasure): string {
  return resultText({ case: "erasure", value: create(ErasureSchema, erasureMessage(erasure)) });
}
