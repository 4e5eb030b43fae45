import { type Product, type ProductCounts, webUrl } from "../domain/product.js";

/** A product in formats up to 4, which put learned products into the catalogue before enough visitors had sent them. */
export interface EarlierProduct extends Product {
  /** Number of visitors who sent it; undefined once it was confirmed, and for a product that was never counted. */
  readonly sentBy: number | undefined;
}

/**
 * The product in today's format, or the same object when nothing changes. Undefined when the product leaves the
 * catalogue, because too few visitors have sent it.
 */
export function repairedProduct(earlier: EarlierProduct, wanted: number): Product | undefined {
  const { sentBy, ...product } = earlier;
  if (product.origin === "event" && sentBy !== undefined && sentBy < wanted) return undefined;
  const url = webUrl(product.url);
  const imageUrl = webUrl(product.imageUrl);
  const isSame = sentBy === undefined && url === product.url && imageUrl === product.imageUrl;
  return isSame ? earlier : { ...product, url, imageUrl };
}

interface Owner {
  readonly productId: string;
  readonly origin: Product["origin"];
  readonly updatedAt: number;
}

/** Decides which product owns a SKU: products from a feed or RPC first, then the one changed last. Give it all products. */
export class SkuOwners {
  private readonly owners = new Map<string, Owner>();
  private counts: ProductCounts = { fed: 0, learned: 0 };

  /** Number of products seen. */
  get productCounts(): ProductCounts {
    return this.counts;
  }

  take({ productId, sku, origin, updatedAt }: Product): void {
    const { fed, learned } = this.counts;
    this.counts = origin === "catalog" ? { fed: fed + 1, learned } : { fed, learned: learned + 1 };
    if (sku === "") return;
    const before = this.owners.get(sku);
    const isBetter =
      before === undefined || (before.origin === origin ? updatedAt > before.updatedAt : origin === "catalog");
    if (isBetter) this.owners.set(sku, { productId, origin, updatedAt });
  }

  /** Every SKU with its owner. */
  entries(): IterableIterator<[string, Owner]> {
    return this.owners.entries();
  }

  isOwner({ productId, sku }: Product): boolean {
    return this.owners.get(sku)?.productId === productId;
  }
}

/** True when a SKU may stay with its indexed product, because no other product has a better claim. */
export function mayKeep(sku: string, indexed: Product | undefined, owner: Owner): boolean {
  if (indexed?.sku !== sku) return false;
  return indexed.productId === owner.productId || (owner.origin === "catalog" && indexed.origin === "catalog");
}
