import type { Candidates } from "../../learning/common/candidates.js";
import { createDescendingOrder } from "../../learning/common/top-k.js";
import { placeWorth } from "../../learning/rank/source-blend.js";
import type { List, ServingModel } from "../../learning/sources/source.js";
import type { WeightedCandidates } from "../gather/gather.js";

/** Products by falling score. Valid until the same list is scored again. */
export type Blended = Candidates;

/** @param raisedBy Factor for the score of each product; undefined for none. */
export type Blender = (
  proposals: readonly WeightedCandidates[],
  list: List,
  raisedBy?: (productIndex: number) => number,
) => Blended;

/** One blender for each model, kept as long as the model. */
export function createBlenders(): (model: ServingModel) => Blender {
  const blenders = new WeakMap<ServingModel, Blender>();
  return (model) => {
    const known = blenders.get(model);
    if (known !== undefined) return known;
    const blender = createBlender(model.productIds.length);
    blenders.set(model, blender);
    return blender;
  };
}

/**
 * Adds up what the sources propose. Scores of different sources are not comparable, so a product's score is a weighted sum:
 * of its score as a share of the best of each source, or of the worth of its ranks. Ties go by product index.
 */
export function createBlender(productCount: number): Blender {
  // By product; all 0 between answers.
  const sums = new Float64Array(productCount);
  // By place in the order products are met.
  const touched = new Uint32Array(productCount);
  const scores = new Float64Array(productCount);
  const falling = createDescendingOrder();
  const arrange = { recommended: createArranging(), alternative: createArranging() };
  // By place, as far as one was asked for.
  let placeWorths = new Float64Array(0);
  return (proposals, list, raisedBy) => {
    let count = 0;
    for (const { weight, by, candidates } of proposals) {
      const best = candidates.scores[0] ?? 0;
      if (weight === 0 || (by === "score" && !(best > 0))) continue;
      const { indices, scores: found } = candidates;
      if (placeWorths.length < indices.length) placeWorths = worthsOfPlaces(indices.length);
      for (let i = 0; i < indices.length; i++) {
        const product = indices[i]!;
        const worth = weight * (by === "place" ? placeWorths[i]! : found[i]! / best);
        if (!(worth > 0)) continue;
        if (sums[product] === 0) touched[count++] = product;
        sums[product]! += worth;
      }
    }
    for (let t = 0; t < count; t++) {
      const product = touched[t]!;
      scores[t] = raisedBy === undefined ? sums[product]! : sums[product]! * raisedBy(product);
      sums[product] = 0;
    }
    return arrange[list](touched, scores, falling.of(scores, touched, count));
  };
}

function worthsOfPlaces(count: number): Float64Array<ArrayBuffer> {
  return Float64Array.from({ length: count }, (_, i) => placeWorth(i + 1));
}

/** Puts products and their scores into this order of their places, in space that the next ones take. */
function createArranging(): (products: Uint32Array, scores: Float64Array, order: Uint32Array) => Blended {
  let indices = new Uint32Array(0);
  let arranged = new Float64Array(0);
  return (products, scores, order) => {
    const count = order.length;
    if (count > indices.length) {
      indices = new Uint32Array(2 * count);
      arranged = new Float64Array(2 * count);
    }
    for (let i = 0; i < count; i++) {
      indices[i] = products[order[i]!]!;
      arranged[i] = scores[order[i]!]!;
    }
    return { indices: indices.subarray(0, count), scores: arranged.subarray(0, count) };
  };
}
