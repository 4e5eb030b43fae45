/** A product as a page knows it. It needs `id` or `sku`; the rest is optional. */
export interface ProductInput {
  readonly id?: string;
  readonly sku?: string;
  readonly variantId?: string;
  readonly title?: string;
  readonly url?: string;
  readonly imageUrl?: string;
  readonly quantity?: number;
  readonly available?: boolean;
  /** Broad to narrow. */
  readonly categoryIds?: readonly string[];
  readonly categoryNames?: readonly string[];
  readonly brandId?: string;
  readonly brandName?: string;
}

export interface OrderInput {
  readonly orderId: string;
  readonly products: readonly ProductInput[];
  /** Decimal text or a number, for example `149.99`. */
  readonly total?: string | number;
  /** ISO 4217. */
  readonly currency?: string;
  readonly email?: string;
}

/** The list fields of POST /trace. A separator inside a text becomes a space, else the text would count as two. */
export function productFields(products: readonly ProductInput[]): Record<string, string> {
  const list = (text: (product: ProductInput) => string | undefined) => {
    const texts = products.map((product) => (text(product) ?? "").replaceAll("|", " "));
    return texts.every((one) => one === "") ? "" : texts.join("|");
  };
  const levels = (texts: readonly string[] | undefined) => texts?.map((one) => one.replaceAll("~", " ")).join("~");
  const fields = {
    product_ids: list(({ id }) => id),
    product_skus: list(({ sku }) => sku),
    product_variant_ids: list(({ variantId }) => variantId),
    product_titles: list(({ title }) => title),
    product_images: list(({ imageUrl }) => imageUrl?.replaceAll("|", "%7C")),
    product_urls: list(({ url }) => url?.replaceAll("|", "%7C")),
    product_counts: list(({ quantity }) => (quantity === undefined ? "" : String(quantity))),
    product_availability: list(({ available }) => (available === undefined ? "" : available ? "1" : "0")),
    product_category_ids: list(({ categoryIds }) => levels(categoryIds)),
    product_category_names: list(({ categoryNames }) => levels(categoryNames)),
    product_brand_ids: list(({ brandId }) => brandId),
    product_brand_names: list(({ brandName }) => brandName),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

export function orderFields({ orderId, products, total, currency, email }: OrderInput): Record<string, string> {
  return {
    order_id: orderId,
    ...productFields(products),
    ...(total !== undefined && { order_payment_value: String(total) }),
    ...(currency !== undefined && { order_currency: currency }),
    ...(email !== undefined && { email }),
  };
}
