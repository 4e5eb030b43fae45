import type { MessageInitShape } from "@bufbuild/protobuf";
import { AvailabilityFilter, type RecommendationFilterSchema } from "../gen/aisle/v1/recommendation_filter_pb.js";

/** The typed options of a filter. */
export interface FilterOptions {
  readonly group?: readonly string[];
  readonly allGroups?: readonly string[];
  readonly withoutGroup?: readonly string[];
  readonly exclude?: readonly string[];
  readonly minPrice?: string;
  readonly maxPrice?: string;
  readonly currency?: string;
  readonly outOfStock?: boolean;
}

export function filterOf(options: FilterOptions): MessageInitShape<typeof RecommendationFilterSchema> {
  const { minPrice: min = "", maxPrice: max = "", currency = "" } = options;
  return {
    anyGroupIds: [...(options.group ?? [])],
    allGroupIds: [...(options.allGroups ?? [])],
    excludedGroupIds: [...(options.withoutGroup ?? [])],
    excludedProductIds: [...(options.exclude ?? [])],
    ...(min + max !== "" && { price: { min, max, currency } }),
    ...(options.outOfStock && { availability: AvailabilityFilter.ANY }),
  };
}
