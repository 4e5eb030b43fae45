/**
 * Arranges the two lists of an answer from what is proposed for each. Products come in tiers: proposals, then popular
 * products where the frame has a fallback. A tier is read only when the ones before it did not fill the list.
 */
import type { ExploredProduct } from "../../domain/frame-exposure.js";
import type { Product } from "../../domain/product.js";
import type { List, ServingModel } from "../../learning/sources/source.js";
import { reachOf, steppedBack } from "../frames/rotation.js";
import { byPopularity, fallbackProducts, insteadOf } from "../gather/popular-products.js";
import type { Proposal, Shelf } from "../products/catalog.js";
import { boostedTiers } from "../rank/boosts.js";
import type { PageRequest } from "../request/page-request.js";
import { arrangement } from "./diversity.js";
import { createUncertainty, draw, exploringPlaces, POOL } from "./exploration.js";
import type { Selection } from "./selection.js";
import { besideAlternative, recommendedShare } from "./two-lists.js";

type Counts = Readonly<Record<List, number>>;

/** Products by falling score, for each list. */
export type ProposalLists = Readonly<Record<List, Iterable<Proposal>>>;

export interface Arranged extends Readonly<Record<List, Product[]>> {
  /** Products of `recommended` that have their places by exploration. */
  readonly explored: readonly ExploredProduct[];
}

/** The places of `recommended` that explore, and what is found for them. */
function createExploring({ situation }: PageRequest, count: number) {
  const { frame, model, random } = situation;
  if (frame.exploration === 0 || random === undefined) return { places: 0, find: () => [] };
  const { places, chanceOf } = exploringPlaces(frame.exploration, count, random);
  const find = (tiers: () => Iterable<Iterable<Proposal>>, selection: Selection) => {
    const pool = places === 0 ? [] : selection.foresee(flat(tiers()), POOL);
    const uncertaintyOf = createUncertainty(model);
    const found: { readonly product: Product; readonly probability: number }[] = [];
    for (let left = pool; found.length < places; ) {
      const drawn = draw(left, uncertaintyOf, random);
      if (drawn === undefined) break;
      left = left.filter((proposal) => proposal !== drawn.proposal);
      const [product] = selection.take(drawn.proposal);
      if (product !== undefined) found.push({ product, probability: drawn.probability * chanceOf(found.length) });
    }
    return found;
  };
  return { places, find };
}

/**
 * @param places How many products each list has room for.
 * @param isTogether Whether a product is bought together with the ones being replaced.
 */
export function arrange(
  request: PageRequest,
  proposals: ProposalLists,
  places: Counts,
  selection: Selection,
  isTogether: (proposal: Proposal) => boolean,
): Arranged {
  const { pageKind, situation, shelf, steps } = request;
  const diversified = () =>
    arrangement({
      diversity: situation.frame.diversity,
      count: places.recommended,
      vectorOf: (product) => vectorOf(product, situation.model),
    });
  if (request.ready !== undefined) {
    const tiers = recommendedTiers(request, proposals.recommended, []);
    const ready = selection.pick(tiers, places.recommended, steps, diversified());
    const similar = alternativeTiers(request, proposals.alternative);
    return { recommended: ready, alternative: selection.pick(similar, places.alternative, steps), explored: [] };
  }
  const substitutes = foreseenSubstitutes(request, proposals.alternative, places, selection);
  const share = recommendedShare(places, substitutes.length, availableFor(request, substitutes, places, selection));
  const complements = besideAlternative(
    proposals.recommended,
    request.replaced.map(({ productId }) => shelf.proposal(productId)),
    shownSubstitutes(request, substitutes, places.alternative),
    (proposal) => shelf.category(proposal),
    isTogether,
  );
  // On a product page its substitutes have the first choice.
  const firstChoice = pageKind === "product" ? selection.pick([proposals.alternative], places.alternative, steps) : [];
  const tiers = () => recommendedTiers(request, complements, substitutes);
  const exploring = createExploring(request, share);
  const own = selection.pick(tiers(), share - exploring.places, steps, diversified());
  const found = exploring.find(tiers, selection);
  // Where there is too little to explore, the places are the list's own.
  const missing = exploring.places - found.length;
  const rest = missing === 0 ? [] : selection.pick(tiers(), missing, steps);
  const recommended = [...own, ...rest, ...found.map(({ product }) => product)];
  // Diversity leaves `alternative` alone: substitutes for one product are alike.
  const left = places.alternative - firstChoice.length;
  const more = selection.pick(alternativeTiers(request, proposals.alternative), left, steps);
  return {
    recommended,
    alternative: [...firstChoice, ...more],
    explored: found.map(({ product: { productId }, probability }) => ({ productId, probability })),
  };
}

