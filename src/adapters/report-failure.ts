/** Places where an error may shorten an answer, or delay work, without failing the call. */
export const FAILURE_PLACES = [
  "candidates",
  "explanation",
  "bought_together",
  "new_products",
  "frame",
  "visitor_history",
  "counted_popularity",
  "live_events",
  "live_refresh",
  "frame_counts",
  "rejected_events",
  "catalogue_load",
  "model_load",
  "sender_limit",
  "store_upkeep",
  "store_watch",
  "store_commit",
  "product_listener",
  "secrets",
  "operations",
] as const;

export type FailurePlace = (typeof FAILURE_PLACES)[number];

/** Reports an error after which the call continues. */
export type ReportFailure = (place: FailurePlace, error: unknown) => void;
