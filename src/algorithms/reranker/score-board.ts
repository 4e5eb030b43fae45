/**
 * Numbers the products that a query meets as they come, so that what is reckoned of some hundreds of them lies close
 * together in memory, however many products there are. Scratch space: 8 bytes a product.
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

/** Scores of the products that a query met, by slot. */
export class ScoreBoard {
  /** 0 for those without a score. */
  readonly values: Float64Array;
  /** The slots with a score, `count` of them at the front. */
  readonly touched: Uint32Array;
  count = 0;

  constructor(productCount: number) {
    this.values = new Float64Array(productCount);
    this.touched = new Uint32Array(productCount);
  }

  /** Adds a number above 0. */
  add(slot: number, score: number): void {
    if (this.values[slot] === 0) this.touched[this.count++] = slot;
    this.values[slot]! += score;
  }

  /** Keeps the larger one of the score so far and this one, which is above 0. */
  raise(slot: number, score: number): void {
    const before = this.values[slot]!;
    if (before === 0) this.touched[this.count++] = slot;
    if (score > before) this.values[slot] = score;
  }

  clear(): void {
    for (let i = 0; i < this.count; i++) this.values[this.touched[i]!] = 0;
    this.count = 0;
  }
}
