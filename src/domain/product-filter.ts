import type { Money } from "./money.js";

/** What may be recommended; all of it must hold. Empty lists and "" say nothing. */
export interface ProductFilter {
  /** A product is in at least one of these groups. */
  readonly anyGroup: readonly string[];
  /** A product is in each of these. */
  readonly allGroups: readonly string[];
  /** A product is in none of these. */
  readonly noGroup: readonly string[];
  readonly excludeProductIds: readonly string[];
  /** Null: whatever it costs, also when that is not known. */
  readonly price: PriceRange | null;
  /** `any` includes products out of stock; "" leaves the choice to another filter or the frame. */
  readonly availability: "" | "in_stock" | "any";
}

/** Both ends included, decimal text with a dot; "" for no end, and for any currency. */
export interface PriceRange {
  readonly min: string;
  readonly max: string;
  readonly currency: string;
}

export const NO_FILTER: ProductFilter = {
  anyGroup: [],
  allGroups: [],
  noGroup: [],
  excludeProductIds: [],
  price: null,
  availability: "",
};

/** Most groups that a filter names in one list, and most products that it excludes. */
export const MAX_FILTER_GROUPS = 1000;
export const MAX_FILTER_EXCLUDED = 10_000;

/** A set of products that an app named: those of any category, brand or tag of it, and those it lists. */
export interface ProductGroup {
  readonly groupId: string;
  /** "" for none. */
  readonly title: string;
  readonly categoryIds: readonly string[];
  readonly brands: readonly string[];
  readonly tags: readonly string[];
  readonly productIds: readonly string[];
}

export const MAX_PRODUCT_GROUPS = 100;
/** Most categories, brands, tags and products that the groups of an app name together. */
export const MAX_GROUP_TERMS = 1000;

const BRAND = "brand:";

/** The group that the products of a brand are; brands are the same without regard to case. */
export function brandGroup(brand: string): string {
  return BRAND + brand.trim().toLowerCase();
}

/** The name a group goes by: the same text for every way to write a brand. */
export function groupName(groupId: string): string {
  return groupId.startsWith(BRAND) ? brandGroup(groupId.slice(BRAND.length)) : groupId;
}

/** The number of an amount; undefined when it is not known. */
export function priceOf({ amount }: Money): number | undefined {
  return amount === "" ? undefined : Number(amount);
}

/** True when a price is in the range; one that is not known, or of another currency, is not. */
export function isPricedWithin(price: Money, { min, max, currency }: PriceRange): boolean {
  const value = priceOf(price);
  if (value === undefined || (currency !== "" && !isCurrency(price.currency, currency))) return false;
  return (min === "" || value >= Number(min)) && (max === "" || value <= Number(max));
}

function isCurrency(a: string, b: string): boolean {
  return a === b || a.toUpperCase() === b.toUpperCase();
}
