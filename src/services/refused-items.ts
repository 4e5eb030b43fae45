import type { MessageInitShape } from "@bufbuild/protobuf";
import { AlreadyExists, InvalidArgument } from "../domain/errors.js";
import type { RejectionFault } from "../domain/rejected-event.js";
import type { RefusedItemSchema } from "../gen/aisle/v1/refused_item_pb.js";

/** Maximum elements in one batch of a bulk call. */
export const MAX_BATCH = 1000;
const MAX_LISTED = 1000;

/** The parts of a batch that the first one of a bulk call decides. */
interface Batch {
  readonly appId: string;
  readonly validateOnly: boolean;
}

/** Reads what the first batch of a bulk call says for all: its app, and whether the call is only tried. */
export class BulkHead {
  private first: Batch | undefined;

  /** Throws InvalidArgument for a batch that contradicts the first. */
  read({ appId, validateOnly }: Batch): void {
    if (this.first === undefined) {
      if (appId === "") throw new InvalidArgument("app_id", "missing");
      this.first = { appId, validateOnly };
    }
    if (appId !== "" && appId !== this.first.appId)
      throw new InvalidArgument("app_id", "invalid", "the app of the first batch");
    if (validateOnly && !this.first.validateOnly)
      throw new InvalidArgument("validate_only", "invalid", "set in the first batch as well");
  }

  /** Throws InvalidArgument at the end of a call without any batch. */
  mustHaveBatch(): void {
    if (this.first === undefined) throw new InvalidArgument("app_id", "missing");
  }

  get appId(): string {
    return this.first?.appId ?? "";
  }

  get isTried(): boolean {
    return this.first?.validateOnly === true;
  }
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
