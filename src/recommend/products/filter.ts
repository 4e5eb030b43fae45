/** Which products the filters of a request and its frame let through, and where to look for them. */
import type { FrameConfiguration } from "../../domain/frame.js";
import type { FrameRules } from "../../domain/frame-rules.js";
import type { Product } from "../../domain/product.js";
import {
  brandGroup,
  groupName,
  isPricedWithin,
  NO_FILTER,
  type ProductFilter,
  type ProductGroup,
  priceOf,
} from "../../domain/product-filter.js";
import type { ServingModel } from "../../learning/sources/source.js";
import type { Catalog, Proposal } from "./catalog.js";
import { categoryOf } from "./product-table.js";

/** All filters of one request, as one. */
export interface PassingFilter {
  passes(product: Product): boolean;
  /** Upper bound of the products that pass. */
  readonly atMost: number;
  /** Ids of all products that pass; may hold others, and some twice. `atMost` ids. */
  ids(): Iterable<string>;
  /** All products that pass, when they are few enough to list; found once. */
  few(): FewProducts | undefined;
}

/** Products are few up to this number, or up to this share of the catalogue. */
const FEW = 2000;
const FEW_SHARE = 0.05;

/** The products of a group, in sets that may overlap. */
type Group = readonly ReadonlySet<string>[];

/**
 * Joins the groups and prices of all `filters`; undefined when none names any. Availability and products excluded by id are
 * left to `Selection`.
 *
 * @param named Groups that the app configured.
 * @param missing Receives the names of unknown groups.
 */
export function passingFilter(
  filters: readonly ProductFilter[],
  catalog: Pick<Catalog, "size" | "get" | "group" | "pricedWithin" | "ids" | "revision">,
  named: readonly ProductGroup[],
  missing: Set<string>,
  cache: FilterCache,
): PassingFilter | undefined {
  const used: ProductGroup[] = [];
  const groupOf = (groupId: string): Group => {
    const own = named.find((group) => group.groupId === groupId);
    if (own !== undefined) {
      used.push(own);
      return setsOf(own, catalog);
    }
    const group = catalog.group(groupName(groupId));
    if (group === undefined) missing.add(groupId);
    return group === undefined ? [] : [group];
  };
  const wanted = filters.flatMap(({ anyGroup, allGroups }) => [
    ...(anyGroup.length > 0 ? [anyGroup.flatMap(groupOf)] : []),
    ...allGroups.map(groupOf),
  ]);
  const unwanted = filters.flatMap(({ noGroup }) => noGroup.flatMap(groupOf));
  const prices = filters.flatMap(({ price }) => (price === null ? [] : [price]));
  if (wanted.length === 0 && unwanted.length === 0 && prices.length === 0) return undefined;

  const bands = prices.map((price) => catalog.pricedWithin(price));
  const narrowest = [...wanted, ...bands].reduce<Group | undefined>(
    (least, group) => (least === undefined || sizeOf(group) < sizeOf(least) ? group : least),
    undefined,
  );
  const passes = (product: Product) =>
    wanted.every((group) => isIn(product.productId, group)) &&
    !isIn(product.productId, unwanted) &&
    prices.every((range) => isPricedWithin(product.price, range));
  const atMost = narrowest === undefined ? catalog.size : sizeOf(narrowest);
  const ids = () => (narrowest === undefined ? catalog.ids() : allOf(narrowest));
  let found: FewProducts | undefined;
  const find = () => {
    const few = new Set<string>();
    for (const productId of ids()) {
      const product = catalog.get(productId);
      if (product !== undefined && passes(product)) few.add(productId);
    }
    return few;
  };
  const few = () => {
    if (atMost > Math.max(FEW, catalog.size * FEW_SHARE)) return undefined;
    found ??= cache(catalog, JSON.stringify([filters.map(keyOf), used]), find);
    return found;
  };
  return { passes, atMost, ids, few };
}

/** The part of a filter that decides which products pass. */
function keyOf({ anyGroup, allGroups, noGroup, price }: ProductFilter): readonly unknown[] {
  return [anyGroup, allGroups, noGroup, price];
}

/** The products of a group by its name: of a group that the app configured, else of a category, tag or brand. */
export function groupSets(
  groupId: string,
  named: readonly ProductGroup[],
  catalog: Pick<Catalog, "group">,
): readonly ReadonlySet<string>[] {
  const own = named.find((group) => group.groupId === groupId);
  if (own !== undefined) return setsOf(own, catalog);
  const group = catalog.group(groupName(groupId));
  return group === undefined ? [] : [group];
}

