import { check, checkAll } from "./errors.js";
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
  const { min, max, currency } = filter.price ?? { min: "", max: "", currency: "" };
  const ends = [
    ["min", min],
    ["max", max],
  ] as const;
  const isAbove = min === "" || max === "" || !(Number(max) < Number(min));
  const isCurrency = /^([A-Za-z]{3})?$/.test(currency);
  checkAll(
    ...lists.map(([field, list, most]) => check(list.length <= most, `${path}.${field}`, "invalid", `at most ${most}`)),
    ...ends.map(([field, end]) =>
      check(
        end === "" || isDecimal(end),
        `${path}.price.${field}`,
        "invalid",
        "decimal text with a dot, for example 149.99",
      ),
    ),
    check(isAbove, `${path}.price.max`, "invalid", "not below min"),
    check(isCurrency, `${path}.price.currency`, "invalid", "a code of three letters, for example EUR"),
  );
}
