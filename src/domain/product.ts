import { isDeepStrictEqual } from "node:util";
import type { Money } from "./money.js";

export interface Category {
  readonly categoryId: string;
  /** "" when unknown. */
  readonly name: string;
}

/** Origin of a product: a feed or RPC caller (`catalog`), or visitors' events. */
export type ProductOrigin = "catalog" | "event";

/** Number of products in an app's catalogue. */
export interface ProductCounts {
  /** By feed or RPC. */
  readonly fed: number;
  /** Learned from events. */
  readonly learned: number;
}

export const NO_PRODUCTS: ProductCounts = { fed: 0, learned: 0 };

export interface Product {
  readonly productId: string;
  readonly sku: string;
  /** Products of one group are variants of one product; "" for none. */
  readonly variantGroupId: string;
  readonly title: string;
  readonly description: string;
  /** Broad to narrow. */
  readonly categories: readonly Category[];
  readonly brand: string;
  readonly price: Money;
  readonly url: string;
  readonly imageUrl: string;
  readonly available: boolean;
  readonly hidden: boolean;
  /** A full feed that did not list it hid it; a feed that lists it shows it again. Only with `hidden`. */
  readonly hiddenByFeed: boolean;
  readonly tags: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  /** The price of a sale, between `saleStart` (0: from any time) and `saleEnd` (0: without end). */
  readonly salePrice: Money;
  readonly saleStart: number;
  readonly saleEnd: number;
  /** What it costs the shop. */
  readonly cost: Money;
  /** Pieces in stock; null when not known. */
  readonly stock: number | null;
  /** It is shown from this time on; 0: from any time. */
  readonly validFrom: number;
  /** It is shown before this time; 0: at any time. */
  readonly validUntil: number;
  readonly origin: ProductOrigin;
  /** When it was added; 0 for a learned product, and for older records. */
  readonly addedAt: number;
  readonly updatedAt: number;
}

/** True for a product that nobody hid, within its time. */
export function isShown({ hidden, validFrom, validUntil }: Product, now: number): boolean {
  return !hidden && validFrom <= now && (validUntil === 0 || now < validUntil);
}

/** The product with the price that it has at a time: during a sale that of the sale. */
export function pricedAt(product: Product, now: number): Product {
  const { salePrice, saleStart, saleEnd } = product;
  const isOnSale = salePrice.amount !== "" && saleStart <= now && (saleEnd === 0 || now < saleEnd);
  return isOnSale ? { ...product, price: salePrice } : product;
}

/** When a product came into the catalogue, or may be shown since; 0 when that is not known. */
export function arrivalOf({ addedAt, validFrom }: Pick<Product, "addedAt" | "validFrom">): number {
  return addedAt === 0 ? 0 : Math.max(addedAt, validFrom);
}

/** The part of the price that the shop keeps; undefined when price or cost is not known, or in another currency. */
export function marginOf({ price, cost }: Pick<Product, "price" | "cost">): number | undefined {
  if (price.amount === "" || cost.amount === "" || !(Number(price.amount) > 0)) return undefined;
  if (cost.currency !== "" && cost.currency.toUpperCase() !== price.currency.toUpperCase()) return undefined;
  return (Number(price.amount) - Number(cost.amount)) / Number(price.amount);
}

/** True when only the time of the last change differs. */
export function isSameProduct(a: Product, b: Product): boolean {
  return isDeepStrictEqual({ ...a, updatedAt: 0 }, { ...b, updatedAt: 0 });
}

const MAX_URL = 2048;

/**
 * The form of almost all URLs, which the parser returns unchanged: a lower-case name that is no number and no Punycode,
 * then a path without dot segments and escapes (`PARSED`). The parser costs ten times as much.
 */
const PLAIN_URL = /^https?:\/\/(?:[a-z0-9-]+\.)+[a-z]{2,}\/[A-Za-z0-9\-._~!$&()*+,;=:@%/?#]*$/;
const PARSED = ["xn--", "/.", "/%2E", "/%2e"];

/** The URL as a parser writes it, with quotes and other marks of HTML escaped; "" unless it is http or https. */
export function webUrl(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length > MAX_URL) return "";
  if (PLAIN_URL.test(trimmed) && !PARSED.some((part) => trimmed.includes(part))) return trimmed;
  return /^https?:\/\//i.test(trimmed) && URL.canParse(trimmed) ? new URL(trimmed).href : "";
}

/** True for a URL on the host of one of these origins, or below it (`www.` counts for none); of any where there are none. */
export function isOnHosts(url: string, origins: readonly string[]): boolean {
  if (origins.length === 0) return true;
  const host = hostOf(url);
  return host !== "" && origins.some((origin) => isBelow(host, hostOf(origin).replace(/^www\./, "")));
}

function isBelow(host: string, other: string): boolean {
  return other !== "" && (host === other || host.endsWith(`.${other}`));
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
