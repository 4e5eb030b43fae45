import { createHash } from "node:crypto";
import type { ProductCategory } from "../../gen/aisle/v1/product_pb.js";
import { textOf } from "./scalars.js";

const MAX_ID_BYTES = 255;
const DIGEST_CHARS = 16;
const HEAD_CHARS = 50;

/** A level of a category path: `name` within the levels before it. */
function level(categoryId: string, name: string): ProductCategory {
  return { $typeName: "aisle.v1.ProductCategory", categoryId, name };
}

/** The levels of a category given as a list, broad to narrow, or as text parted by `>`, else by `/`. */
function levelsOf(value: unknown, field: string): string[] {
  const parts: unknown[] = Array.isArray(value) ? value : splitPath(textOf(value, field));
  return parts.map((part) => textOf(part, field)).filter((part) => part !== "");
}

function splitPath(text: string): string[] {
  return text.split(text.includes(">") ? ">" : "/");
}

/**
 * A path whose levels are known by their own texts: each is the id and the name of its level.
 * @throws BadLine
 */
export function readCategories(value: unknown): ProductCategory[] {
  return levelsOf(value, "category").map((name) => level(name, name));
}

/**
 * Categories of a path in a feed. The id of a level is the path down to it: so shoes for women and shoes for men differ,
 * and an id stays the same from feed to feed. A path too long for an id becomes its beginning and a digest. A number
 * (`google_product_category` 187) is one id.
 * @throws BadLine
 */
export function readCategoryPath(value: unknown, field: string): ProductCategory[] {
  const names = levelsOf(value, field);
  return names.map((name, at) => level(pathId(names.slice(0, at + 1).join(" > ")), name));
}

function pathId(path: string): string {
  if (Buffer.byteLength(path) <= MAX_ID_BYTES) return path;
  const digest = createHash("sha256").update(path).digest("hex").slice(0, DIGEST_CHARS);
  return `${path.slice(0, HEAD_CHARS).replace(/[\uD800-\uDBFF]$/, "")}… ${digest}`;
}
