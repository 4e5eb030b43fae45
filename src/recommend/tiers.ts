/** Products that a list may show, in tiers: all of one come before those of the next. */
import type { Proposal, Shelf } from "./shelf.js";

/** Proposals first, then the tiers of the fallback without `sparing`, and these last, from their end. */
export function* chain(
  proposals: Iterable<Proposal>,
  fallback: Iterable<Iterable<Proposal>>,
  sparing: readonly Proposal[] = [],
): Generator<Iterable<Proposal>> {
  yield proposals;
  const spared = new Set(sparing);
  for (const tier of fallback) yield without(spared, tier);
  yield [...sparing].reverse();
}

/** Tiers that begin with what is among `first` of the proposals, then of what is popular; the others stand behind. */
export function* ownFirst(
  first: ReadonlySet<string>,
  proposals: Iterable<Proposal>,
  popular: Iterable<Proposal>,
  tiers: Iterable<Iterable<Proposal>>,
  shelf: Pick<Shelf, "productId">,
): Generator<Iterable<Proposal>> {
  yield [...proposals].filter((proposal) => first.has(shelf.productId(proposal)));
  yield popular;
  yield* tiers;
}

export function* without(spared: ReadonlySet<Proposal>, proposals: Iterable<Proposal>): Generator<Proposal> {
  for (const proposal of proposals) if (!spared.has(proposal)) yield proposal;
}

export function* flat(tiers: Iterable<Iterable<Proposal>>): Generator<Proposal> {
  for (const tier of tiers) yield* tier;
}
