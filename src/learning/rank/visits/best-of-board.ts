import { createLowerBound } from "./lower-bound.js";
import type { ScoreBoard, Slots } from "./score-board.js";

/** The best products of a board, kept in order by insertion. */
export class BestOfBoard {
  /** Slots and scores of the last call, best first; equal scores by falling product index. */
  readonly slots: Uint32Array;
  readonly scores: Float64Array;
  count = 0;
  readonly #met: Slots;
  readonly #bound = createLowerBound();

  constructor(met: Slots, most: number) {
    this.slots = new Uint32Array(most);
    this.scores = new Float64Array(most);
    this.#met = met;
  }

  /** Finds the `most` best above 0. */
  find({ values, halves }: ScoreBoard): void {
    const { slots, scores } = this;
    const { products, count: end } = this.#met;
    const most = slots.length;
    let count = 0;
    let worst = this.#bound.of(halves, end, most);
    for (let slot = 0; slot < end; slot++) {
      const score = values[slot]!;
      if (!(score >= worst) || score === 0) continue;
      let to = count;
      if (count < most) count++;
      else {
        to--;
        if (score === worst && products[slot]! < products[slots[to]!]!) continue;
      }
      while (to > 0) {
        const before = scores[to - 1]!;
        if (before > score || (before === score && products[slots[to - 1]!]! > products[slot]!)) break;
        scores[to] = before;
        slots[to] = slots[to - 1]!;
        to--;
      }
      scores[to] = score;
      slots[to] = slot;
      if (count === most) worst = scores[most - 1]!;
    }
    this.count = count;
  }
}
