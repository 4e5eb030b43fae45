import type { Now } from "../domain/clock.js";
import type { Money } from "../domain/money.js";
import { arrivalOf, type Product, pricedAt } from "../domain/product.js";
import { brandGroup, type PriceRange, priceOf } from "../domain/product-filter.js";
import type { CatalogView } from "./catalog-view.js";

/** Work in steps of a millisecond at most. */
type Steps<T> = Generator<undefined, T, undefined>;

/** Products in a step that looks at each, and that reads each from the store. */
const SLICE = 1000;
const FEW = 50;
/** Most writes in the journal, the newest ones. */
const MAX_JOURNAL = 20_000;

/** What stays of a product that was let go: what the indexes hold of it. */
class LetGo {
  constructor(
    readonly productId: string,
    readonly sku: string,
    readonly variantGroupId: string,
    readonly price: Money,
    readonly groups: readonly string[],
    readonly hasTitle: boolean,
    readonly arrivedAt: number,
  ) {}

  isIndexedAs(product: Product): boolean {
    const { price } = this;
    const groups = groupsOf(product);
    return (
      product.sku === this.sku &&
      product.variantGroupId === this.variantGroupId &&
      arrivalOf(product) === this.arrivedAt &&
      (product.title !== "") === this.hasTitle &&
      product.price.amount === price.amount &&
      product.price.currency === price.currency &&
      groups.size === this.groups.length &&
      this.groups.every((groupId) => groups.has(groupId))
    );
  }
}

/** Equal values once: each product has strings of its own. */
class Shared {
  readonly #texts = new Map<string, string>();
  readonly #prices = new Map<string, Money>();

  text(text: string): string {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }

  price({ amount, currency }: Money): Money {
    const key = `${amount} ${currency}`;
    const known = this.#prices.get(key);
    if (known !== undefined) return known;
    const price = { amount, currency: this.text(currency) };
    this.#prices.set(key, price);
    return price;
  }
}

function letGoOf(product: Product, shared: Shared): LetGo {
  const { productId, sku, variantGroupId, price, title } = product;
  const groups = Array.from(groupsOf(product), (groupId) => shared.text(groupId));
  const group = shared.text(variantGroupId);
  return new LetGo(productId, sku, group, shared.price(price), groups, title !== "", arrivalOf(product));
}

export class MemoryCatalog implements CatalogView {
  readonly #products = new Map<string, Product | LetGo>();
  readonly #skus = new Map<string, string>();
  readonly #groups = new Map<string, Set<string>>();
  readonly #variants = new Map<string, Set<string>>();
  readonly #prices = new PriceIndex();
  #titled = 0;
  readonly #journal: string[] = [];
  /** Writes that left the journal. */
  #forgotten = 0;
  /** Products with sales, as they were written. */
  readonly #sales = new Map<string, Product>();
  /** When the next sale begins or ends. */
  #pricesUntil = Number.POSITIVE_INFINITY;

  /** @param read What the store holds of a product now; undefined also for what it cannot read. */
  constructor(
    private readonly now: Now,
    private readonly read: (productId: string) => Product | undefined,
  ) {}

  get size(): number {
    return this.#products.size;
  }

  get hasTitles(): boolean {
    return this.#titled > 0;
  }

  get(productId: string): Product | undefined {
    const held = this.#products.get(productId);
    return held instanceof LetGo ? this.#readAgain(held) : held;
  }

  idOfSku(sku: string): string | undefined {
    return this.#skus.get(sku);
  }

  variantsOf(groupId: string): ReadonlySet<string> | undefined {
    return this.#variants.get(groupId);
  }

  group(groupId: string): ReadonlySet<string> | undefined {
    return this.#groups.get(groupId);
  }

  pricedWithin(range: PriceRange): readonly ReadonlySet<string>[] {
    return this.#prices.within(range);
  }

  *products(): IterableIterator<Product> {
    for (const productId of this.#products.keys()) {
      const product = this.get(productId);
      if (product !== undefined) yield product;
    }
  }

  ids(): IterableIterator<string> {
    return this.#products.keys();
  }

