/** Filters of a frame that compare products with the one being viewed. */
import type { FrameRules } from "../../domain/frame-rules.js";
import type { Product } from "../../domain/product.js";
import { brandGroup, NO_FILTER, type ProductFilter, priceOf } from "../../domain/product-filter.js";
import { categoryOf } from "../rank/substitutes.js";

export interface RelativeRules {
  /** What a filter of the shop's own words can say; it narrows the sources. */
  readonly filter: ProductFilter;
  /** The rest. */
  readonly passes: (product: Product) => boolean;
}

/** Undefined where the frame compares nothing, or no known product is viewed. What the product does not have is not compared. */
export function relativeRules(
  { relative, sameAttributes }: FrameRules,
  viewed: Product | undefined,
): RelativeRules | undefined {
  if (viewed === undefined || (relative.length === 0 && sameAttributes.length === 0)) return undefined;
  const category = categoryOf(viewed);
  const price = priceOf(viewed.price);
  const allGroups = [
    ...(relative.includes("same_brand") && viewed.brand !== "" ? [brandGroup(viewed.brand)] : []),
    ...(relative.includes("same_category") && category !== undefined ? [category] : []),
  ];
  const isDearer = relative.includes("dearer") && price !== undefined;
  const isCheaper = relative.includes("cheaper") && price !== undefined;
  const { amount, currency } = viewed.price;
  const range = { min: isDearer ? amount : "", max: isCheaper ? amount : "", currency };
  const attributes = sameAttributes
    .filter((name) => Object.hasOwn(viewed.attributes, name))
    .map((name) => [name, viewed.attributes[name]!] as const);
  return {
    filter: { ...NO_FILTER, allGroups, price: isDearer || isCheaper ? range : null },
    passes: (product) =>
      ((!isDearer && !isCheaper) || priceOf(product.price) !== price) &&
      attributes.every(
        ([name, value]) => Object.hasOwn(product.attributes, name) && product.attributes[name] === value,
      ),
  };
}
