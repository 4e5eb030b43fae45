import type { ItemVectors } from "../../sources/sessions/item-vectors.js";
import { MAX_CANDIDATES } from "./candidate-set.js";
import { FEATURE_COUNT, OF_LIKENESS } from "./feature-names.js";

/** Of the softmax that makes shares of likeness, as vectors are learned with. */
const TEMPERATURE = 0.1;

/** How like products are to the visit: dot products of their vectors. */
export interface Likeness {
  /** Takes the visit's items, oldest first; not empty. */
  turnTo(items: Uint32Array): void;
  /**
   * Writes into the rows of the first `count` candidates how like they are to the last product and to the visit's direction,
   * and the latter as a share of all candidates.
   */
  write(candidates: Uint32Array, count: number, rows: Float32Array): void;
}

export function createLikeness({ vectors, dimensions, placeWeights, productWeights }: ItemVectors): Likeness {
  const lastVector = new Float64Array(dimensions);
  /** The direction of the newest steps, each counting as much as its place and its product say; of length 1. */
  const direction = new Float64Array(dimensions);
  const odds = new Float64Array(MAX_CANDIDATES);
  return {
    turnTo(items) {
      direction.fill(0);
      const steps = Math.min(placeWeights.length, items.length);
      for (let i = 0; i < steps; i++) {
        const product = items[items.length - 1 - i]!;
        const weight = placeWeights[i]! * productWeights[product]!;
        const from = product * dimensions;
        for (let d = 0; d < dimensions; d++) direction[d]! += weight * vectors[from + d]!;
      }
      let squares = 0;
      for (let d = 0; d < dimensions; d++) squares += direction[d]! ** 2;
      const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
      for (let d = 0; d < dimensions; d++) direction[d]! *= scale;
      const last = items.at(-1)! * dimensions;
      for (let d = 0; d < dimensions; d++) lastVector[d] = vectors[last + d]!;
    },
    write(candidates, count, rows) {
      let total = 0;
      // Two at a time: the sums of one go on while those of the other wait for their last addition.
      for (let c = 0, at = OF_LIKENESS; c < count; c += 2, at += 2 * FEATURE_COUNT) {
        const from = candidates[c]! * dimensions;
        const otherFrom = candidates[Math.min(c + 1, count - 1)]! * dimensions;
        let likeLast = 0;
        let likeVisit = 0;
        let otherLast = 0;
        let otherVisit = 0;
        for (let d = 0; d < dimensions; d++) {
          const value = vectors[from + d]!;
          const other = vectors[otherFrom + d]!;
          const ofLast = lastVector[d]!;
          const ofVisit = direction[d]!;
          likeLast += value * ofLast;
          likeVisit += value * ofVisit;
          otherLast += other * ofLast;
          otherVisit += other * ofVisit;
        }
        rows[at] = likeLast;
        rows[at + 1] = likeVisit;
        odds[c] = Math.exp(likeVisit / TEMPERATURE);
        total += odds[c]!;
        if (c + 1 === count) break;
        rows[at + FEATURE_COUNT] = otherLast;
        rows[at + FEATURE_COUNT + 1] = otherVisit;
        odds[c + 1] = Math.exp(otherVisit / TEMPERATURE);
        total += odds[c + 1]!;
      }
      for (let c = 0, at = OF_LIKENESS + 2; c < count; c++, at += FEATURE_COUNT) rows[at] = odds[c]! / total;
    },
  };
}
