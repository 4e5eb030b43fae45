import { decodeHTMLStrict } from "entities";
import { MAX_LEARNED_AFTER_VISITORS } from "../domain/app.js";
import type { EventProduct } from "../domain/event.js";
import { NO_MONEY } from "../domain/money.js";
import { type Category, isOnHosts, type Product, webUrl } from "../domain/product.js";
import type { PublicSender } from "../domain/public-sender.js";
import { type Effect, type LearnedCounts, NO_OUTCOME } from "../intake/effect.js";
import { holdsEmail } from "../parse/addresses-in-text.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import { createSightingHashes, type SightingHashes } from "./sighting-hashes.js";
import { countSighting, forgetSightings } from "./unconfirmed-products.js";

/** `auto`: until the shop has products by feed or RPC. */
export type LearnProducts = "auto" | "on" | "off";

/** Maximum products learned from public events, for each app. */
const MAX_LEARNED = 100_000;
/** Products of one public event that are learned or counted. Pages and orders hardly ever show more. */
const MAX_OF_EVENT = 100;
const TOO_MANY_NOTE = `of the products that the catalogue does not know, those beyond ${MAX_OF_EVENT} were not learned`;

/** A product field of an event as text for comparison; "" when absent. */
const FIELDS: readonly ((product: EventProduct) => string)[] = [
  ({ sku }) => sku,
  ({ title }) => title,
  ({ categories }) => (categories.length === 0 ? "" : JSON.stringify(categories.map((c) => [c.categoryId, c.name]))),
  ({ brandName, brandId }) => brandName || brandId,
  ({ price }) => (price.amount === "" ? "" : `${price.amount} ${price.currency}`),
  ({ url }) => url,
  ({ imageUrl }) => imageUrl,
  ({ available }) => (available === null ? "" : String(available)),
];

/**
 * Learns products from events. Products from a feed or RPC never change; `mode` decides whether a shop that has such
 * products learns others. The shop's own events (no `sender`) count at once. For any other event, a product and each of
 * its values count once enough visitors of different networks have sent the same; the app sets how many. Later events
 * fill and replace values but never empty them. If the app lists its origins, URLs of other hosts are not learned. Values
 * that hold an e-mail address are a person's and never learned.
 */
export function createLearnProducts(mode: LearnProducts): Effect {
  const hashOf = createSightingHashes();
  const apply: Effect["apply"] = (tx, event, { visitor }, sender) => {
    const app = tx.app();
    if (mode === "off" || app === undefined) return NO_OUTCOME;
    if (mode === "auto" && tx.productCounts.fed > 0) return NO_OUTCOME;
    const wanted = sender === undefined ? 0 : Math.min(app.learnedAfterVisitors, MAX_LEARNED_AFTER_VISITORS);
    const visitorId = visitor?.visitorId ?? "";
    if (wanted > 1 && (event.bot || visitorId === "")) return NO_OUTCOME;
    let learning: Learning | undefined;
    let looked = 0;
    for (const seen of event.products) {
      const before = tx.products.get(seen.productId);
      if (before?.origin === "catalog" || holdsEmail(seen.productId)) continue;
      const said = withoutForeign(tx, withoutEmails(withoutEntities(seen)), app.allowedOrigins);
      if (before !== undefined && teachesNothing(before, said)) continue;
      learning ??= new Learning(tx, event.receivedAt, sender, visitorId, wanted, hashOf);
      if (sender !== undefined && ++looked > MAX_OF_EVENT) return { ...learning.outcome(), notes: [TOO_MANY_NOTE] };
      learning.take(before, said);
    }
    return learning === undefined ? NO_OUTCOME : learning.outcome();
  };
  return { needs: "products", apply };
}

/** The result of one event. */
class Learning {
  private readonly counts: { -readonly [K in keyof LearnedCounts]: number } = {
    added: 0,
    confirmed: 0,
    changed: 0,
    evicted: 0,
  };
  private isCounted = false;

  constructor(
    private readonly tx: Transaction,
    private readonly at: number,
    private readonly sender: PublicSender | undefined,
    private readonly visitorId: string,
    private readonly wanted: number,
    private readonly hashOf: SightingHashes,
  ) {}

  /** Updates a product that is new or changed. */
  take(before: Product | undefined, said: EventProduct): void {
    const { tx, sender } = this;
    if (before === undefined && sender !== undefined && tx.productCounts.learned >= MAX_LEARNED) return;
    const granted = sender === undefined || this.wanted <= 1 ? said : this.granted(before, said, sender);
    if (granted === undefined) return;
    if (before !== undefined && teachesNothing(before, granted)) return;
    const after = learned(before, granted, this.at);
    tx.products.put(after.productId, after);
    if (teachesNothing(after, said)) forgetSightings(tx.unconfirmedProducts, after.productId);
    this.count(before === undefined ? "confirmed" : "changed");
    tx.markChanged();
  }

  outcome() {
    return this.isCounted ? { ...NO_OUTCOME, learned: this.counts } : NO_OUTCOME;
  }

