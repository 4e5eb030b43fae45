/** The features of each product for one cart: sums and maxima over the products of the cart. */
import type { ItemGraph } from "../../common/item-graph.js";
import type { CartComplements } from "../../sources/carts/complements.js";
import type { BasketSearch } from "../../sources/carts/neighbours.js";
import type { Rules } from "../../sources/rules/association-rules.js";
import type { CartSources } from "./candidates.js";

/** A set of product indices. Clearing it costs only as much as it holds. */
export class ProductSet {
  readonly #marks: Uint8Array;
  readonly #products: Uint32Array;
  #size = 0;

  /** @param capacity Most products that it holds at a time. */
  constructor(productCount: number, capacity: number) {
    this.#marks = new Uint8Array(productCount);
    this.#products = new Uint32Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  has(product: number): boolean {
    return this.#marks[product] === 1;
  }

  add(product: number): void {
    if (this.#marks[product] === 1) return;
    this.#marks[product] = 1;
    this.#products[this.#size++] = product;
  }

  /** In the order of adding; less than `size`. */
  at(i: number): number {
    return this.#products[i]!;
  }

  sorted(): Uint32Array {
    return this.#products.slice(0, this.#size).sort();
  }

  clear(): void {
    for (let i = 0; i < this.#size; i++) this.#marks[this.#products[i]!] = 0;
    this.#size = 0;
  }
}

/** One array for each feature, indexed by product; all 0 between two carts. Memory: 55 bytes a product. */
export class CartEvidence {
  /** Products with any feature. */
  readonly met: ProductSet;
  readonly ridge: Float64Array;
  readonly ridgeMost: Float32Array;
  readonly ridgeLast: Float32Array;
  /** Share of the similar baskets, by similarity, that hold the product. */
  readonly share: Float64Array;
  readonly confidence: Float32Array;
  readonly cosine: Float32Array;
  readonly cosineMost: Float32Array;
  readonly antecedents: Uint16Array;
  readonly near: Float64Array;
  readonly nearMost: Float32Array;

  constructor(productCount: number) {
    this.met = new ProductSet(productCount, productCount);
    this.ridge = new Float64Array(productCount);
    this.ridgeMost = new Float32Array(productCount);
    this.ridgeLast = new Float32Array(productCount);
    this.share = new Float64Array(productCount);
    this.confidence = new Float32Array(productCount);
    this.cosine = new Float32Array(productCount);
    this.cosineMost = new Float32Array(productCount);
    this.antecedents = new Uint16Array(productCount);
    this.near = new Float64Array(productCount);
    this.nearMost = new Float32Array(productCount);
  }

  /**
   * Everything the sources say of these products.
   * @param items Known products, each once, ascending.
   */
  gather(
    items: readonly number[],
    last: ReadonlySet<number>,
    { cart, rules, near }: CartSources,
    findBaskets: BasketSearch,
  ): void {
    for (const item of items) {
      this.addRidge(item, last.has(item), cart.ridge);
      this.addRules(item, rules);
      this.addNear(item, near);
    }
    if (items.length === 0) return;
    const { indices, scores } = findBaskets(items);
    this.addBaskets(indices, scores, cart.baskets);
  }

  /** @param isLast Whether the item is among the last products of the cart. */
  addRidge(item: number, isLast: boolean, { products, weights }: CartComplements["ridge"]): void {
    const { met, ridge, ridgeMost, ridgeLast } = this;
    for (let i = products.offsets[item]!; i < products.offsets[item + 1]!; i++) {
      const product = products.items[i]!;
      const weight = weights[i]!;
      met.add(product);
      ridge[product]! += weight;
      if (weight > ridgeMost[product]!) ridgeMost[product] = weight;
      if (isLast) ridgeLast[product]! += weight;
    }
  }

  addNear(item: number, { edges, weights }: ItemGraph): void {
    const { met, near, nearMost } = this;
    for (let i = edges.offsets[item]!; i < edges.offsets[item + 1]!; i++) {
      const product = edges.items[i]!;
      met.add(product);
      near[product]! += weights[i]!;
      if (weights[i]! > nearMost[product]!) nearMost[product] = weights[i]!;
    }
  }

  addRules(item: number, rules: Rules): void {
    const { met, confidence, cosine, cosineMost, antecedents } = this;
    const ordered = rules.productCounts[item]!;
    for (let i = rules.offsets[item]!; i < rules.offsets[item + 1]!; i++) {
      const product = rules.consequents[i]!;
      const both = rules.counts[i]!;
      met.add(product);
      confidence[product] = Math.max(confidence[product]!, both / ordered);
      const alike = both / Math.sqrt(ordered * rules.productCounts[product]!);
      cosine[product]! += alike;
      if (alike > cosineMost[product]!) cosineMost[product] = alike;
      antecedents[product]!++;
    }
  }

  /** @param scores Similarity of each basket. */
  addBaskets(indices: Uint32Array, scores: Float64Array, { offsets, items }: CartComplements["baskets"]): void {
    const { met, share } = this;
    let total = 0;
    for (const score of scores) total += score;
    for (let s = 0; s < indices.length; s++) {
      const part = scores[s]! / total;
      for (let i = offsets[indices[s]!]!; i < offsets[indices[s]! + 1]!; i++) {
        met.add(items[i]!);
        share[items[i]!]! += part;
      }
    }
  }

  clear(): void {
    for (let m = 0; m < this.met.size; m++) {
      const product = this.met.at(m);
      this.ridge[product] = 0;
      this.ridgeMost[product] = 0;
      this.ridgeLast[product] = 0;
      this.share[product] = 0;
      this.confidence[product] = 0;
      this.cosine[product] = 0;
      this.cosineMost[product] = 0;
      this.antecedents[product] = 0;
      this.near[product] = 0;
      this.nearMost[product] = 0;
    }
    this.met.clear();
  }
}
