import { isLabel, PRODUCT_FIELDS, type ProductField } from "./product-row.js";
import { isEmpty, type Row } from "./rows.js";

const SALE = ["sale_price", "sale_start_time", "sale_end_time"];

/** Paths of an update mask, by the fields of a file that feed them. */
const PATHS: Readonly<Partial<Record<ProductField, readonly string[]>>> = {
  title: ["title"],
  description: ["description"],
  category: ["categories"],
  product_type: ["categories"],
  google_product_category: ["categories"],
  brand: ["brand"],
  sku: ["sku"],
  variant_group_id: ["variant_group_id"],
  url: ["url"],
  image_url: ["image_url"],
  availability: ["availability"],
  tags: ["tags"],
  cost_of_goods: ["cost_of_goods"],
  stock: ["stock"],
  price: ["price"],
  sale_price: SALE,
  availability_date: ["display_start_time"],
  valid_from: ["display_start_time"],
  expiration_date: ["display_end_time"],
  valid_until: ["display_end_time"],
};

/** All of a product but `hidden`, which feeds do not say. */
const WHOLE: readonly string[] = [...new Set(Object.values(PATHS).flat()), "attributes"];

const PRICES_AND_STOCK: readonly ProductField[] = [
  "price",
  "sale_price",
  "cost_of_goods",
  "availability",
  "stock",
  "valid_from",
  "valid_until",
];
const TEXTS: readonly ProductField[] = [
  "title",
  "description",
  "category",
  "product_type",
  "google_product_category",
  "brand",
  "sku",
  "variant_group_id",
  "url",
  "image_url",
  "tags",
];

export interface NamedFields {
  /** Paths of an update mask for the fields that the file has of the product. */
  readonly paths: readonly string[];
  /** False for a line of prices and stock: it changes products and makes none. */
  readonly makesProducts: boolean;
}

/**
 * Finds the fields that a line of a file has, also empty ones. An item of an XML feed with a title is a whole product:
 * there an element without a value is left out. An unusable value, and an empty `availability`, leaves what is stored.
 */
export function namedFields(row: Row<ProductField>, leftOut: readonly ProductField[]): NamedFields {
  const { values, extras, isItem = false } = row;
  const has = (field: ProductField) => Object.hasOwn(values, field);
  const makesProducts = TEXTS.some(has) || !PRICES_AND_STOCK.some(has);
  if (isItem && has("title")) return { paths: WHOLE, makesProducts };
  const paths = new Set<string>();
  for (const field of PRODUCT_FIELDS.fields) {
    if (!has(field) || leftOut.includes(field)) continue;
    if (field === "availability" && isEmpty(values.availability)) continue;
    for (const path of PATHS[field] ?? []) paths.add(path);
    // An availability may be the number in stock.
    if (field === "availability" && /^\s*\d+\s*$/.test(String(values.availability))) paths.add("stock");
  }
  if (leftOut.includes("sale_price_effective_date")) for (const path of SALE) paths.delete(path);
  for (const [name] of extras) {
    if (isLabel(name)) paths.add("tags");
    else if (name !== "") paths.add(`attributes.${name}`);
  }
  return { paths: [...paths], makesProducts };
}
