/** Products by the names that pages use: their own ids, or the id of the group that their variants share. */
import type { Product } from "../../domain/product.js";
import { standingVariant } from "../../domain/variant-group.js";
import type { ServingModel } from "../../learning/sources/source.js";
import type { Catalog } from "./catalog.js";

/** The id of a product, or of the variant that stands for a group; an unknown id as it is. */
export function productIdOf(name: string, catalog: Pick<Catalog, "get" | "variantsOf">): string {
  const variantIds = catalog.variantsOf(name);
  if (variantIds === undefined || catalog.get(name) !== undefined) return name;
  return standingVariant(variantIds) ?? name;
}

/** The ids that a name means: a product, or all variants of a group. */
export function productIdsOf(name: string, catalog: Pick<Catalog, "get" | "variantsOf">): Iterable<string> {
  if (catalog.get(name) !== undefined) return [name];
  return catalog.variantsOf(name) ?? [name];
}

/** Of the variants of a group those that `passes`, and of these the most popular one; of equal ones that of the lowest id. */
export function bestVariant(
  groupId: string,
  catalog: Pick<Catalog, "get" | "variantsOf">,
  model: Pick<ServingModel, "indexOf" | "popularity"> | undefined,
  passes: (product: Product) => boolean,
): Product | undefined {
  const popularityOf = ({ productId }: Product) => model?.popularity[model.indexOf(productId) ?? -1] ?? 0;
  let best: Product | undefined;
  for (const productId of catalog.variantsOf(groupId) ?? []) {
    const product = catalog.get(productId);
    if (product === undefined || !passes(product)) continue;
    const more = best === undefined ? 1 : popularityOf(product) - popularityOf(best);
    if (best === undefined || more > 0 || (more === 0 && product.productId < best.productId)) best = product;
  }
  return best;
}
