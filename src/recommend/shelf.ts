import type { Product } from "../domain/product.js";
import type { ServingModel } from "../model/source.js";
import type { ProductTable } from "./product-facts.js";
import type { Catalog } from "./selection.js";

/**
 * A product that a list may show: always its index where the model knows it, else its id. Most are looked at and not
 * shown, and nothing need be looked up by an id for these.
 */
export type Proposal = number | string;

/** The catalogue by proposals. */
export class Shelf {
  /** @param table Of the model's products; undefined before the first model, when all proposals are ids. */
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
