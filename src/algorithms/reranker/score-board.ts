/** Scores of some products out of many: reading one is an array access, clearing costs only what was touched. */
export class ScoreBoard {
  /** By product; 0 for those without a score. */
  readonly values: Float64Array;
  /** The products with a score, `count` of them at the front. */
  readonly touched: Uint32Array;
  count = 0;

  constructor(productCount: number) {
    this.values = new Float64Array(productCount);
    this.touched = new Uint32Array(productCount);
  }

  /** Adds a number above 0. */
  add(product: number, score: number): void {
    if (this.values[product] === 0) this.touched[this.count++] = product;
    this.values[product]! += score;
  }

  /** Keeps the larger one of the score so far and this one, which is above 0. */
  raise(product: number, score: number): void {
    const before = this.values[product]!;
    if (before === 0) this.touched[this.count++] = product;
    if (score > before) this.values[product] = score;
  }

  clear(): void {
    for (let i = 0; i < this.count; i++) this.values[this.touched[i]!] = 0;
    this.count = 0;
  }
}
