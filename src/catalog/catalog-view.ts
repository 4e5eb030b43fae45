import type { Product } from "../domain/product.js";
import type { ProductStore } from "../ports/product-store.js";

/** An app's products in memory, always as the store has them. */
export interface CatalogView {
  readonly size: number;
  /** True as soon as one product has a title: then untitled ones are not shown. */
  readonly hasTitles: boolean;
  get(productId: string): Product | undefined;
  /** The product a SKU belongs to. */
  idOfSku(sku: string): string | undefined;
  /** Product ids of a category (any level) or tag; undefined when there is no such group. */
  group(groupId: string): ReadonlySet<string> | undefined;
  products(): IterableIterator<Product>;
}

export interface CatalogViews {
  /** The view of an app, loaded on first use. */
  of(appId: string): Promise<CatalogView>;
  /** The view when it is loaded already. */
  loaded(appId: string): CatalogView | undefined;
  forget(appId: string): void;
  close(): void;
}

/** Keeps the catalogues of the apps that are asked for. Memory: some 0.5 to 1 KiB a product beside its texts. */
export function createCatalogViews(products: Pick<ProductStore, "scan" | "watch">): CatalogViews {
  interface Entry {
    readonly opening: Promise<CatalogView>;
    view: CatalogView | undefined;
    stop: () => void;
  }
  const entries = new Map<string, Entry>();

  const open = (appId: string): Entry => {
    const view = new MemoryCatalog();
    // Watch first, then read: what is written meanwhile is put twice at most, and the later state stands.
    const written = new Set<string>();
    let scanning = true;
    const stop = products.watch(appId, (changes) => {
      for (const change of changes) {
        if ("put" in change) {
          view.put(change.put);
          if (scanning) written.add(change.put.productId);
        } else {
          view.remove(change.removed);
          if (scanning) written.add(change.removed);
        }
      }
    });
    const load = async () => {
      for await (const batch of products.scan(appId)) {
        for (const product of batch) if (!written.has(product.productId)) view.put(product);
      }
      scanning = false;
      written.clear();
      entry.view = view;
      return view;
    };
    const opening = load();
    const entry: Entry = { opening, view: undefined, stop };
    opening.catch(() => {
      stop();
      if (entries.get(appId) === entry) entries.delete(appId);
    });
    return entry;
  };

  return {
    of(appId) {
      let entry = entries.get(appId);
      if (entry === undefined) {
        entry = open(appId);
        entries.set(appId, entry);
      }
      return entry.opening;
    },
    loaded: (appId) => entries.get(appId)?.view,
    forget(appId) {
      entries.get(appId)?.stop();
      entries.delete(appId);
    },
    close() {
      for (const entry of entries.values()) entry.stop();
      entries.clear();
    },
  };
}

class MemoryCatalog implements CatalogView {
  readonly #products = new Map<string, Product>();
  readonly #skus = new Map<string, string>();
  readonly #groups = new Map<string, Set<string>>();
  #titled = 0;

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

  group(groupId: string): ReadonlySet<string> | undefined {
    return this.#groups.get(groupId);
  }

  products(): IterableIterator<Product> {
    return this.#products.values();
  }

  put(product: Product): void {
    this.remove(product.productId);
    this.#products.set(product.productId, product);
    if (product.title !== "") this.#titled++;
    if (product.sku !== "") this.#skus.set(product.sku, product.productId);
    for (const groupId of groupsOf(product)) {
      const group = this.#groups.get(groupId);
      if (group === undefined) this.#groups.set(groupId, new Set([product.productId]));
      else group.add(product.productId);
    }
  }

  remove(productId: string): void {
    const product = this.#products.get(productId);
    if (product === undefined) return;
    this.#products.delete(productId);
    if (product.title !== "") this.#titled--;
    if (this.#skus.get(product.sku) === productId) this.#skus.delete(product.sku);
    for (const groupId of groupsOf(product)) {
      const group = this.#groups.get(groupId);
      group?.delete(productId);
      if (group?.size === 0) this.#groups.delete(groupId);
    }
  }
}

function groupsOf(product: Product): Set<string> {
  return new Set([...product.categories.map((category) => category.categoryId), ...product.tags]);
}
