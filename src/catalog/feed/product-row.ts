import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Availability, type Product, type ProductCategory, ProductSchema } from "../../gen/aisle/v1/product_pb.js";
import { type Amount, readAmount as amountIn } from "../../parse/amount.js";
import { readCategories, readCategoryPath } from "./category-path.js";
import type { FieldSet } from "./columns.js";
import { BadLine, type Row } from "./rows.js";
import { readAmount, textOf } from "./scalars.js";

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
  "availability_date",
  "expiration_date",
  "valid_from",
  "valid_until",
  "cost_of_goods",
  "stock",
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
    cost_of_goods_sold: "cost_of_goods",
    quantity: "stock",
    sell_on_google_quantity: "stock",
  },
  required: [["id"]],
  foreign: {
    columns: ["order_id", "orderid", "order_number", "invoice", "visitor", "action_type"],
    meantFor: "aisle import events",
  },
};

/** The product of a line, and the fields whose values were unusable. */
export interface ProductReading {
  readonly product: Product;
  /** Left out of a valid product: addresses other than http(s), a sale price that is no amount, unreadable times. */
  readonly leftOut: readonly ProductField[];
}

/** Limits of the catalogue: longer texts are cut, further attributes left out. */
const MAX_TITLE = 1024;
const MAX_DESCRIPTION = 32_768;
const MAX_URL = 2048;
const MAX_LISTED = 100;

/** The first half of a surrogate pair, left by a cut. */
const LONE_END = /[\uD800-\uDBFF]$/;

/** Whether a column becomes a tag. */
export function isLabel(column: string): boolean {
  return /^(g:)?custom[_ ]label[_ ]\d$/i.test(column);
}

/**
 * Makes a product of a line. Extra columns become attributes, Google's custom labels become tags. `category` is a list, broad
 * to narrow, or a text split at `>`, else at `/`; a level's text is its id and its name. Without it `product_type` or
 * `google_product_category` serves; there a level's id is the path down to it.
 * @throws BadLine
 */
