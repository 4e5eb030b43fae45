import type { Product } from "../../domain/product.js";
import type { ServingModel } from "../../learning/sources/source.js";
import type { Catalog } from "./catalog.js";

/** What substitutes share. */
export interface ProductFacts {
  /** Id of the narrowest category; undefined without one. */
  readonly category: string | undefined;
  /** Above 0; undefined when it is not known. */
  readonly price: number | undefined;
  readonly currency: string;
}

export function factsOf(product: Product): ProductFacts {
  const { amount, currency } = product.price;
  const price = Number(amount);
  return { category: categoryOf(product), price: price > 0 ? price : undefined, currency };
}

/** Id of the narrowest category; undefined without one. */
export function categoryOf(product: Product): string | undefined {
  return product.categories.at(-1)?.categoryId;
}

/** `ProductFacts` as numbers; equal facts have equal numbers. */
export interface NumberedFacts {
  /** `NO_CATEGORY` without one. */
  readonly category: number;
  /** NaN when it is not known. */
  readonly price: number;
  readonly currency: number;
}

export const NO_CATEGORY = 0;

type Looked = Pick<Catalog, "get">;

/**
 * Catalogue facts of a model's products, by index. An answer compares hundreds of products and shows a few. Reading one
 * object for each would dominate its time, so each product is looked up once and its facts are kept in numeric columns.
 * Memory: about 25 bytes for each product of the model.
 */
export class ProductTable {
  readonly #productIds: readonly string[];
  readonly #catalog: Looked;
  /** 1 for products that were looked up. */
  readonly #looked: Uint8Array;
  /** Undefined also for those that the catalogue does not have. */
  readonly #products: (Product | undefined)[];
  readonly #categories: Uint32Array;
  readonly #prices: Float64Array;
  readonly #currencies: Uint32Array;
  #categoryNumbers = new Map<string, number>();
  #currencyNumbers = new Map<string, number>();

  constructor(productIds: readonly string[], catalog: Looked) {
    this.#productIds = productIds;
    this.#catalog = catalog;
    const count = productIds.length;
    this.#looked = new Uint8Array(count);
    this.#products = new Array<Product | undefined>(count).fill(undefined);
    this.#categories = new Uint32Array(count);
    this.#prices = new Float64Array(count);
    this.#currencies = new Uint32Array(count);
  }

  /** Undefined for one that the catalogue does not have any more. */
  product(index: number): Product | undefined {
    if (this.#looked[index] === 0) this.#look(index);
    return this.#products[index];
  }

  /** `NO_CATEGORY` also for one that the catalogue does not have. */
  category(index: number): number {
    if (this.#looked[index] === 0) this.#look(index);
    return this.#categories[index]!;
  }

  /** NaN also for one that the catalogue does not have. */
  price(index: number): number {
    if (this.#looked[index] === 0) this.#look(index);
    return this.#prices[index]!;
  }

  /** Of one that has a price. */
  currency(index: number): number {
    return this.#currencies[index]!;
  }

  /** The facts of any product, to be compared with those of the model's. */
  numbered(product: Product): NumberedFacts {
    const { category, price, currency } = factsOf(product);
    return {
      category: category === undefined ? NO_CATEGORY : numberIn(this.#categoryNumbers, category),
      price: price ?? Number.NaN,
      currency: numberIn(this.#currencyNumbers, currency),
    };
  }

  /** A product is looked up anew when it is asked for again. */
  forget(index: number): void {
    this.#looked[index] = 0;
  }

  forgetAll(): void {
    this.#looked.fill(0);
    this.#products.fill(undefined);
    this.#categoryNumbers = new Map();
    this.#currencyNumbers = new Map();
  }

  #look(index: number): void {
    const product = this.#catalog.get(this.#productIds[index]!);
    const facts = product && this.numbered(product);
    this.#looked[index] = 1;
    this.#products[index] = product;
    this.#categories[index] = facts?.category ?? NO_CATEGORY;
    this.#prices[index] = facts?.price ?? Number.NaN;
    this.#currencies[index] = facts?.currency ?? 0;
  }
}

/** From 1. */
function numberIn(numbers: Map<string, number>, name: string): number {
  const known = numbers.get(name);
  if (known !== undefined) return known;
  numbers.set(name, numbers.size + 1);
  return numbers.size;
}

/** More changes than this invalidate the whole table. */
const MOST_CHANGED = 1000;

type Known = Pick<Catalog, "get" | "revision" | "changedSince">;

/** Tables of the models that are asked, each kept up with what is written to the catalogue. */
export function createProductTables(): (model: ServingModel, catalog: Known) => ProductTable {
  const kept = new WeakMap<ServingModel, { readonly catalog: Known; revision: number; readonly table: ProductTable }>();

  return (model, catalog) => {
    const { revision = 0 } = catalog;
    let entry = kept.get(model);
    if (entry?.catalog !== catalog) {
      entry = { catalog, revision, table: new ProductTable(model.productIds, catalog) };
      kept.set(model, entry);
    }
    if (entry.revision !== revision) {
      const changed = catalog.changedSince?.(entry.revision);
      if (changed === undefined || changed.length > MOST_CHANGED) entry.table.forgetAll();
      else
        for (const productId of changed) {
          const index = model.indexOf(productId);
          if (index !== undefined) entry.table.forget(index);
        }
      entry.revision = revision;
    }
    return entry.table;
  };
}
