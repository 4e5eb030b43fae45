import type { EventProduct } from "../domain/event.js";
import type { Product } from "../domain/product.js";
import { type Effect, NO_OUTCOME } from "../ports/effect.js";

/**
 * Teaches the catalogue what events say about products. A product that came by feed or RPC is never changed by an
 * event; of a learned one, later events fill and replace texts but never empty them.
 */
export const learnProducts: Effect = (tx, event) => {
  let changed = false;
  for (const seen of event.products) {
    const before = tx.products.get(seen.productId);
    if (before?.origin === "catalog") continue;
    const after = learned(before, seen, event.receivedAt);
    if (before !== undefined && sameProduct(before, after)) continue;
    tx.products.put(after.productId, after);
    changed = true;
  }
  if (changed) tx.markChanged();
  return NO_OUTCOME;
};

function learned(before: Product | undefined, seen: EventProduct, at: number): Product {
  return {
    productId: seen.productId,
    sku: seen.sku || before?.sku || "",
    variantGroupId: before?.variantGroupId ?? "",
    title: seen.title || before?.title || "",
    description: before?.description ?? "",
    categories: seen.categories.length > 0 ? seen.categories : (before?.categories ?? []),
    brand: seen.brandName || seen.brandId || before?.brand || "",
    price: seen.price.amount === "" ? (before?.price ?? seen.price) : seen.price,
    url: seen.url || before?.url || "",
    imageUrl: seen.imageUrl || before?.imageUrl || "",
    available: seen.available ?? before?.available ?? true,
    hidden: before?.hidden ?? false,
    hiddenByFeed: false,
    tags: before?.tags ?? [],
    attributes: before?.attributes ?? {},
    origin: "event",
    addedAt: 0,
    updatedAt: at,
  };
}

function sameProduct(a: Product, b: Product): boolean {
  return (
    a.sku === b.sku &&
    a.title === b.title &&
    a.brand === b.brand &&
    a.price.amount === b.price.amount &&
    a.price.currency === b.price.currency &&
    a.url === b.url &&
    a.imageUrl === b.imageUrl &&
    a.available === b.available &&
    a.categories.length === b.categories.length &&
    a.categories.every(
      ({ categoryId, name }, index) =>
        categoryId === b.categories[index]?.categoryId && name === b.categories[index]?.name,
    )
  );
}
