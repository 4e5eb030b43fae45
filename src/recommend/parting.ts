import type { Product } from "../domain/product.js";
import type { List, ServingModel, SourceQuery } from "../model/source.js";
import type { Catalog } from "./selection.js";
import { categoryOf } from "./substitutes.js";

/** Most probable that chance alone makes a rule by which products are said to be bought together. */
const MOST_CHANCE = 0.01;

/**
 * Which of the products that both lists would show are left to `alternative`: those of the narrowest category of what is
 * viewed, without that itself and without what is bought together with it. Visitors go on to substitutes more often than
 * to complements, so that what is met next would take them all. Where there are no categories nothing tells the two
 * apart, and `recommended` has the first choice.
 *
 * @param viewed What alternatives are wanted to.
 * @param alternatives What `alternative` would show.
 * @param isTogether Whether a product is bought together with what is viewed.
 */
export function leftToAlternative(
  viewed: readonly Product[],
  alternatives: readonly string[],
  catalog: Pick<Catalog, "get">,
  isTogether: (productId: string) => boolean,
): ReadonlySet<string> {
  const categories = new Set(viewed.map(categoryOf).filter((category) => category !== undefined));
  const isOfCategory = (product: Product | undefined) => {
    const category = product && categoryOf(product);
    return category !== undefined && categories.has(category);
  };
  const isViewed = (productId: string) => viewed.some((product) => product.productId === productId);
  const left = alternatives.filter(
    (productId) => isOfCategory(catalog.get(productId)) && !isViewed(productId) && !isTogether(productId),
  );
  return new Set(left);
}

/** Whether a rule says that a product is ordered together with what the visitor has or views, and not by chance. */
export function isBoughtTogether({ sources, indexOf }: ServingModel, query: SourceQuery, productId: string): boolean {
  const index = indexOf(productId);
  const rules = sources.find(({ name }) => name === "association_rules");
  if (index === undefined || rules === undefined) return false;
  try {
    const { lift = 0, chance = 1 } = rules.explain(query, "recommended", index)?.counts ?? {};
    return lift > 1 && chance <= MOST_CHANCE;
  } catch {
    return false;
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
