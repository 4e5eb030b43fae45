import { create } from "@bufbuild/protobuf";
import { Availability, type Product, type ProductCategory, ProductSchema } from "../../gen/aisle/v1/product_pb.js";
import type { FieldSet } from "./columns.js";
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
] as const;

export type ProductField = (typeof FIELDS)[number];

export const PRODUCT_FIELDS: FieldSet<ProductField> = {
  fields: FIELDS,
  aliases: { product_id: "id" },
  required: [["id"]],
};

/** A product as a line gives it, and which of its values were left out because nothing can be done with them. */
export interface ProductReading {
  readonly product: Product;
  /** Fields whose value was no http(s) address. The product is good without it. */
  readonly leftOut: readonly ProductField[];
}

/**
 * Extra columns become attributes. A category is a list, broad to narrow, or text parted by `>`, else by `/`; each
 * level's text is its id and its name.
 * @throws BadLine
 */
export function readProduct(row: Row<ProductField>, defaultCurrency: string): ProductReading {
  const { values } = row;
  const text = (field: ProductField) => textOf(values[field], field);
  const productId = text("id");
  if (productId === "") throw new BadLine("id: missing");
  const { amount, currency } = readAmount(text("price"), "price");
  const leftOut: ProductField[] = [];
  const address = (field: "url" | "image_url") => {
    const given = text(field);
    if (given === "" || /^https?:\/\/./i.test(given)) return given;
    leftOut.push(field);
    return "";
  };
  const attributes: Record<string, string> = Object.create(null);
  for (const [name, value] of row.extras) {
    const attribute = attributeText(value);
    if (name !== "" && attribute !== "") attributes[name] = attribute;
  }
  const product = create(ProductSchema, {
    productId,
    sku: text("sku"),
    variantGroupId: text("variant_group_id"),
    title: text("title"),
    description: text("description"),
    categories: readCategories(values.category),
    brand: text("brand"),
    url: address("url"),
    imageUrl: address("image_url"),
    availability: readAvailability(values.availability),
    tags: listOf(values.tags, "tags", /[|,]/),
    attributes,
    ...(amount && { price: { amount, currency: text("currency").toUpperCase() || currency || defaultCurrency } }),
  });
  return { product, leftOut };
}

function readCategories(value: unknown): ProductCategory[] {
  const levels = typeof value === "string" ? value.split(value.includes(">") ? ">" : "/") : value;
  return listOf(levels, "category", /\n/).map((name) => ({
    $typeName: "aisle.v1.ProductCategory",
    categoryId: name,
    name,
  }));
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