/** Substitutes that `recommended` should leave to `alternative`, as many as both lists could show. */
function foreseenSubstitutes(
  { steps }: PageRequest,
  substitutes: Iterable<Proposal>,
  { recommended, alternative }: Counts,
  selection: Selection,
): Proposal[] {
  const wanted = Math.max(recommended + alternative, reachOf(steps, alternative));
  return selection.foresee(substitutes, recommended === 0 ? 0 : wanted);
}

/** The substitutes that `alternative` would show. */
function shownSubstitutes({ steps, shelf }: PageRequest, substitutes: readonly Proposal[], count: number): Proposal[] {
  const within = substitutes.slice(0, reachOf(steps, count));
  return steppedBack(within, count, steps, (proposal) => shelf.productId(proposal)).slice(0, count);
}

/** How many products both lists can show together, at most as many as they want. */
function availableFor(
  { situation, within }: PageRequest,
  substitutes: readonly Proposal[],
  { recommended, alternative }: Counts,
  selection: Selection,
): number {
  const wanted = recommended + alternative;
  if (substitutes.length === 0 || substitutes.length >= wanted || !situation.frame.fallback) return wanted;
  // The fallback holds every substitute, so it alone tells how many products there are.
  return selection.foresee(flat(fallbackProducts(situation, { ...within, first: undefined })), wanted).length;
}

function recommendedTiers(
  request: PageRequest,
  complements: Iterable<Proposal>,
  substitutes: readonly Proposal[],
): Iterable<Iterable<Proposal>> {
  const { situation, within } = request;
  const tiers = situation.frame.fallback
    ? chain(complements, boosted(request, fallbackProducts(situation, within)), substitutes)
    : [complements];
  return viewedCategoriesFirst(request, complements, substitutes, tiers);
}

function alternativeTiers(request: PageRequest, substitutes: Iterable<Proposal>): Iterable<Iterable<Proposal>> {
  const { situation, within, replaced } = request;
  const fallback = situation.frame.fallback ? boosted(request, insteadOf(replaced, situation, within)) : [];
  const tiers = chain(substitutes, fallback);
  return viewedCategoriesFirst(request, substitutes, [], tiers);
}

function boosted({ boosts, shelf }: PageRequest, tiers: Iterable<Iterable<Proposal>>): Iterable<Iterable<Proposal>> {
  return boosts === undefined ? tiers : boostedTiers(tiers, boosts, shelf);
}

/** On a category page the products of the category come first. */
function viewedCategoriesFirst(
  { pageKind, ofCategories, situation, shelf }: PageRequest,
  proposals: Iterable<Proposal>,
  spared: readonly Proposal[],
  tiers: Iterable<Iterable<Proposal>>,
): Iterable<Iterable<Proposal>> {
  if (pageKind !== "category" || ofCategories === undefined) return tiers;
  const popular = situation.frame.fallback ? without(new Set(spared), byPopularity(ofCategories, situation.model)) : [];
  return membersFirst(ofCategories, proposals, popular, tiers, shelf);
}

/** Proposals, then the tiers of the fallback without `spared`, and these last, worst first. */
function* chain(
  proposals: Iterable<Proposal>,
  fallback: Iterable<Iterable<Proposal>>,
  spared: readonly Proposal[] = [],
): Generator<Iterable<Proposal>> {
  yield proposals;
  const left = new Set(spared);
  for (const tier of fallback) yield without(left, tier);
  yield [...spared].reverse();
}

/** Proposals among `members`, then popular ones, then all tiers. */
function* membersFirst(
  members: ReadonlySet<string>,
  proposals: Iterable<Proposal>,
  popular: Iterable<Proposal>,
  tiers: Iterable<Iterable<Proposal>>,
  shelf: Pick<Shelf, "productId">,
): Generator<Iterable<Proposal>> {
  yield [...proposals].filter((proposal) => members.has(shelf.productId(proposal)));
  yield popular;
  yield* tiers;
}

function* without(left: ReadonlySet<Proposal>, proposals: Iterable<Proposal>): Generator<Proposal> {
  for (const proposal of proposals) if (!left.has(proposal)) yield proposal;
}

function* flat(tiers: Iterable<Iterable<Proposal>>): Generator<Proposal> {
  for (const tier of tiers) yield* tier;
}

function vectorOf({ productId }: Product, model: ServingModel | undefined): Float32Array | undefined {
  const index = model?.indexOf(productId);
  return index === undefined ? undefined : model?.vectorOf?.(index);
}
