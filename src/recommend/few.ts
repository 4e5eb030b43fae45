/** Products that a filter leaves when they are few, and what follows from them, kept while the catalogue stays as it is. */
import type { ServingModel } from "../model/source.js";
import type { Proposal } from "./shelf.js";

/** Filters of one catalogue that are remembered, the last used ones. */
const MAX_KEPT = 20;
/** Longer filters are not remembered. */
const MAX_KEY = 4096;

export interface FewIndices {
  /** By rising index. */
  readonly among: Uint32Array;
  has(productIndex: number): boolean;
}

export class FewProducts {
  #indices: { readonly model: ServingModel; readonly found: FewIndices } | undefined;
  #popular: { readonly model: ServingModel | undefined; readonly found: readonly Proposal[] } | undefined;

  constructor(readonly ids: ReadonlySet<string>) {}

  /** Those that the model knows. */
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

  /** Most popular ones first, equal ones by their ids; those the model does not know last. */
  popular(model: ServingModel | undefined): readonly Proposal[] {
    if (this.#popular === undefined || this.#popular.model !== model)
      this.#popular = { model, found: sortedByPopularity(this.ids, model) };
    return this.#popular.found;
  }
}

/** What was found by a filter before, else what `find` finds. */
export type FewCache = (
  catalog: { readonly revision?: number },
  key: string,
  find: () => ReadonlySet<string>,
) => FewProducts;

export function createFewCache(): FewCache {
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
