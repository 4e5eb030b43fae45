/** What fills a list when no source proposes enough: what is popular. */
import type { Product } from "../domain/product.js";
import type { ServingModel } from "../model/source.js";
import { sortedByPopularity } from "./few.js";
import type { Passing } from "./passing.js";
import type { Catalog } from "./selection.js";
import type { Proposal } from "./shelf.js";
import type { Situation } from "./situation.js";
import { sameCategory } from "./substitutes.js";

/** A set is sorted when it is smaller than this share of the products; else it is met soon enough among all of them. */
const FEW = 0.01;

/** Products that come first, where any do, and what all of them must pass. */
export interface Within {
  /** Categories being viewed; undefined for none. */
  readonly first: ReadonlySet<string> | undefined;
  /** Undefined: any product passes. */
  readonly filter: Passing | undefined;
  /** When few pass, all of them, the most popular first. */
  readonly few: (() => readonly Proposal[]) | undefined;
}

export function withinOf(
  first: ReadonlySet<string> | undefined,
  filter: Passing | undefined,
  model: ServingModel | undefined,
): Within {
  const members = filter?.few();
  return { first, filter, few: members && (() => members.popular(model)) };
}

/** The products of these that popularity is told of beside all; undefined when these are not few. */
export function popularIn({ first, filter }: Within): ReadonlySet<string> | undefined {
  return filter === undefined ? first : filter.few()?.ids;
}

/**
 * What is popular, in tiers: within the categories being viewed first, unless a filter was asked for; then overall;
 * products the model does not know come last. What a filter leaves few of is looked up by it.
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
  yield unknownProducts(filter === undefined ? allIds(catalog) : filter.ids(), model);
}

/** The same for substitutes of `replaced`: what is popular in its narrowest categories comes first. */
export function* insteadOf(
  replaced: readonly Product[],
  situation: Pick<Situation, "model" | "catalog">,
  within: Within,
): Generator<Iterable<Proposal>> {
  const alike = sameCategory(replaced, situation.catalog);
  if (alike !== undefined) yield byPopularity(alike, situation.model);
  yield* fallbackProducts(situation, within);
}

function* allIds(catalog: Pick<Catalog, "products">): Generator<string> {
  for (const { productId } of catalog.products()) yield productId;
}

function* unknownProducts(productIds: Iterable<string>, model: ServingModel | undefined): Generator<string> {
  for (const productId of productIds) if (model?.indexOf(productId) === undefined) yield productId;
}

/** Most popular ones first, equal ones by their ids; those the model does not know last. Read as far as it is needed. */
export function* byPopularity(productIds: ReadonlySet<string>, model: ServingModel | undefined): Generator<Proposal> {
  if (model === undefined || productIds.size <= model.productIds.length * FEW) {
    yield* sortedByPopularity(productIds, model);
    return;
  }
  for (const index of model.byPopularity) if (productIds.has(model.productIds[index]!)) yield index;
  yield* unknownProducts(productIds, model);
}
