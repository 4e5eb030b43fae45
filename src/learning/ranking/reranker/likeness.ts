import type { RankerSources } from "./ranker-sources.js";

const STEPS = 10;
/** The weight of a step beside the one after it. */
const DECAY = 0.75;

/** How like products are to the visit: dot products of their vectors. */
export interface Likeness {
  /** Takes the visit's items, oldest first; not empty. */
  turnTo(items: Uint32Array): void;
  /** Writes a product's likeness to the last product and to the visit's direction at `at` and behind it. */
  write(product: number, rows: Float32Array, at: number): void;
}

export function createLikeness({ vectors, dimensions }: Pick<RankerSources, "vectors" | "dimensions">): Likeness {
  const lastVector = new Float64Array(dimensions);
  /** The direction of the newest steps, later ones counting more; of length 1. */
  const direction = new Float64Array(dimensions);
  return {
    turnTo(items) {
      direction.fill(0);
      let weight = 1;
      for (let at = items.length - 1; at >= Math.max(0, items.length - STEPS); at--) {
        const from = items[at]! * dimensions;
        for (let d = 0; d < dimensions; d++) direction[d]! += weight * vectors[from + d]!;
        weight *= DECAY;
      }
      let squares = 0;
      for (let d = 0; d < dimensions; d++) squares += direction[d]! ** 2;
      const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
      for (let d = 0; d < dimensions; d++) direction[d]! *= scale;
      const last = items.at(-1)! * dimensions;
      for (let d = 0; d < dimensions; d++) lastVector[d] = vectors[last + d]!;
    },
    write(product, rows, at) {
      const from = product * dimensions;
      let likeLast = 0;
      let likeVisit = 0;
      for (let d = 0; d < dimensions; d++) {
        const value = vectors[from + d]!;
        likeLast += value * lastVector[d]!;
        likeVisit += value * direction[d]!;
      }
      rows[at] = likeLast;
      rows[at + 1] = likeVisit;
    },
  };
}
