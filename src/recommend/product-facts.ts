import type { Product } from "../domain/product.js";
import type { ServingModel } from "../model/source.js";
import type { Catalog } from "./selection.js";

/** What substitutes share. */
export interface ProductFacts {
  /** Id of the narrowest category; undefined without one. */
  readonly category: string | undefined;
  /** Above 0; undefined when it is not known. */
  readonly price: number | undefined;
  readonly currency: string;
}

export function factsOf({ categories, price: { amount, currency } }: Product): ProductFacts {
  const price = Number(amount);
  return { category: categories.at(-1)?.categoryId, price: price > 0 ? price : undefined, currency };
}

/** The facts of a model's product by its index; undefined for one the catalogue does not have any more. */
export type FactsByIndex = (index: number) => ProductFacts | undefined;

/** After so many writes all are looked up anew. */
const MOST_CHANGED = 1000;

type Known = Pick<Catalog, "get" | "revision" | "changedSince">;

/** Null: the catalogue does not have it. Undefined: not looked up yet. */
type Slot = ProductFacts | null | undefined;

const emptySlots = ({ productIds }: ServingModel) => new Array<Slot>(productIds.length).fill(undefined);

/**
 * Facts of a model's products, each looked up when it is first asked for and again when the catalogue has changed it: an
 * answer looks at hundreds of products, of which it shows a few.
 */
export function createFactsCache(): (model: ServingModel, catalog: Known) => FactsByIndex {
  const kept = new WeakMap<ServingModel, { readonly catalog: Known; revision: number; slots: Slot[] }>();

  return (model, catalog) => {
    const look = (index: number) => {
      const product = catalog.get(model.productIds[index]!);
      return product && factsOf(product);
    };
    const { revision } = catalog;
    if (revision === undefined) return look;
    let entry = kept.get(model);
    if (entry?.catalog !== catalog) {
      entry = { catalog, revision, slots: emptySlots(model) };
      kept.set(model, entry);
    }
    if (entry.revision !== revision) {
      const changed = catalog.changedSince?.(entry.revision);
      if (changed === undefined || changed.length > MOST_CHANGED) entry.slots = emptySlots(model);
      else
        for (const productId of changed) {
          const index = model.indexOf(productId);
          if (index !== undefined) entry.slots[index] = undefined;
        }
      entry.revision = revision;
    }
    const { slots } = entry;
    return (index) => {
      const known = slots[index];
      if (known !== undefined) return known ?? undefined;
      const found = look(index);
      slots[index] = found ?? null;
      return found;
    };
  };
}
