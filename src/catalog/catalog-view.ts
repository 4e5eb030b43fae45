import { setImmediate as otherWork } from "node:timers/promises";
import type { Now } from "../domain/clock.js";
import { DataDamaged, Unavailable } from "../domain/errors.js";
import type { Product } from "../domain/product.js";
import type { PriceRange } from "../domain/product-filter.js";
import type { ProductChange, ProductStore } from "../store/ports/product-store.js";
import { MemoryCatalog } from "./memory-catalog.js";

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
  ids(): IterableIterator<string>;
  /** When each product arrived, 0 for unknown, without a look at products that were let go. */
  arrivals(): IterableIterator<readonly [productId: string, arrivedAt: number]>;
  /** Grows with each write. */
  readonly revision: number;
  /** Ids written since a revision, each once; undefined when that is too long ago to know. */
  changedSince(revision: number): readonly string[] | undefined;
}

/** Products put before requests get a turn: some milliseconds of work. */
const SLICE = 1000;
/** How long after a request for an app that was let go its products are read: longer than its model takes to load. */
const READ_AGAIN_MS = 500;

export interface CatalogSize {
  readonly products: number;
  /** True for a view whose products were let go. */
  readonly isLetGo: boolean;
}

export interface CatalogViews {
  /** The view of an app, loaded on first use. */
  of(appId: string): Promise<CatalogView>;
  /** The view when its products are in memory already. */
  loaded(appId: string): CatalogView | undefined;
  /** Each view in memory, the one asked for longest ago first. */
  sizes(): Iterable<readonly [appId: string, size: CatalogSize]>;
  /**
   * Lets the products of a view go and keeps its indexes, so that the next request is answered at once and reads the few
   * products it looks at; the others follow. False when the store cannot read products at once.
   */
  letGo(appId: string): boolean;
  forget(appId: string): void;
  close(): void;
}

/** Keeps the catalogues of requested apps in memory: some 0.5 to 1 KiB for each product beside its texts. */
export function createCatalogViews(products: Pick<ProductStore, "scan" | "watch" | "getNow">, now: Now): CatalogViews {
  const entries = new Map<string, KeptCatalog>();

  const open = (appId: string): KeptCatalog => {
    const entry = new KeptCatalog(
      () => products.scan(appId),
      (listener) => products.watch(appId, listener),
      (productId) => readNow(products, appId, productId),
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
      entry.readAgain();
      entry.view?.renewPrices();
      return entry.current;
    },
    loaded(appId) {
      const entry = entries.get(appId);
      return entry?.isLetGo ? undefined : entry?.view;
    },
    sizes: () =>
      [...entries].map(([appId, { view, isLetGo }]) => [appId, { products: view?.size ?? 0, isLetGo }] as const),
    letGo: (appId) => products.getNow !== undefined && (entries.get(appId)?.letGo() ?? false),
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

/** Undefined also for a damaged product, which the store has counted. */
function readNow({ getNow }: Pick<ProductStore, "getNow">, appId: string, productId: string): Product | undefined {
  try {
    return getNow?.(appId, productId);
  } catch (error) {
    if (error instanceof DataDamaged) return undefined;
    throw error;
  }
}

/**
 * The catalogue of one app, read from the store and kept current by its changes. When the store has missed changes, the
 * catalogue is read again beside the serving view, and replaces it when complete.
 */
class KeptCatalog {
  /** The view to answer from; pending only until the first one is loaded. */
  current: Promise<CatalogView>;
  view: MemoryCatalog | undefined;
  /** True while the view's products are let go. */
  isLetGo = false;
  readonly stop: () => void;
  private closed = false;
  private steps: Generator<undefined, void, undefined> | undefined;
  /** The view being read, and the ids written meanwhile: of these it holds the later state already. */
  private loading: { readonly view: MemoryCatalog; readonly written: Set<string> } | undefined;

  constructor(
    private readonly scan: () => AsyncIterable<readonly Product[]>,
    watch: (listener: (changes: readonly ProductChange[]) => void) => () => void,
    private readonly read: (productId: string) => Product | undefined,
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

  /** False before the view is loaded. */
  letGo(): boolean {
    if (this.view === undefined) return false;
    this.isLetGo = true;
    this.doInSteps(this.view.letGo());
    return true;
  }

  /** Begins when the answer that asked for it is given: the model is loaded first. */
  readAgain(): void {
    if (!this.isLetGo || this.view === undefined) return;
    this.isLetGo = false;
    this.doInSteps(this.view.readAll(), READ_AGAIN_MS);
  }

  /** Until the view is let go, or read, again. A store that closes meanwhile ends it. */
  private doInSteps(steps: Generator<undefined, void, undefined>, afterMs?: number): void {
    this.steps = steps;
    const step = (): void => {
      if (this.closed || this.steps !== steps) return;
      try {
        if (!steps.next().done) setImmediate(step);
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
      }
    };
    if (afterMs === undefined) step();
    else setTimeout(step, afterMs).unref();
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
    const loading = { view: new MemoryCatalog(this.now, this.read), written: new Set<string>() };
    this.loading = loading;
    const read = async (): Promise<CatalogView> => {
      for await (const batch of this.scan()) {
        for (let from = 0; from < batch.length; from += SLICE) {
          if (from > 0) await otherWork();
          if (this.closed) throw new Unavailable("The catalogue is closed");
          if (this.loading !== loading) return this.current;
          for (const product of batch.slice(from, from + SLICE))
            if (!loading.written.has(product.productId)) loading.view.put(product);
        }
      }
      if (this.loading !== loading) return this.current;
      this.loading = undefined;
      this.view = loading.view;
      this.isLetGo = false;
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
