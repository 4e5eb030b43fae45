import { setImmediate } from "node:timers/promises";
import type { Now } from "../domain/clock.js";
import { Unavailable } from "../domain/errors.js";
import { type Product, pricedAt } from "../domain/product.js";
import { brandGroup, type PriceRange } from "../domain/product-filter.js";
import type { ProductChange, ProductStore } from "../store/ports/product-store.js";
import { PriceIndex } from "./price-index.js";

/** An app's products in memory, always as the store has them. */
export interface CatalogView {
  readonly size: number;
  /** True as soon as one product has a title: then untitled ones are not shown. */
  readonly hasTitles: boolean;
  get(productId: string): Product | undefined;
  /** The product a SKU belongs to. */
  idOfSku(sku: string): string | undefined;
  /** Ids of the products with this `variantGroupId`. */
  variantsOf(groupId: string): ReadonlySet<string> | undefined;
  /** Product ids of a category (any level), tag or `brandGroup`; undefined when there is no such group. */
  group(groupId: string): ReadonlySet<string> | undefined;
  /** Disjoint sets of product ids that together hold all products priced within the range, and few others. */
  pricedWithin(range: PriceRange): readonly ReadonlySet<string>[];
  products(): IterableIterator<Product>;
  /** Grows with each write. */
  readonly revision: number;
  /** Ids written since a revision, each once; undefined when that is too long ago to know. */
  changedSince(revision: number): readonly string[] | undefined;
}

/** Products put before requests get a turn: some milliseconds of work. */
const SLICE = 1000;
/** Most writes in the journal, the newest ones. */
const MAX_JOURNAL = 20_000;

export interface CatalogViews {
  /** The view of an app, loaded on first use. */
  of(appId: string): Promise<CatalogView>;
  /** The view when it is loaded already. */
  loaded(appId: string): CatalogView | undefined;
  /** Products of each view in memory, the one asked for longest ago first. */
  sizes(): Iterable<readonly [appId: string, products: number]>;
  forget(appId: string): void;
  close(): void;
}

/** Keeps the catalogues of requested apps in memory: some 0.5 to 1 KiB for each product beside its texts. */
export function createCatalogViews(products: Pick<ProductStore, "scan" | "watch">, now: Now): CatalogViews {
  const entries = new Map<string, KeptCatalog>();

  const open = (appId: string): KeptCatalog => {
    const entry = new KeptCatalog(
      () => products.scan(appId),
      (listener) => products.watch(appId, listener),
      now,
      () => {
        if (entries.get(appId) === entry) entries.delete(appId);
      },
    );
    return entry;
  };

  return {
    of(appId) {
      const entry = entries.get(appId) ?? open(appId);
      entries.delete(appId);
      entries.set(appId, entry); // the last one is the one asked for last
      entry.view?.renewPrices();
      return entry.current;
    },
    loaded: (appId) => entries.get(appId)?.view,
    sizes: () => [...entries].map(([appId, { view }]) => [appId, view?.size ?? 0] as const),
    forget(appId) {
      entries.get(appId)?.stop();
      entries.delete(appId);
    },
    close() {
      for (const entry of entries.values()) entry.close();
      entries.clear();
    },
  };
}

/**
 * The catalogue of one app, read from the store and kept current by its changes. When the store has missed changes, the
 * catalogue is read again beside the serving view, and replaces it when complete.
 */
class KeptCatalog {
  /** The view to answer from; pending only until the first one is loaded. */
  current: Promise<CatalogView>;
  view: MemoryCatalog | undefined;
  readonly stop: () => void;
  private closed = false;
  /** The view being read, and the ids written meanwhile: of these it holds the later state already. */
  private loading: { readonly view: MemoryCatalog; readonly written: Set<string> } | undefined;

  constructor(
    private readonly scan: () => AsyncIterable<readonly Product[]>,
    watch: (listener: (changes: readonly ProductChange[]) => void) => () => void,
    private readonly now: Now,
    private readonly onFailed: () => void,
  ) {
    // Watch first, then read: a product written in between is put twice at most.
    this.stop = watch((changes) => {
      for (const change of changes) this.take(change);
    });
    this.current = this.load();
  }

  /** Reads nothing more: the store is about to be closed. */
  close(): void {
    this.closed = true;
    this.stop();
  }

  private take(change: ProductChange): void {
    if ("reload" in change) {
      const loading = this.load();
      if (this.view === undefined) this.current = loading;
      return;
    }
    for (const view of [this.view, this.loading?.view]) {
      if ("put" in change) view?.put(change.put);
      else view?.remove(change.removed);
    }
    this.loading?.written.add("put" in change ? change.put.productId : change.removed);
  }

  /** A new load replaces one under way. A failed load leaves no stale view behind. */
  private load(): Promise<CatalogView> {
    const loading = { view: new MemoryCatalog(this.now), written: new Set<string>() };
    this.loading = loading;
    const read = async (): Promise<CatalogView> => {
      for await (const batch of this.scan()) {
        for (let from = 0; from < batch.length; from += SLICE) {
          if (from > 0) await setImmediate();
          if (this.closed) throw new Unavailable("The catalogue is closed");
          if (this.loading !== loading) return this.current;
          for (const product of batch.slice(from, from + SLICE))
            if (!loading.written.has(product.productId)) loading.view.put(product);
        }
      }
      if (this.loading !== loading) return this.current;
      this.loading = undefined;
      this.view = loading.view;
      this.current = Promise.resolve(loading.view);
      return loading.view;
    };
    const loaded = read();
    // callers that wait for the view get the error
    loaded.catch(() => {
      if (this.loading !== loading) return;
      this.stop();
      this.onFailed();
    });
    return loaded;
  }
}

class MemoryCatalog implements CatalogView {
  readonly #products = new Map<string, Product>();
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

  constructor(private readonly now: Now) {}

  get size(): number {
    return this.#products.size;
  }

  get hasTitles(): boolean {
    return this.#titled > 0;
  }

  get(productId: string): Product | undefined {
    return this.#products.get(productId);
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

  products(): IterableIterator<Product> {
    return this.#products.values();
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
    if (product.title !== "") this.#titled--;
    this.#prices.remove(productId, product.price);
    if (this.#skus.get(product.sku) === productId) this.#skus.delete(product.sku);
    for (const groupId of groupsOf(product)) removeFrom(this.#groups, groupId, productId);
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
