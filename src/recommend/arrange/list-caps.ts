/** How many products of one brand or one category a list may show. */
import type { FrameRules } from "../../domain/frame-rules.js";
import type { Product } from "../../domain/product.js";
import { categoryOf } from "../products/product-table.js";

export type ListCaps = Pick<FrameRules, "maxPerBrand" | "maxPerCategory">;

export function hasCaps({ maxPerBrand, maxPerCategory }: ListCaps): boolean {
  return maxPerBrand > 0 || maxPerCategory > 0;
}

/** Counts the products of one list, and says which have room in it. Products without a brand or category always have. */
export class CappedList {
  readonly #brands = new Map<string, number>();
  readonly #categories = new Map<string, number>();

  /** @param times What the caps are multiplied by: a list is chosen from so many times its length. */
  constructor(
    private readonly caps: ListCaps,
    private readonly times = 1,
  ) {}

  /** True, and the product is counted, when it has room. */
  takes(product: Product): boolean {
    const brand = product.brand.trim().toLowerCase();
    const category = categoryOf(product) ?? "";
    if (!this.#hasRoom(this.#brands, brand, this.caps.maxPerBrand)) return false;
    if (!this.#hasRoom(this.#categories, category, this.caps.maxPerCategory)) return false;
    this.#brands.set(brand, (this.#brands.get(brand) ?? 0) + 1);
    this.#categories.set(category, (this.#categories.get(category) ?? 0) + 1);
    return true;
  }

  #hasRoom(counts: ReadonlyMap<string, number>, name: string, most: number): boolean {
    return name === "" || most === 0 || (counts.get(name) ?? 0) < most * this.times;
  }
}