  /** The values that enough visitors have sent; undefined for a product that too few have sent. */
  private granted(
    before: Product | undefined,
    said: EventProduct,
    { network }: PublicSender,
  ): EventProduct | undefined {
    const { productId } = said;
    const values = FIELDS.map((read) => read(said));
    const sent = { productId, visitorId: this.visitorId, network, values, at: this.at, wanted: this.wanted };
    const { count, confirmed, isNew, evicted } = countSighting(this.tx.unconfirmedProducts, sent, this.hashOf);
    if (isNew) this.count("added");
    this.count("evicted", evicted);
    return before === undefined && count < this.wanted ? undefined : only(said, confirmed);
  }

  private count(what: keyof LearnedCounts, by = 1): void {
    if (by === 0) return;
    this.counts[what] += by;
    this.isCounted = true;
  }
}

/** Pages and plugins send texts as they stand in HTML. Entities need their semicolon, or `&copy=1` of a URL would be one. */
function withoutEntities(seen: EventProduct): EventProduct {
  const plain = (text: string) => (text.includes("&") ? decodeHTMLStrict(text) : text);
  const url = (text: string) => (text.includes("&") ? webUrl(plain(text)) : text);
  return {
    ...seen,
    title: plain(seen.title),
    brandName: plain(seen.brandName),
    categories: seen.categories.map(({ categoryId, name }) => ({ categoryId, name: plain(name) })),
    url: url(seen.url),
    imageUrl: url(seen.imageUrl),
  };
}

/** Removes values that hold an e-mail address; of a URL its fragment, or its query as well, where that suffices. */
function withoutEmails(seen: EventProduct): EventProduct {
  const text = (value: string) => (holdsEmail(value) ? "" : value);
  const url = (value: string) => {
    const shorter = [value, value.replace(/#.*/s, ""), value.replace(/[?#].*/s, "")];
    return shorter.find((one) => !holdsEmail(one)) ?? "";
  };
  return {
    ...seen,
    sku: text(seen.sku),
    title: text(seen.title),
    brandId: text(seen.brandId),
    brandName: text(seen.brandName),
    categories: seen.categories.filter(({ categoryId, name }) => !holdsEmail(categoryId) && !holdsEmail(name)),
    url: url(seen.url),
    imageUrl: url(seen.imageUrl),
  };
}

/** Removes URLs of other hosts than the app's, and a SKU of another product. */
function withoutForeign(tx: Transaction, seen: EventProduct, origins: readonly string[]): EventProduct {
  const owner = seen.sku === "" ? undefined : tx.productSkus.get(seen.sku);
  const sku = owner === undefined || owner === seen.productId ? seen.sku : "";
  if (origins.length === 0) return sku === seen.sku ? seen : { ...seen, sku };
  const kept = (url: string) => (url === "" || isOnHosts(url, origins) ? url : "");
  return { ...seen, sku, url: kept(seen.url), imageUrl: kept(seen.imageUrl) };
}

/** The product with those fields only that `isTaken` is true for, in the order of `FIELDS`. */
function only(said: EventProduct, isTaken: readonly boolean[]): EventProduct {
  const [sku, title, categories, brand, price, url, imageUrl, available] = isTaken;
  return {
    ...said,
    sku: sku ? said.sku : "",
    title: title ? said.title : "",
    categories: categories ? said.categories : [],
    brandId: brand ? said.brandId : "",
    brandName: brand ? said.brandName : "",
    price: price ? said.price : NO_MONEY,
    url: url ? said.url : "",
    imageUrl: imageUrl ? said.imageUrl : "",
    available: available ? said.available : null,
  };
}

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
    validFrom: before?.validFrom ?? 0,
    validUntil: before?.validUntil ?? 0,
    hiddenByFeed: false,
    tags: before?.tags ?? [],
    attributes: before?.attributes ?? {},
    cost: before?.cost ?? NO_MONEY,
    stock: before?.stock ?? null,
    salePrice: before?.salePrice ?? NO_MONEY,
    saleStart: before?.saleStart ?? 0,
    saleEnd: before?.saleEnd ?? 0,
    origin: "event",
    addedAt: 0,
    updatedAt: at,
  };
}

/** Whether `learned` would leave the product as it is: the event says what is known, or nothing. */
function teachesNothing(before: Product, seen: EventProduct): boolean {
  const brand = seen.brandName || seen.brandId;
  const { price, categories } = seen;
  return (
    (seen.sku === "" || seen.sku === before.sku) &&
    (seen.title === "" || seen.title === before.title) &&
    (brand === "" || brand === before.brand) &&
    (price.amount === "" || (price.amount === before.price.amount && price.currency === before.price.currency)) &&
    (seen.url === "" || seen.url === before.url) &&
    (seen.imageUrl === "" || seen.imageUrl === before.imageUrl) &&
    (seen.available === null || seen.available === before.available) &&
    (categories.length === 0 || isSameList(categories, before.categories))
  );
}

function isSameList(a: readonly Category[], b: readonly Category[]): boolean {
  if (a.length !== b.length) return false;
  return a.every(({ categoryId, name }, n) => categoryId === b[n]?.categoryId && name === b[n]?.name);
}
