import type { Product } from "../../domain/product.js";
import type { PriceRange } from "../../domain/product-filter.js";
import type { ServingModel } from "../../learning/sources/source.js";
import type { ProductTable } from "./product-table.js";

/** The catalogue as recommending needs it. */
export interface Catalog {
  readonly size: number;
  readonly hasTitles: boolean;
  get(productId: string): Product | undefined;
  idOfSku(sku: string): string | undefined;
  /** Ids of the variants of a group, by the id they share. */
  variantsOf(groupId: string): ReadonlySet<string> | undefined;
  group(groupId: string): ReadonlySet<string> | undefined;
  pricedWithin(range: PriceRange): readonly ReadonlySet<string>[];
  products(): IterableIterator<Product>;
  /** Ids of all products, without a look at them. */
  ids(): IterableIterator<string>;
  /** When each product arrived, 0 for unknown, without a look at the products. */
  arrivals(): Iterable<readonly [productId: string, arrivedAt: number]>;
  /** Grows with each write; absent where nothing is written. */
  readonly revision?: number;
  /** Ids of products written or removed since a revision; undefined when that is too long ago to tell. */
  changedSince?(revision: number): readonly string[] | undefined;
}

/** A catalogue that reports its writes. */
export interface WatchedCatalog extends Catalog {
  /** Grows with each write. */
  readonly revision: number;
  /** Ids written since a revision; undefined when that is too long ago. */
  changedSince(revision: number): readonly string[] | undefined;
}

/**
 * A product that a list may show: its index in the model, or its id when the model does not know it. Most proposals are
 * never shown, and an index saves their lookup by id.
 */
export type Proposal = number | string;

/** Looks proposals up in the catalogue. */
export class Shelf {
  /** @param table Facts of the model's products; undefined before the first model, when all proposals are ids. */
  constructor(
    readonly catalog: Catalog,
    readonly model: ServingModel | undefined,
    readonly table: ProductTable | undefined,
  ) {}

  proposal(productId: string): Proposal {
    return this.model?.indexOf(productId) ?? productId;
  }

  productId(proposal: Proposal): string {
    return typeof proposal === "string" ? proposal : this.model!.productIds[proposal]!;
  }

  /** Undefined when the catalogue does not have it. */
  product(proposal: Proposal): Product | undefined {
    return typeof proposal === "string" ? this.catalog.get(proposal) : this.table!.product(proposal);
  }

  /** Number of the narrowest category; undefined without one, and before the first model. */
  category(proposal: Proposal): number | undefined {
    const { table } = this;
    if (table === undefined) return undefined;
    if (typeof proposal === "number") return table.category(proposal) || undefined;
    const product = this.catalog.get(proposal);
    return product && (table.numbered(product).category || undefined);
  }
}