export function readProduct(row: Row<ProductField>, defaultCurrency: string): ProductReading {
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
  const time = (field: ProductField): { readonly at?: Timestamp } => {
    const given = text(field);
    if (given === "") return {};
    const ms = timeMs(given);
    if (!Number.isNaN(ms)) return { at: timestampFromMs(ms) };
    leftOut.push(field);
    return {};
  };
  // What can be ordered before it is in stock is shown before that day.
  const isOrderedAhead = ORDERED_AHEAD.test(wordsOf(text("availability")));
  const availableAt = time("availability_date").at;
  const validFrom = time("valid_from").at ?? (isOrderedAhead ? undefined : availableAt);
  const validUntil = time("valid_until").at ?? time("expiration_date").at;
  const prices = readPrices(row, defaultCurrency, leftOut);
  const cost = readCost(row, prices.price?.currency || defaultCurrency, leftOut);
  const stock = readStock(text("stock"), text("availability"), leftOut);
  const labels: string[] = [];
  const attributes: Record<string, string> = Object.create(null);
  let attributeCount = 0;
  for (const [name, value] of row.extras) {
    const attribute = attributeText(value);
    if (name === "" || attribute === "") continue;
    if (isLabel(name)) labels.push(attribute);
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
    ...prices,
    ...(cost && { costOfGoods: cost }),
    ...(stock !== undefined && { stock }),
    ...(validFrom && { displayStartTime: validFrom }),
    ...(validUntil && { displayEndTime: validUntil }),
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

/** The price, and that of a sale with its time. */
function readPrices(
  { values, currency: fileCurrency = "" }: Row<ProductField>,
  defaultCurrency: string,
  leftOut: ProductField[],
): Pick<MessageInitShape<typeof ProductSchema>, "price" | "salePrice" | "saleStartTime" | "saleEndTime"> {
  const text = (field: ProductField) => textOf(values[field], field);
  const money = ({ amount, currency }: Amount) => ({
    amount,
    currency: text("currency").toUpperCase() || currency || defaultCurrency || fileCurrency,
  });
  const regular = readAmount(text("price"), "price");
  const price = regular.amount === "" ? {} : { price: money(regular) };
  const saleText = text("sale_price");
  if (saleText === "") return price;
  const sale = amountIn(saleText);
  if (sale === undefined || sale.amount.startsWith("-")) {
    leftOut.push("sale_price");
    return price;
  }
  const time = saleTime(text("sale_price_effective_date"));
  if (time === undefined) {
    leftOut.push("sale_price_effective_date");
    return price;
  }
  const salePrice = money(sale.currency === "" ? { ...sale, currency: regular.currency } : sale);
  return { ...price, salePrice, ...time };
}

function readCost(
  { values }: Row<ProductField>,
  currency: string,
  leftOut: ProductField[],
): { amount: string; currency: string } | undefined {
  const text = textOf(values.cost_of_goods, "cost_of_goods");
  if (text === "") return undefined;
  const cost = amountIn(text);
  if (cost === undefined || cost.amount.startsWith("-")) {
    leftOut.push("cost_of_goods");
    return undefined;
  }
  return { amount: cost.amount, currency: cost.currency || currency };
}

const MAX_STOCK = 2 ** 31 - 1;

/** A column of its own, or an availability that is a number. */
function readStock(text: string, availability: string, leftOut: ProductField[]): number | undefined {
  const given = text || (/^\d+$/.test(availability) ? availability : "");
  if (given === "") return undefined;
  const pieces = Number(given.replace(/[.,]0*$/, ""));
  if (/^-?\d+([.,]0*)?$/.test(given) && pieces <= MAX_STOCK) return Math.max(0, pieces);
  leftOut.push("stock");
  return undefined;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(LONE_END, "");
}

/** The texts of a list, or of a text split at `marks`, without empty ones. */
function listOf(value: unknown, field: string, marks: RegExp): string[] {
  const parts: unknown[] = Array.isArray(value) ? value : textOf(value, field).split(marks);
  return parts.map((part) => textOf(part, field)).filter((part) => part !== "");
}

const IN_STOCK = /^(in ?stock|available|true|yes|y|pre ?order|back ?order|limited availability|[1-9]\d*)$/;
const OUT_OF_STOCK = /^(out ?of ?stock|sold ?out|unavailable|not available|discontinued|false|no|n|0|-\d+)$/;

/** Understands feed words (`in_stock`, `OutOfStock`, schema.org addresses), yes and no, and a number in stock. */
function readAvailability(value: unknown): Availability {
  const words = wordsOf(textOf(value, "availability"));
  if (words === "") return Availability.UNSPECIFIED;
  if (IN_STOCK.test(words)) return Availability.IN_STOCK;
  if (OUT_OF_STOCK.test(words)) return Availability.OUT_OF_STOCK;
  throw new BadLine("availability: in_stock, out_of_stock, yes, no or a number in stock is accepted");
}

const ORDERED_AHEAD = /^(pre|back) ?order$/;

/** An availability in lower case, its words parted by spaces. */
function wordsOf(availability: string): string {
  return availability
    .replace(/^.*\//, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/[_\s-]+(?=\D)/g, " ");
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

/**
 * The time of a sale. `text` is Google's `sale_price_effective_date`: two ISO 8601 times with a slash between, such as
 * `2026-11-20T08:00+0100/2026-11-30T23:59+0100`. Without it the sale always runs; undefined for an unreadable one.
 */
function saleTime(text: string): { readonly saleStartTime?: Timestamp; readonly saleEndTime?: Timestamp } | undefined {
  if (text === "") return {};
  const [from, to, ...more] = text.split("/").map((part) => timeMs(part.trim()));
  if (from === undefined || to === undefined || more.length > 0 || !(from < to)) return undefined;
  return { saleStartTime: timestampFromMs(from), saleEndTime: timestampFromMs(to) };
}

/** NaN for any other text: comparisons with it are false. */
function timeMs(text: string): number {
  const [, date = "", time = "T00:00", zone = "Z"] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?\s*(Z|[+-]\d\d:?\d\d)?$/i.exec(text) ?? [];
  if (date === "") return Number.NaN;
  return Date.parse(`${date}T${time.replace("T", "")}${zone.replace(/^([+-]\d\d):?(\d\d)$/, "$1:$2").toUpperCase()}`);
}
