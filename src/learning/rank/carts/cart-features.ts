/**
 * The numbers a cart ranking knows of a candidate, in the order of a row's columns. Of each source the sum over the
 * products asked with, the most that one of them says, and the rank among the candidates; then sales, of the candidate
 * (shares of orders, days since the first and the last) and of what was asked with; last the customer's own purchases.
 */
export const CART_FEATURES = [
  "ridge",
  "ridge_share",
  "ridge_rank",
  "ridge_most",
  "ridge_last",
  "neighbours",
  "neighbours_share",
  "neighbours_rank",
  "confidence",
  "confidence_rank",
  "cosine",
  "cosine_most",
  "antecedents",
  "near",
  "near_most",
  "near_rank",
  "asked_with",
  "overall",
  "days_90",
  "days_30",
  "days_7",
  "trend_30",
  "trend_7",
  "first_days",
  "last_days",
  "asked_overall",
  "asked_trend",
  "times_bought",
  "days_since_bought",
  "orders",
] as const;
