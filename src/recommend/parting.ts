import type { Product } from "../domain/product.js";
import type { Catalog } from "./selection.js";
import { categoryOf } from "./substitutes.js";

/**
 * Which of the products that both lists would show are left to `alternative`: those of the narrowest category of what is
 * viewed. Where categories tell nothing, those that stand no later there than in `recommended`. Visitors go on to
 * substitutes more often than to complements, so that what is met next would take them all.
 *
 * @param viewed What alternatives are wanted to.
 * @param alternatives What `alternative` would show, best first.
 * @param placeOf Place of a product in `recommended`, from 0; -1 when it is not proposed there.
 */
export function leftToAlternative(
  viewed: readonly Product[],
  alternatives: readonly string[],
  placeOf: (productId: string) => number,
  catalog: Pick<Catalog, "get">,
): ReadonlySet<string> {
  const categories = new Set(viewed.map(categoryOf).filter((category) => category !== undefined));
  const isLeft = (productId: string, place: number) => {
    const product = catalog.get(productId);
    const category = product && categoryOf(product);
    return categories.size > 0 && category !== undefined ? categories.has(category) : place <= placeOf(productId);
  };
  return new Set(alternatives.filter(isLeft));
}