  *arrivals(): IterableIterator<readonly [productId: string, arrivedAt: number]> {
    for (const [productId, held] of this.#products)
      yield [productId, held instanceof LetGo ? held.arrivedAt : arrivalOf(held)];
  }

  /** Lets products go and keeps the indexes, in steps. `get` reads them again, one by one. */
  *letGo(): Steps<void> {
    const shared = new Shared();
    let count = 0;
    for (const [productId, held] of this.#products) {
      if (count++ % SLICE === 0) yield;
      // A sale changes the price that is indexed, without a write.
      if (!(held instanceof LetGo) && !this.#sales.has(productId)) this.#products.set(productId, letGoOf(held, shared));
    }
  }

  /** Reads all products again, in steps. */
  *readAll(): Steps<void> {
    let count = 0;
    for (const productId of this.#products.keys()) {
      if (count++ % FEW === 0) yield;
      this.get(productId);
    }
  }

  #readAgain(held: LetGo): Product | undefined {
    const { productId } = held;
    const written = this.read(productId);
    if (written === undefined) return undefined; // removed, of which the store will tell
    if (written.salePrice.amount === "" && held.isIndexedAs(written)) {
      this.#products.set(productId, written);
      return written;
    }
    this.put(written);
    return this.get(productId);
  }

  get revision(): number {
    return this.#forgotten + this.#journal.length;
  }

  changedSince(revision: number): readonly string[] | undefined {
    if (revision < this.#forgotten) return undefined;
    return [...new Set(this.#journal.slice(revision - this.#forgotten))];
  }

  /** Gives products the prices of sales that have begun, and takes them from those whose sales have ended. */
  renewPrices(): void {
    const now = this.now();
    if (now < this.#pricesUntil) return;
    this.#pricesUntil = Number.POSITIVE_INFINITY;
    for (const product of [...this.#sales.values()]) {
      const isOnSale = pricedAt(product, now) !== product;
      const wasOnSale = this.#products.get(product.productId) !== product;
      if (isOnSale === wasOnSale) this.#pricesUntil = Math.min(this.#pricesUntil, nextSale(product, now));
      else this.put(product);
    }
  }

  /** The product with the price of its sale, while that lasts. */
  #priced(written: Product): Product {
    if (written.salePrice.amount === "") return written;
    const now = this.now();
    this.#sales.set(written.productId, written);
    this.#pricesUntil = Math.min(this.#pricesUntil, nextSale(written, now));
    return pricedAt(written, now);
  }

  put(written: Product): void {
    this.#take(written.productId);
    const product = this.#priced(written);
    this.#products.set(product.productId, product);
    if (product.title !== "") this.#titled++;
    this.#prices.put(product.productId, product.price);
    if (product.sku !== "") this.#skus.set(product.sku, product.productId);
    for (const groupId of groupsOf(product)) addTo(this.#groups, groupId, product.productId);
    if (product.variantGroupId !== "") addTo(this.#variants, product.variantGroupId, product.productId);
  }

  remove(productId: string): void {
    this.#take(productId);
  }

  #note(productId: string): void {
    this.#journal.push(productId);
    if (this.#journal.length <= MAX_JOURNAL) return;
    this.#forgotten += MAX_JOURNAL / 2;
    this.#journal.splice(0, MAX_JOURNAL / 2);
  }

  /** Notes a write, and removes the product's old state. */
  #take(productId: string): void {
    this.#note(productId);
    const product = this.#products.get(productId);
    if (product === undefined) return;
    this.#products.delete(productId);
    this.#sales.delete(productId);
    if (product instanceof LetGo ? product.hasTitle : product.title !== "") this.#titled--;
    this.#prices.remove(productId, product.price);
    if (this.#skus.get(product.sku) === productId) this.#skus.delete(product.sku);
    for (const groupId of product instanceof LetGo ? product.groups : groupsOf(product))
      removeFrom(this.#groups, groupId, productId);
    removeFrom(this.#variants, product.variantGroupId, productId);
  }
}

/** The next time at which the product's price changes. */
function nextSale({ saleStart, saleEnd }: Product, now: number): number {
  if (saleStart > now) return saleStart;
  return saleEnd > now ? saleEnd : Number.POSITIVE_INFINITY;
}

function addTo(sets: Map<string, Set<string>>, name: string, productId: string): void {
  const set = sets.get(name);
  if (set === undefined) sets.set(name, new Set([productId]));
  else set.add(productId);
}

function removeFrom(sets: Map<string, Set<string>>, name: string, productId: string): void {
  const set = sets.get(name);
  set?.delete(productId);
  if (set?.size === 0) sets.delete(name);
}

function groupsOf(product: Product): Set<string> {
  const groups = new Set(product.tags);
  for (const { categoryId } of product.categories) groups.add(categoryId);
  if (product.brand !== "") groups.add(brandGroup(product.brand));
  return groups;
}

/** Bands a doubling of the price has. */
const BANDS = 8;
const BELOW_ALL = Number.NEGATIVE_INFINITY;

/**
 * Products by bands of their prices, whatever the currency. The bands of a range hold all its products; only the outer two
 * hold others as well. A change of a price costs two lookups.
 */
class PriceIndex {
  readonly #bands = new Map<number, Set<string>>();

  put(productId: string, price: Money): void {
    const band = bandOf(price);
    if (band === undefined) return;
    const products = this.#bands.get(band);
    if (products === undefined) this.#bands.set(band, new Set([productId]));
    else products.add(productId);
  }

  remove(productId: string, price: Money): void {
    const band = bandOf(price);
    if (band === undefined) return;
    const products = this.#bands.get(band);
    products?.delete(productId);
    if (products?.size === 0) this.#bands.delete(band);
  }

  /** Sets that hold all products in the range, none of them twice. */
  within({ min, max }: PriceRange): ReadonlySet<string>[] {
    const from = min === "" ? BELOW_ALL : (bandOfNumber(Number(min)) ?? BELOW_ALL);
    const to = max === "" ? Number.POSITIVE_INFINITY : (bandOfNumber(Number(max)) ?? BELOW_ALL);
    return [...this.#bands].filter(([band]) => band >= from && band <= to).map(([, products]) => products);
  }
}

function bandOf(price: Money): number | undefined {
  const value = priceOf(price);
  return value === undefined ? undefined : bandOfNumber(value);
}

function bandOfNumber(value: number): number | undefined {
  if (Number.isNaN(value)) return undefined;
  return value > 0 ? Math.floor(Math.log2(value) * BANDS) : BELOW_ALL;
}
