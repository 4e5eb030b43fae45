/** The parts of the learned order of carts that can be left out. */
import type { CART_FEATURES } from "../../src/learning/rank/carts/features.js";

export type CartFeature = (typeof CART_FEATURES)[number];

/** What proposes candidates, as in `src/learning/rank/carts`. */
export const CART_PROPOSERS = ["ridge", "neighbours", "rules", "near", "bought", "selling"] as const;
export type CartProposer = (typeof CART_PROPOSERS)[number];

export interface CartPart {
  readonly name: string;
  readonly features: readonly CartFeature[];
  readonly proposers: readonly CartProposer[];
}

const part = (name: string, features: readonly CartFeature[], proposers: readonly CartProposer[] = []): CartPart => ({
  name,
  features,
  proposers,
});

export const CART_PARTS: readonly CartPart[] = [
  part("ridge weights", ["ridge", "ridge_share", "ridge_rank", "ridge_most", "ridge_last"], ["ridge"]),
  part("share and rank of ridge", ["ridge_share", "ridge_rank"]),
  part("most and last of ridge", ["ridge_most", "ridge_last"]),
  part("similar baskets", ["neighbours", "neighbours_share", "neighbours_rank"], ["neighbours"]),
  part("share and rank of baskets", ["neighbours_share", "neighbours_rank"]),
  part("rules", ["confidence", "confidence_rank", "cosine", "cosine_most", "antecedents"], ["rules"]),
  part("confidence", ["confidence", "confidence_rank"]),
  part("cosine", ["cosine", "cosine_most"]),
  part("antecedents", ["antecedents"]),
  part("products next to each other", ["near", "near_most", "near_rank"], ["near"]),
  part("size of the cart", ["asked_with"]),
  part("sales", ["overall", "days_90", "days_30", "days_7"]),
  part("sales of 90 and 7 days", ["days_90", "days_7"]),
  part("trends", ["trend_30", "trend_7"]),
  part("age", ["first_days", "last_days"]),
  part("sales of the cart's products", ["asked_overall", "asked_trend"]),
  part("purchases", ["times_bought", "days_since_bought", "orders"]),
  part("best sellers as candidates", [], ["selling"]),
];
