/** What fills a list when no source proposes enough: what is popular. */
import type { Product } from "../domain/product.js";
import type { ServingModel } from "../model/source.js";
import type { Catalog } from "./selection.js";
import type { Situation } from "./situation.js";
import { sameCategory } from "./substitutes.js";
import { namesOf } from "./tiers.js";

/**
 * What is popular, in tiers: within the groups asked for or the categories being viewed first, then (unless groups were
 * asked for) overall; products the model does not know come last.
 */
export function* fallbackProducts(
  { model, query, catalog }: Situation,
  within: ReadonlySet<string> | undefined,
): Generator<Iterable<string>> {
  if (within !== undefined) yield byPopularity(within, model);
  if (query.anyGroup.length > 0) return;
  yield namesOf(model?.byPopularity, model);
  yield unknownProducts(catalog, model);
}

/** The same for substitutes of `replaced`: what is popular in its narrowest categories comes first. */
export function* insteadOf(
  replaced: readonly Product[],
  situation: Situation,
  within: ReadonlySet<string> | undefined,
): Generator<Iterable<string>> {
  const alike = sameCategory(replaced, situation.catalog);
  if (alike !== undefined) yield byPopularity(alike, situation.model);
  yield* fallbackProducts(situation, within);
}

function* unknownProducts(catalog: Catalog, model: ServingModel | undefined): Generator<string> {
  for (const { productId } of catalog.products()) if (model?.indexOf(productId) === undefined) yield productId;
}

function byPopularity(productIds: ReadonlySet<string>, model: ServingModel | undefined): string[] {
  const score = (productId: string) => {
    const index = model?.indexOf(productId);
    return index === undefined ? 0 : (model?.popularity[index] ?? 0);
  };
  return [...productIds]
    .map((productId) => ({ productId, score: score(productId) }))
    .sort((a, b) => b.score - a.score || (a.productId < b.productId ? -1 : 1))
    .map(({ productId }) => productId);
}
