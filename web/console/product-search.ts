import type { Product } from "../../src/gen/aisle/v1/product_pb.js";

/** A page of the catalogue, and the token of the next, "" at the end. */
export interface CataloguePage {
  readonly products: readonly Product[];
  readonly nextPageToken: string;
}

export interface Found {
  readonly products: readonly Product[];
  /** Number of products read. */
  readonly looked: number;
  /** Token to continue with; "" when all were read. */
  readonly nextPageToken: string;
}

/** Whether the product has every word of `query` somewhere in its id, SKU, texts, categories or tags. */
export function matches(product: Product, query: string): boolean {
  const { productId, sku, title, brand, categories, tags } = product;
  const names = categories.flatMap(({ categoryId, name }) => [categoryId, name]);
  const text = [productId, sku, title, brand, ...names, ...tags].join("\n").toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/**
 * Reads the catalogue page by page until `enough` products match or it ends. There is no index: a catalogue of a
 * million products takes a thousand calls, so a search can be continued from its token.
 */
export async function searchProducts(
  read: (pageToken: string) => Promise<CataloguePage>,
  query: string,
  enough: number,
  from: Found = { products: [], looked: 0, nextPageToken: "" },
): Promise<Found> {
  const products = [...from.products];
  const wanted = products.length + enough;
  let { looked, nextPageToken } = from;
  do {
    const page = await read(nextPageToken);
    products.push(...page.products.filter((product) => matches(product, query)));
    looked += page.products.length;
    nextPageToken = page.nextPageToken;
  } while (nextPageToken !== "" && products.length < wanted);
  return { products, looked, nextPageToken };
}
