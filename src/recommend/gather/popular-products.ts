/** Popular products fill a list when the sources propose too few. */
import type { Product } from "../../domain/product.js";
import type { ServingModel } from "../../learning/sources/source.js";
import type { Proposal } from "../products/catalog.js";
import type { PassingFilter } from "../products/filter.js";
import { sortedByPopularity } from "../products/filter.js";
import { sameCategory } from "../rank/substitutes.js";
import type { Situation } from "../request/situation.js";

/** A set is sorted when it is smaller than this share of the products; else it is met soon enough among all of them. */
const MAX_SORTED_SHARE = 0.01;

/** Products that come first, where any do, and what all of them must pass. */
export interface Within {
  /** Categories being viewed; undefined for none. */
  readonly first: ReadonlySet<string> | undefined;
  /** Undefined: any product passes. */
  readonly filter: PassingFilter | undefined;
  /** When few pass, all of them, the most popular first. */
  readonly few: (() => readonly Proposal[]) | undefined;
}

export function withinOf(
  first: ReadonlySet<string> | undefined,
  filter: PassingFilter | undefined,
  model: ServingModel | undefined,
): Within {
  const members = filter?.few();
  return { first, filter, few: members && (() => members.popular(model)) };
}

/** The products for which a reason also gives the popularity rank among themselves; undefined if too many. */
export function popularIn({ first, filter }: Within): ReadonlySet<string> | undefined {
  return filter === undefined ? first : filter.few()?.ids;
}

/**
 * Popular products in tiers: the viewed categories (unless there is a filter), all products, then products unknown to the
 * model. A filter that passes few products yields one tier with those alone.
 */
export function* fallbackProducts(
  { model, catalog }: Pick<Situation, "model" | "catalog">,
  { first, filter, few }: Within,
): Generator<Iterable<Proposal>> {
  if (few !== undefined) {
    yield few();
    return;
  }
  if (filter === undefined && first !== undefined) yield byPopularity(first, model);
  if (model !== undefined) yield model.byPopularity;
  yield unknownProducts(filter === undefined ? catalog.ids() : filter.ids(), model);
}

/** Popular substitutes for `replaced`: its narrowest categories first, then `fallbackProducts`. */
export function* insteadOf(
  replaced: readonly Product[],
  situation: Pick<Situation, "model" | "catalog">,
  within: Within,
): Generator<Iterable<Proposal>> {
  const alike = sameCategory(replaced, situation.catalog);
  if (alike !== undefined) yield byPopularity(alike, situation.model);
  yield* fallbackProducts(situation, within);
}

function* unknownProducts(productIds: Iterable<string>, model: ServingModel | undefined): Generator<string> {
  for (const productId of productIds) if (model?.indexOf(productId) === undefined) yield productId;
}

/** Most popular ones first, equal ones by their ids; those the model does not know last. Read as far as it is needed. */
export function* byPopularity(productIds: ReadonlySet<string>, model: ServingModel | undefined): Generator<Proposal> {
  if (model === undefined || productIds.size <= model.productIds.length * MAX_SORTED_SHARE) {
    yield* sortedByPopularity(productIds, model);
    return;
  }
  for (const index of model.byPopularity) if (productIds.has(model.productIds[index]!)) yield index;
  yield* unknownProducts(productIds, model);
}
