import type { Product } from "../domain/product.js";
import type { List, ServingModel, SourceQuery } from "../model/source.js";
import type { Catalog } from "./selection.js";
import { categoryOf } from "./substitutes.js";

/**
 * Which of the products that both lists would show are left to `alternative`: those of the narrowest category of what is
 * viewed, without that itself and without what is bought together with it. Visitors go on to substitutes more often than
 * to complements, so that what is met next would take them all. Where there are no categories nothing tells the two
 * apart, and `recommended` has the first choice.
 *
 * @param viewed What alternatives are wanted to.
 * @param alternatives What `alternative` would show.
 * @param together What is bought together with what is viewed.
 */
export function leftToAlternative(
  viewed: readonly Product[],
  alternatives: readonly string[],
  catalog: Pick<Catalog, "get">,
  together: ReadonlySet<string>,
): ReadonlySet<string> {
  const categories = new Set(viewed.map(categoryOf).filter((category) => category !== undefined));
  const left = new Set<string>();
  if (categories.size === 0) return left;
  for (const productId of alternatives) {
    const product = catalog.get(productId);
    const category = product && categoryOf(product);
    if (category !== undefined && categories.has(category)) left.add(productId);
  }
  for (const { productId } of viewed) left.delete(productId);
  for (const productId of together) left.delete(productId);
  return left;
}

/** Products that rules say are bought together with what the visitor has or views, the `k` best. */
export function boughtTogether({ sources, productIds }: ServingModel, query: SourceQuery, k: number): Set<string> {
  const rules = sources.find(({ name }) => name === "association_rules");
  try {
    return new Set(Array.from(rules?.complements(query, k).indices ?? [], (index) => productIds[index]!));
  } catch {
    return new Set();
  }
}

/**
 * How many products `recommended` takes: in a shop too small for both lists it leaves `alternative` its share of what
 * belongs there.
 *
 * @param counts How many each list is to show.
 * @param substitutes How many products belong into `alternative`.
 * @param available How many there are for both, at most as many as are wanted.
 */
export function recommendedShare(
  counts: Readonly<Record<List, number>>,
  substitutes: number,
  available: number,
): number {
  const wanted = counts.recommended + counts.alternative;
  if (available >= wanted) return counts.recommended;
  const due = Math.min(substitutes, Math.floor((available * counts.alternative) / wanted));
  return Math.min(counts.recommended, available - due);
}
