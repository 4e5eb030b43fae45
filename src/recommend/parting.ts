import type { Product } from "../domain/product.js";
import type { List, ServingModel, SourceQuery } from "../model/source.js";
import type { Catalog } from "./selection.js";
import { categoryOf } from "./substitutes.js";

/** Most probable that chance alone makes a rule by which products are said to be bought together. */
const MOST_CHANCE = 0.01;

/**
 * What `recommended` proposes beside `alternative`, in the order given: what `alternative` would show of the narrowest
 * category of what is viewed is left to it, the rest of that category comes last; without what is viewed itself and what
 * is bought together with it, which keep their places. Visitors go on to substitutes more often than to complements, so
 * that what is met next would take them all. Where there are no categories nothing tells the two apart, and `recommended`
 * has the first choice. May be read again and again, and is made as far as it is read.
 *
 * @param proposals What `recommended` would show.
 * @param viewed What alternatives are wanted to.
 * @param alternatives What `alternative` would show.
 * @param isTogether Whether a product is bought together with what is viewed.
 */
export function besideAlternative(
  proposals: readonly string[],
  viewed: readonly Product[],
  alternatives: readonly string[],
  catalog: Pick<Catalog, "get">,
  isTogether: (productId: string) => boolean,
): Iterable<string> {
  if (alternatives.length === 0) return proposals;
  const categories = new Set(viewed.map(categoryOf).filter((category) => category !== undefined));
  if (categories.size === 0) return proposals;
  const isOfCategory = (product: Product | undefined) => {
    const category = product && categoryOf(product);
    return category !== undefined && categories.has(category);
  };
  const isViewed = (productId: string) => viewed.some((product) => product.productId === productId);
  const left = new Set(alternatives);
  return {
    *[Symbol.iterator]() {
      const last: string[] = [];
      for (const productId of proposals) {
        const isSubstitute = isOfCategory(catalog.get(productId)) && !isViewed(productId) && !isTogether(productId);
        if (!isSubstitute) yield productId;
        else if (!left.has(productId)) last.push(productId);
      }
      yield* last;
    },
  };
}

/** Whether a rule says that a product is ordered together with what alternatives are wanted to, and not by chance. */
export function isBoughtTogether({ sources, indexOf }: ServingModel, query: SourceQuery, productId: string): boolean {
  const index = indexOf(productId);
  const rules = sources.find(({ name }) => name === "association_rules");
  if (index === undefined || rules === undefined) return false;
  try {
    const { lift = 0, chance = 1 } =
      rules.explain({ ...query, antecedents: query.anchor }, "recommended", index)?.counts ?? {};
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
