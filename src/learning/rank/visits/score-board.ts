/**
 * Gives each product that a query meets the next free slot. A query meets some hundreds of products; slots keep their
 * scores close together in memory. Scratch space: 8 bytes for each product.
 */
export class Slots {
  /** By slot. */
  readonly products: Uint32Array;
  count = 0;
  /** By product: its slot + 1; 0 for one that was not met. */
  readonly #numbers: Uint32Array;

  constructor(productCount: number) {
    this.products = new Uint32Array(productCount);
    this.#numbers = new Uint32Array(productCount);
  }

  /** The slot of a product, a new one for one that was not met yet. */
  of(product: number): number {
    const number = this.#numbers[product]!;
    if (number !== 0) return number - 1;
    this.products[this.count] = product;
    this.#numbers[product] = this.count + 1;
    return this.count++;
  }

  clear(): void {
    for (let slot = 0; slot < this.count; slot++) this.#numbers[this.products[slot]!] = 0;
    this.count = 0;
  }
}

/** A score of each product that a query met, by slot; 0 for those without. Scratch space: 8 bytes a product. */
export class ScoreBoard {
  readonly values: Float64Array;
  /** The same memory: the upper half of a value's bits behind its lower one. */
  readonly halves: Uint32Array;

  constructor(productCount: number) {
    this.values = new Float64Array(productCount);
    this.halves = new Uint32Array(this.values.buffer);
  }

  /** `slotCount`: slots that may have a score. */
  clear(slotCount: number): void {
    this.values.fill(0, 0, slotCount);
  }
}
