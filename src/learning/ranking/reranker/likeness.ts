import type { ItemVectors } from "../../session/item-vectors.js";
import { MAX_CANDIDATES } from "./candidate-set.js";
import { FEATURE_COUNT, OF_LIKENESS } from "./feature-names.js";
import { createRanks } from "./ranks.js";

/** Of the softmax that makes shares of cosines, as vectors are learned with. */
const TEMPERATURE = 0.1;

/** How like products are to the visit: dot products of their vectors. */
export interface Likeness {
  /** Takes the visit's items, oldest first; not empty. */
  turnTo(items: Uint32Array): void;
  /**
   * Writes into the rows of the first `count` candidates how like they are to the last product, to the visit's direction and
   * to the product before the last, then the second as a share of all candidates and as a rank.
   */
  write(candidates: Uint32Array, count: number, rows: Float32Array): void;
}

export function createLikeness({ vectors, dimensions, placeWeights, productWeights }: ItemVectors): Likeness {
  const last = new Float64Array(dimensions);
  const second = new Float64Array(dimensions);
  /** The direction of the newest steps, each counting as much as its place and its product say; of length 1. */
  const direction = new Float64Array(dimensions);
  const odds = new Float64Array(MAX_CANDIDATES);
  const ranks = createRanks(MAX_CANDIDATES);

  function copyVector(product: number | undefined, to: Float64Array): void {
    if (product === undefined) to.fill(0);
    else for (let d = 0; d < dimensions; d++) to[d] = vectors[product * dimensions + d]!;
  }

  function writeProducts(product: number, rows: Float32Array, at: number): void {
    const from = product * dimensions;
    let likeLast = 0;
    let likeVisit = 0;
    let likeSecond = 0;
    for (let d = 0; d < dimensions; d++) {
      const value = vectors[from + d]!;
      likeLast += value * last[d]!;
      likeVisit += value * direction[d]!;
      likeSecond += value * second[d]!;
    }
    rows[at] = likeLast;
    rows[at + 1] = likeVisit;
    rows[at + 2] = likeSecond;
  }

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
      copyVector(items.at(-1), last);
      copyVector(items.at(-2), second);
    },
    write(candidates, count, rows) {
      let total = 0;
      for (let c = 0, at = OF_LIKENESS; c < count; c++, at += FEATURE_COUNT) {
        writeProducts(candidates[c]!, rows, at);
        odds[c] = Math.exp(rows[at + 1]! / TEMPERATURE);
        total += odds[c]!;
      }
      for (let c = 0, at = OF_LIKENESS + 3; c < count; c++, at += FEATURE_COUNT) rows[at] = odds[c]! / total;
      const order = ranks(odds, count);
      for (let rank = 0; rank < count; rank++) rows[order[rank]! * FEATURE_COUNT + OF_LIKENESS + 4] = rank + 1;
    },
  };
}
