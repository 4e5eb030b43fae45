/** Boosts of a frame: factors for the scores of products that meet a condition. */
import type { Boost } from "../../domain/frame-rules.js";
import { arrivalOf, marginOf, type Product } from "../../domain/product.js";
import type { ProductGroup } from "../../domain/product-filter.js";
import type { ReadyProducts } from "../gather/ready-list.js";
import type { Catalog, Proposal, Shelf } from "../products/catalog.js";
import { groupSets } from "../products/filter.js";

const DAY_MS = 86_400_000;
/** Popular products that are put in another order. */
const MOST_POPULAR = 1000;

/** The boosts of one request. */
export interface Boosts {
  /** Those that apply to a product. */
  of(product: Product): readonly Boost[];
  factor(proposal: Proposal): number;
}

/** Undefined for a frame without boosts. */
export function boostsOf(
  boosts: readonly Boost[],
  shelf: Shelf,
  named: readonly ProductGroup[],
  now: number,
): Boosts | undefined {
  if (boosts.length === 0) return undefined;
  const tests = boosts.map((boost) => ({ boost, applies: conditionOf(boost, shelf.catalog, named, now) }));
  return {
    of: (product) => tests.filter(({ applies }) => applies(product)).map(({ boost }) => boost),
    factor(proposal) {
      const product = shelf.product(proposal);
      let factor = 1;
      if (product !== undefined) for (const { boost, applies } of tests) if (applies(product)) factor *= boost.factor;
      return factor;
    },
  };
}

function conditionOf(
  { condition, name, value, min, max }: Boost,
  catalog: Pick<Catalog, "group">,
  named: readonly ProductGroup[],
  now: number,
): (product: Product) => boolean {
  const isWithin = (number: number | undefined) =>
    number !== undefined && (min === null || number >= min) && (max === null || number <= max);
  switch (condition) {
    case "group": {
      const sets = groupSets(name, named, catalog);
      return ({ productId }) => sets.some((products) => products.has(productId));
    }
    case "attribute":
      return ({ attributes }) => Object.hasOwn(attributes, name) && attributes[name]!.trim().toLowerCase() === value;
    case "margin":
      return (product) => isWithin(marginOf(product));
    case "stock":
      return ({ stock }) => isWithin(stock ?? undefined);
    case "age":
      return (product) => {
        const arrivedAt = arrivalOf(product);
        return isWithin(arrivedAt === 0 ? undefined : Math.max(0, now - arrivedAt) / DAY_MS);
      };
  }
}

/** The products of a ready list by their scores with boosts. */
export function boostedList(ready: ReadyProducts, boosts: Boosts): ReadyProducts {
  const order = ready.products
    .map((proposal, place) => ({ proposal, place, score: ready.scores[place]! * boosts.factor(proposal) }))
    .sort((a, b) => b.score - a.score || a.place - b.place);
  return {
    kind: ready.kind,
    products: order.map(({ proposal }) => proposal),
    scores: order.map(({ score }) => score),
    counts: (proposal, place) => ready.counts(proposal, order[place]!.place),
  };
}

/** Tiers of popular products, the first ones of each by their popularity with boosts. */
export function* boostedTiers(
  tiers: Iterable<Iterable<Proposal>>,
  boosts: Boosts,
  { model }: Pick<Shelf, "model">,
): Generator<Iterable<Proposal>> {
  const popularity = (proposal: Proposal) => (typeof proposal === "number" ? (model?.popularity[proposal] ?? 0) : 0);
  for (const tier of tiers) yield boostedTier(tier, (proposal) => popularity(proposal) * boosts.factor(proposal));
}

function* boostedTier(tier: Iterable<Proposal>, scoreOf: (proposal: Proposal) => number): Generator<Proposal> {
  const rest = tier[Symbol.iterator]();
  const first: { readonly proposal: Proposal; readonly score: number }[] = [];
  let next = rest.next();
  for (; first.length < MOST_POPULAR && next.done !== true; next = rest.next())
    first.push({ proposal: next.value, score: scoreOf(next.value) });
  first.sort((a, b) => b.score - a.score);
  for (const { proposal } of first) yield proposal;
  for (; next.done !== true; next = rest.next()) yield next.value;
}
