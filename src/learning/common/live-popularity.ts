/**
 * Popularity that goes on after a training: a product's score is the fitted one and what was added since. Products stay
 * in falling order; one that gains or loses moves past those it now stands before or behind, found by bisection.
 */
export class LivePopularity {
  readonly #added = new Map<number, number>();

  /**
   * @param fitted Scores that stay as they are.
   * @param scores A copy of them, kept up to date.
   * @param order All products by falling score, equal ones by index; kept up to date.
   */
  constructor(
    private readonly fitted: Float32Array,
    readonly scores: Float32Array,
    readonly order: Uint32Array,
  ) {}

  /** Adds to a product's score; the same amount below 0 takes it back. */
  add(product: number, amount: number): void {
    const added = (this.#added.get(product) ?? 0) + amount;
    // What was taken back leaves a rounding error.
    if (Math.abs(added) < 1e-9) this.#added.delete(product);
    else this.#added.set(product, added);
    const score = Math.fround(this.fitted[product]! + (this.#added.get(product) ?? 0));
    if (score === this.scores[product]) return;
    const from = this.#placeOf(product, this.scores[product]!);
    const found = this.#placeOf(product, score);
    const to = found > from ? found - 1 : found;
    if (to < from) this.order.copyWithin(to + 1, to, from);
    else this.order.copyWithin(from, from + 1, to + 1);
    this.order[to] = product;
    this.scores[product] = score;
  }

  /** How many products stand before one with this score. */
  #placeOf(product: number, score: number): number {
    let low = 0;
    let high = this.order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.order[middle]!;
      const its = this.scores[other]!;
      if (its > score || (its === score && other < product)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
