import { isShown, type Product } from "../../domain/product.js";
import { reachOf, type StepsBack, steppedBack } from "../frames/rotation.js";
import type { Proposal, Shelf } from "../products/catalog.js";
import { bestVariant, productIdOf } from "../products/product-ids.js";
import type { Arrangement } from "./diversity.js";
import { CappedList, type ListCaps } from "./list-caps.js";

export interface SelectionRules {
  /** Never shown: in the cart, bought, current, excluded by name. */
  readonly excluded: ReadonlySet<string>;
  /** Only shown when nothing else is left. */
  readonly last: ReadonlySet<string>;
  /** Undefined: any product passes. */
  readonly passes: ((product: Product) => boolean) | undefined;
  /** Products that cannot be bought now are not shown. */
  readonly inStockOnly: boolean;
  /** Most products of a brand or category in a list; undefined for any number. */
  readonly caps?: ListCaps | undefined;
  /** Products outside their time are not shown. */
  readonly now: number;
}

/** Picks products from proposals; one selection is shared by the lists of an answer, so that they share no product. */
export class Selection {
  readonly #shelf: Shelf;
  readonly #rules: SelectionRules;
  readonly #taken = new Taken();

  /**
   * @param shown Products whose variants are not to be shown, for example the one being viewed.
   * @param taken Products that are shown elsewhere: neither they nor their variants are.
   */
  constructor(shelf: Shelf, rules: SelectionRules, shown: Iterable<string>, taken: Iterable<Product> = []) {
    this.#shelf = shelf;
    this.#rules = rules;
    for (const product of taken) this.#taken.add(product);
    for (const productId of shown) {
      const product = shelf.catalog.get(productId);
      if (product !== undefined) this.#taken.addVariants(product);
    }
  }

  /**
   * The first `count` products, which are taken: in the order of the proposals, or as they are arranged, then those that
   * were passed over a few places later, and those of `rules.last` behind the others. Proposals come in tiers, better ones
   * first, and are read only as far as needed.
   */
  pick(tiers: Iterable<Iterable<Proposal>>, count: number, steps: StepsBack, arrangement?: Arrangement): Product[] {
    if (count === 0) return [];
    const { caps } = this.#rules;
    const wanted = Math.max(reachOf(steps, count), arrangement?.window ?? 0);
    // Chosen from `times` the list with `times` the caps, enough products are left when the caps hold.
    const times = caps === undefined ? 1 : Math.ceil(wanted / count);
    const reach = caps === undefined ? reachOf(steps, count) : times * count;
    const found = caps && new CappedList(caps, times);
    const { byTier, late } = this.#find(tiers, caps === undefined ? wanted : reach, found);
    const tiersFound = byTier.map(productsOf);
    const arranged = arrangement === undefined ? joined(tiersFound) : arrangement.arrange(tiersFound, reach);
    const inOrder = steppedBack(arranged.slice(0, reach), count, steps, ({ productId }) => productId);
    const all = joined([inOrder, productsOf(late)]);
    const list = caps && new CappedList(caps);
    const picked = (list === undefined ? all : all.filter((product) => list.takes(product))).slice(0, count);
    for (const product of picked) this.#taken.add(product);
    return picked;
  }

  /** The first `count` of these that may be shown, in their order, whether viewed or not; they are taken. */
  pin(productIds: Iterable<string>, count: number): Product[] {
    const pinned: Product[] = [];
    for (const productId of productIds) {
      if (pinned.length === count) break;
      const named = productIdOf(productId, this.#shelf.catalog);
      // A pin of one variant means that variant, a pin of a group any.
      const product = this.#passing(this.#shelf.proposal(named), NONE, named !== productId);
      if (product === undefined) continue;
      pinned.push(product);
      this.#taken.add(product);
    }
    return pinned;
  }

  /** The product of a proposal, which is taken; none when it may not be shown. */
  take(proposal: Proposal): Product[] {
    const product = this.#passing(proposal, NONE);
    if (product === undefined) return [];
    this.#taken.add(product);
    return [product];
  }

  /** The first `count` proposals a pick would find now. Takes none of them. */
  foresee(proposals: Iterable<Proposal>, count: number): Proposal[] {
    const { byTier, late } = this.#find([proposals], count);
    const found = joined([...byTier, late]).slice(0, count);
    return found.map(({ proposal }) => proposal);
  }

  /** The first `sought` products that may be shown, with those of `rules.last` that were skipped. */
  #find(
    tiers: Iterable<Iterable<Proposal>>,
    sought: number,
    capped?: CappedList,
  ): { readonly byTier: Found[][]; readonly late: Found[] } {
    const byTier: Found[][] = [];
    const met: Found[] = [];
    const seen = new Taken();
    let left = sought;
    if (left > 0)
      for (const tier of tiers) {
        const inTier: Found[] = [];
        byTier.push(inTier);
        for (const proposal of tier) {
          const product = this.#passing(proposal, seen);
          if (product === undefined) continue;
          if (this.#rules.last.has(product.productId)) met.push({ proposal, product });
          else if (capped === undefined || capped.takes(product)) {
            inTier.push({ proposal, product });
            seen.add(product);
            if (--left === 0) break;
          }
        }
        if (left === 0) break;
      }
    const late = met.filter(({ product }) => {
      if (seen.has(product)) return false;
      seen.add(product);
      return true;
    });
    return { byTier, late };
  }

  #passing(proposal: Proposal, seen: Taken, withSiblings = true): Product | undefined {
    const { inStockOnly, now } = this.#rules;
    const product = this.#shelf.product(proposal);
    if (product === undefined) return undefined;
    if (!isShown(product, now) || (inStockOnly && !product.available))
      return withSiblings ? this.#sibling(product, seen) : undefined;
    return this.#mayShow(product, seen) ? product : undefined;
  }

  /** Another variant of a product that cannot be shown itself. */
  #sibling({ variantGroupId }: Product, seen: Taken): Product | undefined {
    if (variantGroupId === "") return undefined;
    const { catalog, model } = this.#shelf;
    const { inStockOnly, now } = this.#rules;
    return bestVariant(
      variantGroupId,
      catalog,
      model,
      (product) => isShown(product, now) && (product.available || !inStockOnly) && this.#mayShow(product, seen),
    );
  }

  #mayShow(product: Product, seen: Taken): boolean {
    const { excluded, passes } = this.#rules;
    if (product.title === "" && this.#shelf.catalog.hasTitles) return false;
    if (excluded.has(product.productId)) return false;
    if (this.#taken.has(product) || seen.has(product)) return false;
    return passes?.(product) !== false;
  }
}

interface Found {
  readonly proposal: Proposal;
  readonly product: Product;
}

function productsOf(found: readonly Found[]): Product[] {
  return found.map(({ product }) => product);
}

/** `flat` takes several times as long for a few short lists. */
function joined<T>(lists: readonly (readonly T[])[]): T[] {
  const all: T[] = [];
  for (const list of lists) all.push(...list);
  return all;
}

/** Products that count as shown, with their variants. */
class Taken {
  readonly #productIds = new Set<string>();
  readonly #groups = new Set<string>();

  has({ productId, variantGroupId }: Product): boolean {
    return this.#productIds.has(productId) || (variantGroupId !== "" && this.#groups.has(variantGroupId));
  }

  add(product: Product): void {
    this.#productIds.add(product.productId);
    this.addVariants(product);
  }

  /** All of its group; it counts itself when it is of one. */
  addVariants({ variantGroupId }: Product): void {
    if (variantGroupId !== "") this.#groups.add(variantGroupId);
  }
}

const NONE = new Taken();
