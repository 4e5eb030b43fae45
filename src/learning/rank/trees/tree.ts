/**
 * One regression tree grown leaf by leaf: the leaf whose best split gains most is split next (Shi: Best-first decision
 * tree learning, 2007; Ke et al.: LightGBM, NeurIPS 2017). Splits and leaf values are those of second-order boosting
 * (Chen, Guestrin: XGBoost, KDD 2016, section 2.2):
 *
 *   gain(leaf) = G^2 / (H + l2)        value(leaf) = -G / (H + l2)
 *
 * with G and H the sums of gradients and second derivatives of its rows. Sums by feature and bin are counted for the
 * smaller child of a split; the other's are those of the parent less them. A compiled kernel runs the loops over rows and
 * bins: the same trees in a third of the time of JavaScript.
 */
import type { FeatureBins } from "./bins.js";
import { ASKED_NUMBERS, type KernelRows, PAIR_BYTES } from "./kernel-rows.js";

export interface TreeParams {
  readonly leaves: number;
  readonly l2: number;
  /** Sum of second derivatives that a leaf has at least. */
  readonly minHessian: number;
  /** Gain a split makes at least. */
  readonly minGain: number;
}

/** Nodes in the order they were made, root first; a leaf has left 0. */
export interface Tree {
  readonly features: Uint32Array;
  /** A row goes left when its bin is at most this. */
  readonly splitBins: Uint8Array;
  /** Left child; the right one lies behind it. */
  readonly lefts: Uint32Array;
  /** Of leaves, without any learning rate; 0 for others. */
  readonly values: Float64Array;
  /** What each split gained, by node. */
  readonly gains: Float64Array;
}

interface Leaf {
  readonly node: number;
  readonly begin: number;
  readonly end: number;
  /** Where its sums are. */
  readonly sums: number;
  readonly gradient: number;
  readonly hessian: number;
  readonly best: Split | undefined;
}

interface Split {
  readonly feature: number;
  readonly bin: number;
  readonly gain: number;
}

/**
 * Grows a tree on the first `count` of the chosen rows by their pairs. Only features whose mark in `allowed` is not 0 are
 * asked.
 */
export type GrowTree = (count: number, allowed: Uint8Array) => Tree;

export function createTreeGrower(
  rows: KernelRows,
  { featureCount, offsets }: FeatureBins,
  params: TreeParams,
): GrowTree {
  const { leaves: mostLeaves, l2, minHessian, minGain } = params;
  const { kernel, at } = rows;
  const { buffer } = kernel.memory;
  const asked = new Uint32Array(buffer, at.asked, ASKED_NUMBERS * featureCount);
  const whole = new Float64Array(buffer, at.whole, 2);
  const found = new DataView(buffer, at.found, PAIR_BYTES);

  /** Lists the features a tree may ask; returns how many they are, and the bytes of all their sums. */
  function ask(allowed: Uint8Array): { readonly count: number; readonly length: number } {
    let count = 0;
    let length = 0;
    for (let feature = 0; feature < featureCount; feature++) {
      if (allowed[feature] === 0) continue;
      const end = length + PAIR_BYTES * (offsets[feature + 1]! - offsets[feature]! + 1);
      asked.set([feature, length, end], ASKED_NUMBERS * count++);
      length = end;
    }
    return { count, length };
  }

  return (rowCount, allowed) => {
    const { count: askedCount, length } = ask(allowed);
    let nextSums = at.sums;
    const sumsOf = (begin: number, end: number): number => {
      const sums = nextSums;
      nextSums += length;
      kernel.clear(sums, length);
      const from = at.chosen + 4 * begin;
      kernel.addRows(from, end - begin, at.cells, featureCount, at.pairs, at.asked, askedCount, sums);
      return sums;
    };
    const leafOf = (node: number, begin: number, end: number, sums: number): Leaf => {
      // The bins of one feature hold every row of the leaf.
      kernel.total(sums, sums + asked[2]!, at.whole);
      const place = kernel.bestSplit(sums, at.whole, at.asked, askedCount, l2, minHessian, minGain, at.found);
      const best =
        place === 0
          ? undefined
          : {
              feature: asked[ASKED_NUMBERS * (place - 1)]!,
              bin: found.getInt32(8, true),
              gain: found.getFloat64(0, true),
            };
      return { node, begin, end, sums, gradient: whole[0]!, hessian: whole[1]!, best };
    };
    const nodes = 2 * mostLeaves - 1;
    const tree = {
      features: new Uint32Array(nodes),
      splitBins: new Uint8Array(nodes),
      lefts: new Uint32Array(nodes),
      values: new Float64Array(nodes),
      gains: new Float64Array(nodes),
    };
    const leaves = [leafOf(0, 0, rowCount, sumsOf(0, rowCount))];
    let count = 1;
    while (leaves.length < mostLeaves) {
      let widest = -1;
      for (const [i, { best }] of leaves.entries())
        if (best !== undefined && best.gain > (leaves[widest]?.best?.gain ?? 0)) widest = i;
      const parent = leaves[widest];
      if (parent?.best === undefined) break;
      const { node, begin, end, sums, best } = parent;
      const { feature, bin } = best;
      const first = at.chosen + 4 * begin;
      const middle = begin + kernel.partition(first, end - begin, at.cells + feature, featureCount, bin, at.aside);
      const smallIsLeft = middle - begin <= end - middle;
      const small = smallIsLeft ? sumsOf(begin, middle) : sumsOf(middle, end);
      kernel.subtract(sums, small, length);
      const [left, right] = smallIsLeft ? [small, sums] : [sums, small];
      tree.features[node] = feature;
      tree.splitBins[node] = bin;
      tree.gains[node] = best.gain;
      tree.lefts[node] = count;
      leaves.splice(widest, 1, leafOf(count, begin, middle, left), leafOf(count + 1, middle, end, right));
      count += 2;
    }
    for (const { node, gradient, hessian } of leaves) tree.values[node] = hessian > 0 ? -gradient / (hessian + l2) : 0;
    return {
      features: tree.features.slice(0, count),
      splitBins: tree.splitBins.slice(0, count),
      lefts: tree.lefts.slice(0, count),
      values: tree.values.slice(0, count),
      gains: tree.gains.slice(0, count),
    };
  };
}
