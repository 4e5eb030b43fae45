import type { MessageInitShape } from "@bufbuild/protobuf";
import { AlreadyExists, InvalidArgument } from "../domain/errors.js";
import type { RejectionFault } from "../domain/rejected-event.js";
import type { RefusedItemSchema } from "../gen/aisle/v1/refused_item_pb.js";

/** Maximum elements in one batch of a bulk call. */
export const MAX_BATCH = 1000;
const MAX_LISTED = 1000;

/** The app of a bulk call: named in the first batch, and the same in all that name one. */
export function bulkAppId(known: string, named: string): string {
  if (known === "" && named === "") throw new InvalidArgument("app_id", "missing");
  if (known !== "" && named !== "" && named !== known)
    throw new InvalidArgument("app_id", "invalid", "the app of the first batch");
  return known || named;
}

/** The reason for which an element is rejected. Throws errors that are not the element's fault. */
export function refusalOf(error: unknown): { readonly field: string; readonly reason: string } {
  if (error instanceof InvalidArgument) return { field: error.field, reason: reasonText(error.fault, error.accepted) };
  if (error instanceof AlreadyExists) return { field: "idempotency_key", reason: reasonText("reused", "") };
  throw error;
}

/** The fault of a field, as text after its name. */
export function reasonText(fault: RejectionFault, accepted: string): string {
  if (fault === "missing") return "is missing";
  if (fault === "reused") return "The idempotency key was used with another body";
  return `is not accepted: ${accepted}`;
}

/** Collects the rejected elements of a bulk call: the first 1,000 in detail, all by count. */
export function createRefusals() {
  const refused: MessageInitShape<typeof RefusedItemSchema>[] = [];
  let count = 0;
  const list = (index: number, field: string, reason: string) => {
    count++;
    if (refused.length < MAX_LISTED) refused.push({ index, field, reason });
  };
  return {
    list,
    add(index: number, error: unknown) {
      const { field, reason } = refusalOf(error);
      list(index, field, reason);
    },
    answer: () => ({ refused, refusedTotal: count }),
  };
}
