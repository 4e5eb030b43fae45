/** What a merchant says of a frame's order and contents. */

/** Conditions of a boost. */
export const BOOST_CONDITIONS = ["group", "attribute", "margin", "stock", "age"] as const;
export type BoostCondition = (typeof BOOST_CONDITIONS)[number];

/** The score of a product that meets the condition counts `factor` times: above 1 it rises, below 1 it sinks. */
export interface Boost {
  readonly factor: number;
  readonly condition: BoostCondition;
  /** Name of a group or attribute; "" for others. */
  readonly name: string;
  /** Value of an attribute; "" for others. */
  readonly value: string;
  /** Ends of a range, both included; null for no end. Margin as a share of the price, stock in pieces, age in days. */
  readonly min: number | null;
  readonly max: number | null;
}

/** What a product has to be beside the product that is viewed. */
export const RELATIVE_FILTERS = ["same_brand", "same_category", "dearer", "cheaper"] as const;
export type RelativeFilter = (typeof RELATIVE_FILTERS)[number];

export interface FrameRules {
  readonly boosts: readonly Boost[];
  /** All of them must hold; none does anything where no product is viewed. */
  readonly relative: readonly RelativeFilter[];
  /** Attributes that have to be those of the product viewed. */
  readonly sameAttributes: readonly string[];
  /** Most products of one brand in a list; 0 for any number. */
  readonly maxPerBrand: number;
  /** Most products of one narrowest category in a list; 0 for any number. */
  readonly maxPerCategory: number;
}

export const NO_RULES: FrameRules = {
  boosts: [],
  relative: [],
  sameAttributes: [],
  maxPerBrand: 0,
  maxPerCategory: 0,
};
