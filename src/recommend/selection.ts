import { isConfirmed, type Product } from "../domain/product.js";
import type { PriceRange } from "../domain/product-filter.js";
import type { Arrangement } from "./diversity.js";

/** The catalogue as recommending needs it. */
export interface Catalog {
  readonly size: number;
  readonly hasTitles: boolean;
  get(productId: string): Product | undefined;
  idOfSku(sku: string): string | undefined;
  group(groupId: string): ReadonlySet<string> | undefined;
  pricedWithin(range: PriceRange): readonly ReadonlySet<string>[];
  products(): IterableIterator<Product>;
  /** Grows with each write; absent where nothing is written. */
  readonly revision?: number;
  /** Ids of products written or removed since a revision; undefined when that is too long ago to tell. */
  changedSince?(revision: number): readonly string[] | undefined;
}

export interface SelectionRules {
  /** Never shown: in the cart, bought, current, excluded by name. */
  readonly excluded: ReadonlySet<string>;
  /** Only shown when nothing else is left. */
  readonly last: ReadonlySet<string>;
  /** Undefined: any product passes. */
  readonly passes: ((product: Product) => boolean) | undefined;
  /** Products that cannot be bought now are not shown. */
  readonly inStockOnly: boolean;
  /** Visitors that must have sent a product that only events told of. */
  readonly learnedAfterVisitors: number;
}

/** Picks products from proposals; one selection is shared by the lists of an answer, so that they share no product. */
export class Selection {
  readonly #catalog: Catalog;
  readonly #rules: SelectionRules;
  readonly #taken = new Set<string>();

  /**
   * @param shown Products whose variants are not to be shown, for example the one being viewed.
   * @param taken Products that are shown elsewhere: neither they nor their variants are.
   */
  constructor(catalog: Catalog, rules: SelectionRules, shown: Iterable<string>, taken: Iterable<Product> = []) {
    this.#catalog = catalog;
    this.#rules = rules;
    for (const product of taken) for (const name of namesOf(product)) this.#taken.add(name);
    for (const productId of shown) {
      const group = catalog.get(productId)?.variantGroupId;
      if (group) this.#taken.add(`group:${group}`);
    }
  }

  /**
   * Products in the order of the proposals, or as they are arranged, those of `rules.last` behind the others; each turn
   * moves the list on by half its length, within some times its length; its first `count` are taken. Proposals come in
   * tiers, better ones first, and are read only as far as needed.
   */
  pick(tiers: Iterable<Iterable<string>>, count: number, turns: number, arrangement?: Arrangement): Product[] {
    if (count === 0) return [];
    const turn = Math.ceil((turns * count) / 2);
    const found = this.#find(tiers, turn === 0 ? count : count * ROTATION_POOL, arrangement);
    const start = found.length === 0 ? 0 : turn % found.length;
    const picked = [...found.slice(start), ...found.slice(0, start)].slice(0, count);
    for (const product of picked) for (const name of namesOf(product)) this.#taken.add(name);
    return picked;
  }

  /** The first `count` of these that may be shown, in their order, whether viewed or not; they are taken. */
  pin(productIds: Iterable<string>, count: number): Product[] {
    const pinned: Product[] = [];
    for (const productId of productIds) {
      if (pinned.length === count) break;
      const product = this.#passing(productId, NONE);
      if (product === undefined) continue;
      pinned.push(product);
      for (const name of namesOf(product)) this.#taken.add(name);
    }
    return pinned;
  }

  /** Ids of the first `count` products a pick would find now. Takes none of them. */
  foresee(proposals: Iterable<string>, count: number): string[] {
    return this.#find([proposals], count).map((product) => product.productId);
  }

  #find(tiers: Iterable<Iterable<string>>, pool: number, arrangement?: Arrangement): Product[] {
    const sought = Math.max(pool, arrangement?.window ?? 0);
    const byTier: Product[][] = [];
    const late: Product[] = [];
    const seen = new Set<string>();
    let left = sought;
    for (const tier of tiers) {
      if (left === 0) break;
      const inTier: Product[] = [];
      byTier.push(inTier);
      for (const productId of tier) {
        if (left === 0) break;
        const product = this.#passing(productId, seen);
        if (product === undefined) continue;
        if (this.#rules.last.has(productId)) late.push(product);
        else {
          inTier.push(product);
          left--;
          for (const name of namesOf(product)) seen.add(name);
        }
      }
    }
    const found = arrangement === undefined ? byTier.flat() : arrangement.arrange(byTier, pool);
    for (const product of late) {
      if (found.length === pool) break;
      if (namesOf(product).some((name) => seen.has(name))) continue;
      found.push(product);
      for (const name of namesOf(product)) seen.add(name);
    }
    return found;
  }

  #passing(productId: string, seen: ReadonlySet<string>): Product | undefined {
    const { excluded, passes, inStockOnly, learnedAfterVisitors } = this.#rules;
    if (excluded.has(productId)) return undefined;
    const product = this.#catalog.get(productId);
    if (product === undefined || product.hidden || (inStockOnly && !product.available)) return undefined;
    if (passes?.(product) === false || !isConfirmed(product, learnedAfterVisitors)) return undefined;
    if (product.title === "" && this.#catalog.hasTitles) return undefined;
    return namesOf(product).some((name) => this.#taken.has(name) || seen.has(name)) ? undefined : product;
  }
}

const NONE: ReadonlySet<string> = new Set();

/** A rotated list turns within this many times its length. */
export const ROTATION_POOL = 3;

/** Names under which a product counts as shown: its own, and that of its variants. */
function namesOf(product: Product): string[] {
  return product.variantGroupId === ""
    ? [`product:${product.productId}`]
    : [`product:${product.productId}`, `group:${product.variantGroupId}`];
}
