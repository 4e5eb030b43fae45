import type { LowerBound } from "./lower-bound.js";
import type { ScoreBoard, Slots } from "./score-board.js";

/** The best products of a board, kept in order by insertion. */
export class BestOfBoard {
  /** Slots and scores of the last call, best first; equal scores by falling product index. */
  readonly slots: Uint32Array;
  readonly scores: Float64Array;
  count = 0;
  readonly #met: Slots;
  readonly #lowerBound: LowerBound | undefined;

  /** With a bound 40 and more are found in less time, fewer in more. */
  constructor(met: Slots, most: number, lowerBound?: LowerBound) {
    this.slots = new Uint32Array(most);
    this.scores = new Float64Array(most);
    this.#met = met;
    this.#lowerBound = lowerBound;
  }

  /** Finds the `most` best above 0; fastest when many of them are among the best of another board, `like`. */
  find(board: ScoreBoard, like?: BestOfBoard): void {
    const { slots, scores } = this;
    const { values, width, place } = board;
    const { products, count: end } = this.#met;
    const most = slots.length;
    let count = 0;
    let worst = this.#bound(board, like);
    for (let slot = 0, at = place; slot < end; slot++, at += width) {
      const score = values[at]!;
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

  /** A number that at least `most` scores reach; 0 when there may be fewer. */
  #bound({ values, halves, width, place }: ScoreBoard, like: BestOfBoard | undefined): number {
    const most = this.slots.length;
    if (like !== undefined && like.count >= most) {
      let least = Number.POSITIVE_INFINITY;
      for (let i = 0; i < most; i++) least = Math.min(least, values[like.slots[i]! * width + place]!);
      return least;
    }
    return this.#lowerBound?.of(halves, place, this.#met.count * width, width, most) ?? 0;
  }
}
