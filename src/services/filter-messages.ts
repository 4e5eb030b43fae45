import type { MessageInitShape } from "@bufbuild/protobuf";
import { InvalidArgument } from "../domain/errors.js";
import { NO_FILTER, type ProductFilter } from "../domain/product-filter.js";
import {
  AvailabilityFilter,
  type RecommendationFilter,
  type RecommendationFilterSchema,
} from "../gen/aisle/v1/recommendation_filter_pb.js";

/** The filter of a message; an empty one if absent. Throws InvalidArgument for an unknown choice. */
export function filterOf(message: RecommendationFilter | undefined, path = "filter"): ProductFilter {
  if (message === undefined) return NO_FILTER;
  const { price } = message;
  return {
    anyGroup: message.anyGroupIds,
    allGroups: message.allGroupIds,
    noGroup: message.excludedGroupIds,
    excludeProductIds: message.excludedProductIds,
    price: price === undefined ? null : { min: price.min, max: price.max, currency: price.currency },
    availability: availabilityOf(message.availability, path),
  };
}

function availabilityOf(said: AvailabilityFilter, path: string): ProductFilter["availability"] {
  switch (said) {
    case AvailabilityFilter.UNSPECIFIED:
      return "";
    case AvailabilityFilter.IN_STOCK:
      return "in_stock";
    case AvailabilityFilter.ANY:
      return "any";
    default:
      throw new InvalidArgument(`${path}.availability`, "invalid", "IN_STOCK or ANY");
  }
}

const CHOICES = {
  "": AvailabilityFilter.UNSPECIFIED,
  in_stock: AvailabilityFilter.IN_STOCK,
  any: AvailabilityFilter.ANY,
} as const;

export function filterMessage(filter: ProductFilter): MessageInitShape<typeof RecommendationFilterSchema> {
  return {
    anyGroupIds: [...filter.anyGroup],
    allGroupIds: [...filter.allGroups],
    excludedGroupIds: [...filter.noGroup],
    excludedProductIds: [...filter.excludeProductIds],
    ...(filter.price !== null && { price: { ...filter.price } }),
    availability: CHOICES[filter.availability],
  };
}
