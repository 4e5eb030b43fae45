import { InvalidArgument } from "./errors.js";
import { isDecimal } from "./money.js";
import { MAX_FILTER_EXCLUDED, MAX_FILTER_GROUPS, type ProductFilter } from "./product-filter.js";

/** Throws InvalidArgument that names the field, as an RPC caller writes it below `path`. */
export function checkFilter(filter: ProductFilter, path = "filter"): void {
  const lists = [
    ["any_group", filter.anyGroup, MAX_FILTER_GROUPS],
    ["all_groups", filter.allGroups, MAX_FILTER_GROUPS],
    ["no_group", filter.noGroup, MAX_FILTER_GROUPS],
    ["exclude_product_ids", filter.excludeProductIds, MAX_FILTER_EXCLUDED],
  ] as const;
  for (const [field, list, most] of lists)
    if (list.length > most) throw new InvalidArgument(`${path}.${field}`, "invalid", `at most ${most}`);
  if (filter.price === null) return;
  const { min, max, currency } = filter.price;
  const ends = [
    ["min", min],
    ["max", max],
  ] as const;
  for (const [field, end] of ends)
    if (end !== "" && !isDecimal(end))
      throw new InvalidArgument(`${path}.price.${field}`, "invalid", "decimal text with a dot, for example 149.99");
  if (min !== "" && max !== "" && Number(max) < Number(min))
    throw new InvalidArgument(`${path}.price.max`, "invalid", "not below min");
  if (currency !== "" && !/^[A-Za-z]{3}$/.test(currency))
    throw new InvalidArgument(`${path}.price.currency`, "invalid", "a code of three letters, for example EUR");
}
