import type { ItemVectors } from "../../session/item-vectors.js";
import { MAX_CANDIDATES } from "./candidate-set.js";
import { FEATURE_COUNT, OF_VECTORS, VECTOR_FEATURES } from "./feature-names.js";
import { createRanks } from "./ranks.js";

/** The temperature of the share, as in learning. */
const TEMPERATURE = 0.1;

/** What vectors learned from visits say of candidates. */
export interface VectorFeatures {
  /** Takes the visit's items, oldest first; not empty. */
  turnTo(items: Uint32Array): void;
  /** Writes the features of the first `count` candidates into their rows. */
  write(candidates: Uint32Array, count: number, rows: Float32Array): void;
}

/** Without vectors all features are 0. */
export function createVectorFeatures(learned: ItemVectors | undefined): VectorFeatures {
  if (learned === undefined) return { turnTo: () => {}, write: writeNothing };
  const { vectors, dimensions, placeWeights, productWeights } = learned;
  const visit = new Float64Array(dimensions);
  const last = new Float64Array(dimensions);
  const second = new Float64Array(dimensions);
  const odds = new Float64Array(MAX_CANDIDATES);
  const ranks = createRanks(MAX_CANDIDATES);

  function copyVector(product: number | undefined, to: Float64Array): void {
    if (product === undefined) to.fill(0);
    else for (let d = 0; d < dimensions; d++) to[d] = vectors[product * dimensions + d]!;
  }

  /** Cosines with the visit, the last step and the one before it. */
  function writeCosines(product: number, rows: Float32Array, at: number): void {
    const from = product * dimensions;
    let ofVisit = 0;
    let ofLast = 0;
    let ofSecond = 0;
    for (let d = 0; d < dimensions; d++) {
      const value = vectors[from + d]!;
      ofVisit += value * visit[d]!;
      ofLast += value * last[d]!;
      ofSecond += value * second[d]!;
    }
    rows[at] = ofVisit;
    rows[at + 1] = ofLast;
    rows[at + 2] = ofSecond;
  }

  return {
    turnTo(items) {
      visit.fill(0);
      const steps = Math.min(placeWeights.length, items.length);
      for (let i = 0; i < steps; i++) {
        const product = items[items.length - 1 - i]!;
        const weight = Math.exp(placeWeights[i]! + productWeights[product]!);
        const from = product * dimensions;
        for (let d = 0; d < dimensions; d++) visit[d]! += weight * vectors[from + d]!;
      }
      let squares = 0;
      for (let d = 0; d < dimensions; d++) squares += visit[d]! ** 2;
      const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
      for (let d = 0; d < dimensions; d++) visit[d]! *= scale;
      copyVector(items.at(-1), last);
      copyVector(items.at(-2), second);
    },
    write(candidates, count, rows) {
      let total = 0;
      for (let c = 0, at = OF_VECTORS; c < count; c++, at += FEATURE_COUNT) {
        writeCosines(candidates[c]!, rows, at);
        odds[c] = Math.exp(rows[at]! / TEMPERATURE);
        total += odds[c]!;
      }
      for (let c = 0, at = OF_VECTORS + 3; c < count; c++, at += FEATURE_COUNT) rows[at] = odds[c]! / total;
      const order = ranks(odds, count);
      for (let rank = 0; rank < count; rank++) rows[order[rank]! * FEATURE_COUNT + OF_VECTORS + 4] = rank + 1;
    },
  };
}

function writeNothing(_: Uint32Array, count: number, rows: Float32Array): void {
  for (let c = 0, at = OF_VECTORS; c < count; c++, at += FEATURE_COUNT)
    for (let v = 0; v < VECTOR_FEATURES.length; v++) rows[at + v] = 0;
}
