import type { Money } from "./money.js";

/** A filter; all conditions must hold. Empty lists and "" are no condition. */
export interface ProductFilter {
  /** A product is in at least one of these groups. */
  readonly anyGroup: readonly string[];
  /** A product is in each of these. */
  readonly allGroups: readonly string[];
  /** A product is in none of these. */
  readonly noGroup: readonly string[];
  readonly excludeProductIds: readonly string[];
  /** Null: any price, also an unknown one. */
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

/** Maximum groups in one list of a filter, and maximum excluded products. */
export const MAX_FILTER_GROUPS = 1000;
export const MAX_FILTER_EXCLUDED = 10_000;

/** A named set of products: those of its categories, brands and tags, and those it lists. */
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
/** Maximum categories, brands, tags and products over all groups of an app. */
export const MAX_GROUP_TERMS = 1000;

const BRAND = "brand:";

/** The group of a brand's products; brands ignore case. */
export function brandGroup(brand: string): string {
  return BRAND + brand.trim().toLowerCase();
}

/** The normalised name of a group: equal for every spelling of a brand. */
export function groupName(groupId: string): string {
  return groupId.startsWith(BRAND) ? brandGroup(groupId.slice(BRAND.length)) : groupId;
}

/** The number of an amount; undefined when unknown. */
export function priceOf({ amount }: Money): number | undefined {
  return amount === "" ? undefined : Number(amount);
}

/** True when a price is in the range; false for an unknown one and for another currency. */
export function isPricedWithin(price: Money, { min, max, currency }: PriceRange): boolean {
  const value = priceOf(price);
  if (value === undefined || (currency !== "" && !isCurrency(price.currency, currency))) return false;
  return (min === "" || value >= Number(min)) && (max === "" || value <= Number(max));
}

function isCurrency(a: string, b: string): boolean {
  return a === b || a.toUpperCase() === b.toUpperCase();
}
