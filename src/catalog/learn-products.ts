import { hash } from "node:crypto";
import type { EventProduct } from "../domain/event.js";
import { isOnHosts, type LearnedFrom, type Product } from "../domain/product.js";
import { type Effect, NO_OUTCOME } from "../ports/effect.js";

/** Bytes of a visitor's hash: among 1,000 visitors two are taken for one in some 500 million products. */
const HASH_BYTES = 6;
const NOBODY: LearnedFrom = { count: 0, visitors: [], confirmed: false };

/**
 * Teaches the catalogue what events say about products. A product that came by feed or RPC is never changed by an
 * event; of a learned one, later events fill and replace texts but never empty them, and its visitors are counted until
 * as many as the app asks for have sent it. Robots and events of nobody do not count. Where the app lists its origins,
 * URLs of other hosts are not learned.
 */
export const learnProducts: Effect = (tx, event, { visitor }) => {
  let changed = false;
  const origins = tx.app()?.allowedOrigins ?? [];
  const wanted = tx.app()?.learnedAfterVisitors ?? 0;
  const sender = event.bot ? "" : (visitor?.visitorId ?? "");
  for (const seen of event.products) {
    const before = tx.products.get(seen.productId);
    if (before?.origin === "catalog") continue;
    const learnedFrom = before?.learnedFrom === null ? null : counted(before?.learnedFrom ?? NOBODY, sender, wanted);
    const after = learned(before, onHosts(seen, origins), event.receivedAt, learnedFrom);
    if (before !== undefined && sameProduct(before, after)) continue;
    tx.products.put(after.productId, after);
    changed = true;
  }
  if (changed) tx.markChanged();
  return NO_OUTCOME;
};

/** With the sender, "" for nobody; the same object when that is nothing new. */
function counted(from: LearnedFrom, sender: string, wanted: number): LearnedFrom {
  if (from.confirmed) return from;
  const tag = sender === "" ? "" : hashOf(sender);
  const isNew = tag !== "" && !from.visitors.includes(tag);
  const count = from.count + (isNew ? 1 : 0);
  if (count >= wanted || wanted <= 1) return { count, visitors: [], confirmed: true };
  return isNew ? { count, visitors: [...from.visitors, tag], confirmed: false } : from;
}

function hashOf(visitorId: string): string {
  return hash("sha256", visitorId, "buffer").subarray(0, HASH_BYTES).toString("base64url");
}

function onHosts(seen: EventProduct, origins: readonly string[]): EventProduct {
  if (origins.length === 0) return seen;
  const kept = (url: string) => (url === "" || isOnHosts(url, origins) ? url : "");
  return { ...seen, url: kept(seen.url), imageUrl: kept(seen.imageUrl) };
}

function learned(
  before: Product | undefined,
  seen: EventProduct,
  at: number,
  learnedFrom: LearnedFrom | null,
): Product {
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
    learnedFrom,
  };
}

function sameProduct(a: Product, b: Product): boolean {
  return (
    a.learnedFrom === b.learnedFrom &&
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
