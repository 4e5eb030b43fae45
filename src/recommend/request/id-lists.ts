/**
 * Lists of ids that a page wrote as one text. Ids of categories from feeds are paths, and these may have commas: "Food,
 * Beverages & Tobacco > Beverages". Only the catalogue knows whether a comma separates.
 */
import { groupName, MAX_FILTER_GROUPS, type ProductGroup } from "../../domain/product-filter.js";
import type { ServingModel } from "../../learning/sources/source.js";
import type { Catalog } from "../products/catalog.js";
import type { RecommendQuery } from "./query.js";

/** Commas that one id may have and still be found among others. */
const MAX_COMMAS = 15;
/** Longer texts are no id. */
const MAX_ID = 255;

/** The query with those ids whose commas belong to them. */
export function withKnownIds(
  query: RecommendQuery,
  catalog: Pick<Catalog, "get" | "idOfSku" | "variantsOf" | "group">,
  model: Pick<ServingModel, "indexOf"> | undefined,
  groups: readonly ProductGroup[],
): RecommendQuery {
  const { sentLists, filter } = query;
  if (sentLists === undefined) return query;
  const isProduct = (id: string) =>
    catalog.get(id) !== undefined || catalog.variantsOf(id) !== undefined || model?.indexOf(id) !== undefined;
  const isCategory = (id: string) => catalog.group(id) !== undefined;
  const isGroup = (id: string) =>
    catalog.group(groupName(id)) !== undefined || groups.some(({ groupId }) => groupId === id);
  return {
    ...query,
    currentProductIds: knownIds(sentLists.currentProductIds, query.currentProductIds, isProduct),
    currentSkus: knownIds(sentLists.currentSkus, query.currentSkus, (sku) => catalog.idOfSku(sku) !== undefined),
    currentCategoryIds: knownIds(sentLists.currentCategoryIds, query.currentCategoryIds, isCategory),
    filter: { ...filter, anyGroup: knownIds(sentLists.anyGroup, filter.anyGroup, isGroup) },
  };
}

/** The ids of a text: the whole, else those that its parts make, the longest ones first. `ids` were read without knowing any. */
function knownIds(text: string, ids: readonly string[], isKnown: (id: string) => boolean): readonly string[] {
  const whole = text.trim();
  if (whole === "") return ids;
  if (whole.length <= MAX_ID && isKnown(whole)) return [whole];
  if (whole.includes("|")) return ids;
  const parts = whole.split(",", MAX_FILTER_GROUPS);
  const read = new Set(ids);
  const found: string[] = [];
  let joins = false;
  for (let start = 0; start < parts.length; ) {
    const end = endOfKnown(parts, start, isKnown);
    const isJoined = end > start + 1;
    const id = parts.slice(start, end).join(",").trim();
    if (isJoined || read.has(id)) found.push(id);
    joins ||= isJoined;
    start = end;
  }
  return joins ? found.slice(0, ids.length) : ids;
}

/** Where the longest known id that begins at `start` ends; after one part when none has a comma. */
function endOfKnown(parts: readonly string[], start: number, isKnown: (id: string) => boolean): number {
  for (let end = Math.min(parts.length, start + MAX_COMMAS + 1); end > start + 1; end--) {
    const id = parts.slice(start, end).join(",").trim();
    if (id.length <= MAX_ID && isKnown(id)) return end;
  }
  return start + 1;
}
