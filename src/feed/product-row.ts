import { create } from "@bufbuild/protobuf";
import { type Amount, readAmount as amountIn } from "../amounts/amount.js";
import { Availability, type Product, type ProductCategory, ProductSchema } from "../gen/aisle/v1/product_pb.js";
import { readCategories, readCategoryPath } from "./category-path.js";
import type { FieldSet } from "./columns.js";
import { saleRuns } from "./sale.js";
import { readAmount, textOf } from "./scalars.js";
import { BadLine, type Row } from "./source.js";

const FIELDS = [
  "id",
  "title",
  "description",
  "category",
  "price",
  "currency",
  "image_url",
  "url",
  "sku",
  "brand",
  "availability",
  "tags",
  "variant_group_id",
  "product_type",
  "google_product_category",
  "sale_price",
  "sale_price_effective_date",
] as const;

export type ProductField = (typeof FIELDS)[number];

/** Names of Google's product data specification stand beside our own. */
export const PRODUCT_FIELDS: FieldSet<ProductField> = {
  fields: FIELDS,
  aliases: {
    product_id: "id",
    link: "url",
    image_link: "image_url",
    item_group_id: "variant_group_id",
  },
  required: [["id"]],
  foreign: {
    columns: ["order_id", "orderid", "order_number", "invoice", "visitor", "action_type"],
    meantFor: "aisle import events",
  },
};

/** A product as a line gives it, and which of its values were left out because nothing can be done with them. */
export interface ProductReading {
  readonly product: Product;
  /** The product is good without them: addresses that are no http(s) ones, a sale price that is no amount. */
  readonly leftOut: readonly ProductField[];
}

/** What catalogues take; longer texts are cut, further attributes left out. */
const MAX_TITLE = 1024;
const MAX_DESCRIPTION = 32_768;
const MAX_URL = 2048;
const MAX_LISTED = 100;

/** Half of a character that a cut left behind. */
const LONE_END = /[\uD800-\uDBFF]$/;

const LABEL = /^(g:)?custom[_ ]label[_ ]\d$/i;

/**
 * Extra columns become attributes, Google's custom labels tags. A category is a list, broad to narrow, or text parted by
 * `>`, else by `/`; each level's text is its id and its name. Of `product_type`, which stands in for it, as of
 * `google_product_category`, the id of a level is the path down to it. While a sale runs its price is the price, and the
 * other one the attribute `regular_price`.
 * @param nowMs the time that decides whether a sale runs
 * @throws BadLine
 */
export function readProduct(row: Row<ProductField>, defaultCurrency: string, nowMs: number): ProductReading {
  const { values } = row;
  const text = (field: ProductField) => textOf(values[field], field);
  const productId = text("id");
  if (productId === "") throw new BadLine("id: missing");
  const leftOut: ProductField[] = [];
  const address = (field: "url" | "image_url") => {
    const given = text(field);
    if (given === "" || (/^https?:\/\/./i.test(given) && given.length <= MAX_URL && URL.canParse(given))) return given;
    leftOut.push(field);
    return "";
  };
  const { price, regular } = readPrice(row, defaultCurrency, nowMs, leftOut);
  const labels: string[] = [];
  const attributes: Record<string, string> = Object.create(null);
  if (regular !== "") attributes.regular_price = regular;
  let attributeCount = regular === "" ? 0 : 1;
  for (const [name, value] of row.extras) {
    const attribute = attributeText(value);
    if (name === "" || attribute === "") continue;
    if (LABEL.test(name)) labels.push(attribute);
    else if (attributeCount < MAX_LISTED) {
      if (!(name in attributes)) attributeCount += 1;
      attributes[name] = attribute;
    }
  }
  const product = create(ProductSchema, {
    productId,
    sku: text("sku"),
    variantGroupId: text("variant_group_id"),
    title: cut(text("title"), MAX_TITLE),
    description: cut(text("description"), MAX_DESCRIPTION),
    categories: categoriesOf(values).slice(0, MAX_LISTED),
    brand: cut(text("brand"), MAX_TITLE),
    url: address("url"),
    imageUrl: address("image_url"),
    availability: readAvailability(values.availability),
    tags: [...new Set([...listOf(values.tags, "tags", /[|,]/), ...labels])],
    attributes,
    ...(price && { price }),
  });
  return { product, leftOut };
}

function categoriesOf(values: Row<ProductField>["values"]): ProductCategory[] {
  for (const field of ["category", "product_type", "google_product_category"] as const) {
    const read = field === "category" ? readCategories(values[field]) : readCategoryPath(values[field], field);
    if (read.length > 0) return read;
  }
  return [];
}

/** The price, and the one without the sale as text when a sale runs. */
function readPrice(
  { values, currency: fileCurrency = "" }: Row<ProductField>,
  defaultCurrency: string,
  nowMs: number,
  leftOut: ProductField[],
): { readonly price: { amount: string; currency: string } | undefined; readonly regular: string } {
  const text = (field: ProductField) => textOf(values[field], field);
  const money = ({ amount, currency }: Amount) => ({
    amount,
    currency: text("currency").toUpperCase() || currency || defaultCurrency || fileCurrency,
  });
  const regular = readAmount(text("price"), "price");
  const price = regular.amount === "" ? undefined : money(regular);
  const saleText = text("sale_price");
  if (saleText === "") return { price, regular: "" };
  const sale = amountIn(saleText);
  if (sale === undefined || sale.amount.startsWith("-")) {
    leftOut.push("sale_price");
    return { price, regular: "" };
  }
  if (!saleRuns(text("sale_price_effective_date"), nowMs)) return { price, regular: "" };
  return {
    price: money(sale.currency === "" ? { ...sale, currency: regular.currency } : sale),
    regular: regular.amount,
  };
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(LONE_END, "");
}

/** Texts of a list, or of a text parted by `marks`, without empty ones. */
function listOf(value: unknown, field: string, marks: RegExp): string[] {
  const parts: unknown[] = Array.isArray(value) ? value : textOf(value, field).split(marks);
  return parts.map((part) => textOf(part, field)).filter((part) => part !== "");
}

const IN_STOCK = /^(in ?stock|available|true|yes|y|pre ?order|back ?order|limited availability|[1-9]\d*)$/;
const OUT_OF_STOCK = /^(out ?of ?stock|sold ?out|unavailable|not available|discontinued|false|no|n|0|-\d+)$/;

/** Understands feed words (`in_stock`, `OutOfStock`, schema.org addresses), yes and no, and a number in stock. */
function readAvailability(value: unknown): Availability {
  const given = textOf(value, "availability");
  const words = given
    .replace(/^.*\//, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/[_\s-]+(?=\D)/g, " ");
  if (words === "") return Availability.UNSPECIFIED;
  if (IN_STOCK.test(words)) return Availability.IN_STOCK;
  if (OUT_OF_STOCK.test(words)) return Availability.OUT_OF_STOCK;
  throw new BadLine("availability: in_stock, out_of_stock, yes, no or a number in stock is accepted");
}

function attributeText(value: unknown): string {
  if (Array.isArray(value)) {
    return value
      .map(attributeText)
      .filter((part) => part !== "")
      .join(", ");
  }
  return typeof value === "object" && value !== null ? JSON.stringify(value) : textOf(value, "attribute");
}
