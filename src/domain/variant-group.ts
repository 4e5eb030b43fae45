import { isNoValue } from "../parse/words-for-nothing.js";
import type { Product } from "./product.js";

/**
 * The variant that stands for its group where only the group is named, as pages do that post the `item_group_id` of a feed:
 * the one of the lowest id. Stock does not count, so that training and answers mean the same variant.
 */
export function standingVariant(variantIds: Iterable<string>): string | undefined {
  let lowest: string | undefined;
  for (const productId of variantIds) if (lowest === undefined || productId < lowest) lowest = productId;
  return lowest;
}

/** For each group of these products whose id is no product's, the variant that stands for it. */
export function standingVariants(
  products: Iterable<Pick<Product, "productId" | "variantGroupId">>,
): Map<string, string> {
  const ids = new Set<string>();
  const standing = new Map<string, string>();
  for (const { productId, variantGroupId } of products) {
    ids.add(productId);
    if (variantGroupId === "") continue;
    const lowest = standing.get(variantGroupId);
    if (lowest === undefined || productId < lowest) standing.set(variantGroupId, productId);
  }
  for (const groupId of standing.keys()) if (ids.has(groupId)) standing.delete(groupId);
  return standing;
}

/** The group that a text names; "" for a word that stands for none, or all such products would be variants of one. */
export function groupOf(text: string): string {
  return isNoValue(text) ? "" : text;
}
