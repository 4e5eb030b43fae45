import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { InteractionType, type ProductInteractionSchema } from "../../src/gen/aisle/v1/interaction_pb.js";

/** A visitor's history as entered in a page: oldest first in each list. */
export interface TriedHistory {
  readonly viewed: readonly string[];
  readonly inCart: readonly string[];
  readonly ordered: readonly string[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * The same as interactions: orders on the day before, then views, then the cart, a minute apart, the last one at `now`
 * (ms).
 */
export function interactionsOf(
  { viewed, inCart, ordered }: TriedHistory,
  now: number,
): MessageInitShape<typeof ProductInteractionSchema>[] {
  const recent = [
    ...viewed.map((productId) => ({ type: InteractionType.PRODUCT_VIEW, productId })),
    ...inCart.map((productId) => ({ type: InteractionType.ADD_TO_CART, productId })),
  ];
  return [
    ...ordered.map((productId) => ({
      type: InteractionType.ORDER,
      productId,
      interactionTime: timestampFromMs(now - DAY_MS),
    })),
    ...recent.map((meeting, index) => ({
      ...meeting,
      interactionTime: timestampFromMs(now - (recent.length - 1 - index) * MINUTE_MS),
    })),
  ];
}
