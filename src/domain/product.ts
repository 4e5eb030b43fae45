import type { Money } from "./money.js";

export interface Category {
  readonly categoryId: string;
  /** "" when not known. */
  readonly name: string;
}

/** Who told the catalogue: a feed or RPC caller (`catalog`), or visitors' events. */
export type ProductOrigin = "catalog" | "event";

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
  readonly tags: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly origin: ProductOrigin;
  readonly updatedAt: number;
}

/** True when a product may be shown to a visitor. */
export function isShown(product: Product): boolean {
  return product.available && !product.hidden;
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
