/**
 * Substitutes. `alternative` shows products that were viewed instead or have similar texts; those of the same category
 * and price come first.
 */
import type { Product } from "../../domain/product.js";
import type { ServingModel, SourceQuery } from "../../learning/sources/source.js";
import type { Catalog } from "../products/catalog.js";
import {
  categoryOf,
  factsOf,
  NO_CATEGORY,
  type NumberedFacts,
  type ProductFacts,
  type ProductTable,
} from "../products/product-table.js";

/** Prices are alike when the higher one is at most this many times the lower one. */
const PRICE_BAND = 2;
/**
 * What a product's score counts more by when it is of the category, and when it is priced alike. Price alone, on
 * catalogues judged without their categories (NDCG@10): 0.1 to 0.2 gain on three of four and leave the fourth where it
 * was; from 0.3 on two lose. Category weights from 0.25 to 1 do the same within the noise where visits are foretold.
 */
const SAME_CATEGORY = 0.5;
const PRICED_ALIKE = 0.15;

/** Most products that substitutes are sought for. */
const MAX_REPLACED = 5;

/** The products to find alternatives to: the current ones, otherwise the last one of the history. */
export function toReplace(
  current: readonly string[],
  asked: Pick<SourceQuery, "anchor"> | undefined,
  model: Pick<ServingModel, "productIds"> | undefined,
  catalog: Pick<Catalog, "get">,
): Product[] {
  const met = model && asked ? Array.from(asked.anchor, (index) => model.productIds[index]!) : [];
  return (current.length > 0 ? current : met)
    .slice(0, MAX_REPLACED)
    .map((productId) => catalog.get(productId))
    .filter((product) => product !== undefined);
}

/** Ids of all products in the narrowest categories of these; undefined when there are none. */
export function sameCategory(
  products: readonly Product[],
  catalog: Pick<Catalog, "group">,
): ReadonlySet<string> | undefined {
  const categories = new Set(products.map(categoryOf));
  const groups = [...categories].map((category) => (category === undefined ? undefined : catalog.group(category)));
  const [first, ...others] = groups.filter((group) => group !== undefined);
  if (first === undefined || others.length === 0) return first;
  const found = new Set(first);
  for (const group of others) for (const productId of group) found.add(productId);
  return found;
}

/** True when both have the same deepest category and similar prices; an unknown price excludes nothing. */
export function isSubstitute(product: Product, other: Product): boolean {
  const [facts, others] = [factsOf(product), factsOf(other)];
  return isSameCategory(facts, others) && pricedAlike(facts, others) !== false;
}

function isSameCategory(a: ProductFacts, b: ProductFacts): boolean {
  return a.category !== undefined && a.category === b.category;
}

/** Undefined when a price is not known or the currencies are not the same. */
function pricedAlike(a: ProductFacts, b: ProductFacts): boolean | undefined {
  if (a.price === undefined || b.price === undefined || a.currency !== b.currency) return undefined;
  return isInBand(a.price, b.price);
}

/** Always false for NaN. */
function isInBand(a: number, b: number): boolean {
  return Math.max(a, b) <= PRICE_BAND * Math.min(a, b);
}

/**
 * What the score of a model's product counts more by for being like one of `wanted` in category and price; undefined
 * where there is nothing to be like.
 *
 * @param wanted What alternatives are wanted to.
 */
export function likenessAmong(
  wanted: readonly Product[],
  table: ProductTable,
): ((productIndex: number) => number) | undefined {
  if (wanted.length === 0) return undefined;
  const others = wanted.map((product) => table.numbered(product));
  return (productIndex) => mostAlikeAt(productIndex, others, table);
}

/** What the score of a product counts more by for being like one of `wanted`, 1 or more. */
export function likenessTo(product: Product, wanted: readonly Product[]): number {
  return mostAlike(factsOf(product), wanted.map(factsOf));
}

function mostAlike(facts: ProductFacts, others: readonly ProductFacts[]): number {
  let most = 1;
  for (const other of others)
    most = Math.max(most, likeness(isSameCategory(facts, other), pricedAlike(facts, other) === true));
  return most;
}

/** The same of a model's product; 1 for one that the catalogue does not have. */
function mostAlikeAt(index: number, others: readonly NumberedFacts[], table: ProductTable): number {
  const category = table.category(index);
  const price = table.price(index);
  let most = 1;
  for (const other of others) {
    const isOfCategory = category !== NO_CATEGORY && category === other.category;
    const isPricedAlike = isInBand(price, other.price) && table.currency(index) === other.currency;
    most = Math.max(most, likeness(isOfCategory, isPricedAlike));
  }
  return most;
}

function likeness(isOfCategory: boolean, isPricedAlike: boolean): number {
  return 1 + (isOfCategory ? SAME_CATEGORY : 0) + (isPricedAlike ? PRICED_ALIKE : 0);
}
