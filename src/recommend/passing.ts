/** Which products a filter lets through, and where to look for them. */
import type { FrameConfiguration } from "../domain/frame.js";
import type { Product } from "../domain/product.js";
import { groupName, isPricedWithin, type ProductFilter, type ProductGroup } from "../domain/product-filter.js";
import type { FewCache, FewProducts } from "./few.js";
import type { Catalog } from "./selection.js";

/** What the filters of a request leave. */
export interface Passing {
  passes(product: Product): boolean;
  /** No more pass than so many. */
  readonly atMost: number;
  /** Ids that hold all that pass, perhaps others and some of them twice; `atMost` of them. */
  ids(): Iterable<string>;
  /** All that pass, when few do: then they are looked at one by one. Found once. */
  few(): FewProducts | undefined;
}

/** What few are: no more than this, or than this share of the catalogue. */
const FEW = 2000;
const FEW_SHARE = 0.05;

/** The products of a group, in sets that may share some. */
type Group = readonly ReadonlySet<string>[];

/**
 * What all of `filters` let through; undefined when they say nothing of groups and prices. What they exclude by name and
 * what they say of availability is not looked at.
 *
 * @param named Groups that the app named.
 * @param missing Takes the names of groups that are not there.
 */
export function passing(
  filters: readonly ProductFilter[],
  catalog: Pick<Catalog, "size" | "get" | "group" | "pricedWithin" | "products" | "revision">,
  named: readonly ProductGroup[],
  missing: Set<string>,
  cache: FewCache,
): Passing | undefined {
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
  const ids = () => (narrowest === undefined ? allIds(catalog) : allOf(narrowest));
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

/** What decides of a filter which products pass. */
function keyOf({ anyGroup, allGroups, noGroup, price }: ProductFilter): readonly unknown[] {
  return [anyGroup, allGroups, noGroup, price];
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

function* allIds(catalog: Pick<Catalog, "products">): Generator<string> {
  for (const { productId } of catalog.products()) yield productId;
}

/**
 * True when products out of stock are not to be shown: as one filter says so, else as the frame says; where the frame only
 * takes it so, a filter can readmit them.
 */
export function wantsInStock(
  filters: readonly ProductFilter[],
  frame: Pick<FrameConfiguration, "inStockOnly" | "stockSaid">,
): boolean {
  if (filters.some(({ availability }) => availability === "in_stock")) return true;
  return frame.inStockOnly && (frame.stockSaid || !filters.some(({ availability }) => availability === "any"));
}
