/** The short hashes that stand for products, their values, visitors and networks in `unconfirmed-products.ts`. */
import { hash } from "node:crypto";

export const SLOTS = 8192;

/** Where in the hash of a product id its slot is read; its key is made of the bytes before. */
const SLOT_AT = 16;
/** Base64 characters of a hash. 60 bits: nobody finds another text with the hash of an honest one. */
const VALUE_CHARS = 10;
const VISITOR_CHARS = 6;
/** 18 bits: some 60 networks of 256 addresses share each, so that it leads back to no address. */
const NETWORK_CHARS = 3;

/** Entries of each half of a cache, and characters of the longest text in it: some MB at most. */
const CACHED = 2048;
const CACHED_CHARS = 1024;

interface Place {
  /** The hash of the product id. */
  readonly key: string;
  readonly slot: string;
}

interface ProductHashes extends Place {
  /** A hash for each value, "" for an absent one. */
  readonly values: readonly string[];
}

export interface SightingHashes {
  product(productId: string, values: readonly string[]): ProductHashes;
  visitor(visitorId: string): string;
  network(network: string): string;
}

/** Many visitors send the same products with the same values, so hashes of these are cached. */
export function createSightingHashes(): SightingHashes {
  const products = createCache<ProductHashes>();
  const networks = createCache<string>();
  return {
    product(productId, values) {
      // With their lengths: texts that are divided in other places are others.
      let text = `${productId.length}:${productId}`;
      for (const value of values) text += `${value.length}:${value}`;
      return products(text, () => hashProduct(productId, values));
    },
    visitor: (visitorId) => shortHash(visitorId, VISITOR_CHARS),
    network: (network) => networks(network, () => shortHash(network, NETWORK_CHARS)),
  };
}

/** The hash of a product id, and the slot that it falls into. */
export function placeOf(productId: string): Place {
  const digest = hash("sha256", productId, "buffer");
  return {
    key: digest.toString("base64url").slice(0, VALUE_CHARS),
    slot: String(digest.readUInt32BE(SLOT_AT) % SLOTS),
  };
}

function hashProduct(productId: string, values: readonly string[]): ProductHashes {
  const { key, slot } = placeOf(productId);
  const hashes = values.map((value, field) => (value === "" ? "" : shortHash(`${key} ${field} ${value}`, VALUE_CHARS)));
  return { key, slot, values: hashes };
}

function shortHash(text: string, chars: number): string {
  return hash("sha256", text, "base64url").slice(0, chars);
}

/** Keeps what was asked lately, in two halves: a full one becomes the older one, and what it was is forgotten. */
function createCache<T>(): (text: string, make: () => T) => T {
  let newer = new Map<string, T>();
  let older = new Map<string, T>();
  return (text, make) => {
    const known = newer.get(text);
    if (known !== undefined) return known;
    const value = older.get(text) ?? make();
    if (text.length > CACHED_CHARS) return value;
    if (newer.size >= CACHED) {
      older = newer;
      newer = new Map();
    }
    newer.set(text, value);
    return value;
  };
}
