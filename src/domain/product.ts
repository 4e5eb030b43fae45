import { isDeepStrictEqual } from "node:util";
import type { Money } from "./money.js";

export interface Category {
  readonly categoryId: string;
  /** "" when not known. */
  readonly name: string;
}

/** Who told the catalogue: a feed or RPC caller (`catalog`), or visitors' events. */
export type ProductOrigin = "catalog" | "event";

/** Who sent a product that only events told of. */
export interface LearnedFrom {
  /** Different visitors, counted until it is confirmed. */
  readonly count: number;
  /** A short hash of each, to tell them apart; none any more once it is confirmed. */
  readonly visitors: readonly string[];
  /** As many sent it as the app asked for: it is shown, whatever the app asks for later. */
  readonly confirmed: boolean;
}

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
  /** A full feed hid it that did not list it; it is shown again when a feed lists it. Only with `hidden`. */
  readonly hiddenByFeed: boolean;
  readonly tags: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly origin: ProductOrigin;
  /** Since when the catalogue has it; 0 of a learned product, and of one that was there before this was kept. */
  readonly addedAt: number;
  readonly updatedAt: number;
  /** Null for a product of the catalogue, and for one that was learned before visitors were counted: it is shown. */
  readonly learnedFrom: LearnedFrom | null;
}

/** True when a product may be shown to a visitor. */
export function isShown(product: Product): boolean {
  return product.available && !product.hidden;
}

/** True when nothing but the time of the last change tells them apart. */
export function isSameProduct(a: Product, b: Product): boolean {
  return isDeepStrictEqual({ ...a, updatedAt: 0 }, { ...b, updatedAt: 0 });
}

/** True unless too few visitors sent a product that only events told of. */
export function isConfirmed({ learnedFrom }: Product, afterVisitors: number): boolean {
  return learnedFrom === null || learnedFrom.confirmed || learnedFrom.count >= afterVisitors;
}

const MAX_URL = 2048;

/**
 * What nearly all of them look like, and the parser takes each of: a name that is no number and no Punycode, a path of
 * visible ASCII. The parser costs ten times as much.
 */
const PLAIN_URL = /^https?:\/\/(?!\S*xn--)(?:[a-z0-9-]+\.)+[a-z]{2,}(?:\/[!-~]*)?$/i;

/** The URL, or "" unless it is http or https. */
export function webUrl(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MAX_URL && PLAIN_URL.test(trimmed)) return trimmed;
  if (!/^https?:\/\//i.test(trimmed) || trimmed.length > MAX_URL || !URL.canParse(trimmed)) return "";
  return trimmed;
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
