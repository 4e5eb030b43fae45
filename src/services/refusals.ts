import type { MessageInitShape } from "@bufbuild/protobuf";
import { AlreadyExists, InvalidArgument } from "../domain/errors.js";
import type { RefusedItemSchema } from "../gen/aisle/v1/refused_item_pb.js";

/** Most elements of one batch of a bulk call. */
export const MAX_BATCH = 1000;
const MAX_LISTED = 1000;

/** The app of a bulk call: named in the first batch, and the same in all that name one. */
export function bulkAppId(known: string, named: string): string {
  if (known === "" && named === "") throw new InvalidArgument("app_id", "missing");
  if (known !== "" && named !== "" && named !== known)
    throw new InvalidArgument("app_id", "invalid", "the app of the first batch");
  return known || named;
}

/** Gathers what a bulk call did not take: the first 1,000 by name, all by count. */
export function createRefusals() {
  const refused: MessageInitShape<typeof RefusedItemSchema>[] = [];
  let count = 0;
  const list = (index: number, field: string, reason: string) => {
    count++;
    if (refused.length < MAX_LISTED) refused.push({ index: BigInt(index), field, reason });
  };
  return {
    list,
    add(index: number, error: unknown) {
      if (error instanceof InvalidArgument)
        list(index, error.field, error.fault === "missing" ? "is missing" : `is not accepted: ${error.accepted}`);
      else if (error instanceof AlreadyExists) list(index, "idempotency_key", error.message);
      else throw error;
    },
    answer: () => ({ refused, refusedCount: BigInt(count) }),
  };
}
