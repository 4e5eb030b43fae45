/** Product ids that a list may show, in tiers: all of one come before those of the next. */
import type { ServingModel } from "../model/source.js";

/** Tiers of product ids: proposals first, then those of the fallback without `sparing`, and these last, from their end. */
export function* chain(
  proposals: Iterable<string>,
  fallback: Iterable<Iterable<string>>,
  sparing: readonly string[] = [],
): Generator<Iterable<string>> {
  yield proposals;
  const spared = new Set(sparing);
  for (const tier of fallback) yield without(spared, tier);
  yield [...sparing].reverse();
}

/** Tiers that begin with what is among `first` of the proposals, then of what is popular; the others stand behind. */
export function* ownFirst(
  first: ReadonlySet<string>,
  proposals: Iterable<string>,
  popular: Iterable<string>,
  tiers: Iterable<Iterable<string>>,
): Generator<Iterable<string>> {
  yield [...proposals].filter((productId) => first.has(productId));
  yield popular;
  yield* tiers;
}

export function* without(spared: ReadonlySet<string>, productIds: Iterable<string>): Generator<string> {
  for (const productId of productIds) if (!spared.has(productId)) yield productId;
}

export function* flat(tiers: Iterable<Iterable<string>>): Generator<string> {
  for (const tier of tiers) yield* tier;
}

export function* namesOf(indices: Uint32Array | undefined, model: ServingModel | undefined): Generator<string> {
  if (indices !== undefined && model !== undefined) for (const index of indices) yield model.productIds[index]!;
}
