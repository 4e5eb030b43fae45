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

/** A score of each product that a query met: `values[slot * width + place]`, 0 for those without. */
export interface ScoreBoard {
  readonly values: Float64Array;
  /** The same memory: the upper half of a value's bits behind its lower one. */
  readonly halves: Uint32Array;
  readonly width: number;
  readonly place: number;
}

/** The score of a slot. */
export function scoreAt({ values, width, place }: ScoreBoard, slot: number): number {
  return values[slot * width + place]!;
}

/**
 * Boards that are written together: `width` scores of one product lie beside each other, so that adding to all of them
 * waits for memory once. Scratch space: 8 bytes a product and board.
 */
export class ScoreTable {
  readonly values: Float64Array;
  readonly width: number;

  constructor(productCount: number, width: number) {
    this.values = new Float64Array(productCount * width);
    this.width = width;
  }

  board(place: number): ScoreBoard {
    return { values: this.values, halves: new Uint32Array(this.values.buffer), width: this.width, place };
  }

  /** `slotCount`: slots that may have a score. */
  clear(slotCount: number): void {
    this.values.fill(0, 0, slotCount * this.width);
  }
}