function setsOf({ categoryIds, brands, tags, productIds }: ProductGroup, catalog: Pick<Catalog, "group">): Group {
  const names = [...categoryIds, ...tags, ...brands.map((brand) => groupName(`brand:${brand}`))];
  const sets = names.map((name) => catalog.group(name)).filter((group) => group !== undefined);
  return productIds.length === 0 ? sets : [...sets, new Set(productIds)];
}

function isIn(productId: string, group: Group): boolean {
  for (const products of group) if (products.has(productId)) return true;
  return false;
}

function sizeOf(group: Group): number {
  return group.reduce((sum, products) => sum + products.size, 0);
}

function* allOf(group: Group): Generator<string> {
  for (const products of group) yield* products;
}

/**
 * True when products out of stock stay hidden. A filter that asks for stock decides, then the frame. A filter may readmit
 * such products unless the frame sets the rule explicitly.
 */
export function wantsInStock(
  filters: readonly ProductFilter[],
  frame: Pick<FrameConfiguration, "inStockOnly" | "stockSaid">,
): boolean {
  if (filters.some(({ availability }) => availability === "in_stock")) return true;
  return frame.inStockOnly && (frame.stockSaid || !filters.some(({ availability }) => availability === "any"));
}

/** The rules of a frame that compare products with the one being viewed. */
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

/** Filters kept for one catalogue; the least recently used is evicted. */
const MAX_KEPT = 20;
/** Longer filters are not cached. */
const MAX_KEY = 4096;

export interface FewIndices {
  /** By rising index. */
  readonly among: Uint32Array;
  has(productIndex: number): boolean;
}

/** The few products that a filter lets through, with what follows from them. Cached until the catalogue changes. */
export class FewProducts {
  #indices: { readonly model: ServingModel; readonly found: FewIndices } | undefined;
  #popular: { readonly model: ServingModel | undefined; readonly found: readonly Proposal[] } | undefined;

  constructor(readonly ids: ReadonlySet<string>) {}

  /** The products that the model knows. */
  indices(model: ServingModel): FewIndices {
    if (this.#indices?.model !== model) {
      const known = new Set<number>();
      for (const productId of this.ids) {
        const index = model.indexOf(productId);
        if (index !== undefined) known.add(index);
      }
      const found = { among: Uint32Array.from(known).sort(), has: (index: number) => known.has(index) };
      this.#indices = { model, found };
    }
    return this.#indices.found;
  }

  /** Most popular first, ties by id; products that the model does not know come last. */
  popular(model: ServingModel | undefined): readonly Proposal[] {
    if (this.#popular === undefined || this.#popular.model !== model)
      this.#popular = { model, found: sortedByPopularity(this.ids, model) };
    return this.#popular.found;
  }
}

/** The products of a filter from the cache, else from `find`. */
export type FilterCache = (
  catalog: { readonly revision?: number },
  key: string,
  find: () => ReadonlySet<string>,
) => FewProducts;

export function createFilterCache(): FilterCache {
  const byCatalog = new WeakMap<object, { readonly revision: number; readonly kept: Map<string, FewProducts> }>();
  return (catalog, key, find) => {
    const { revision } = catalog;
    if (revision === undefined || key.length > MAX_KEY) return new FewProducts(find());
    let entry = byCatalog.get(catalog);
    if (entry?.revision !== revision) {
      entry = { revision, kept: new Map() };
      byCatalog.set(catalog, entry);
    }
    const { kept } = entry;
    const few = kept.get(key) ?? new FewProducts(find());
    kept.delete(key);
    kept.set(key, few);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return few;
  };
}

export function sortedByPopularity(productIds: ReadonlySet<string>, model: ServingModel | undefined): Proposal[] {
  const unknown: string[] = [];
  const known: { readonly index: number; readonly productId: string; readonly score: number }[] = [];
  for (const productId of productIds) {
    const index = model?.indexOf(productId);
    if (model === undefined || index === undefined) unknown.push(productId);
    else known.push({ index, productId, score: model.popularity[index]! });
  }
  known.sort((a, b) => b.score - a.score || (a.productId < b.productId ? -1 : 1));
  return [...known.map(({ index }) => index), ...unknown.sort()];
}
