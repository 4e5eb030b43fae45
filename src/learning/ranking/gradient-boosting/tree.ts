/**
 * One regression tree grown leaf by leaf: the leaf whose best split gains most is split next (Shi: Best-first decision
 * tree learning, 2007; Ke et al.: LightGBM, NeurIPS 2017). Splits and leaf values are those of second-order boosting
 * (Chen, Guestrin: XGBoost, KDD 2016, section 2.2):
 *
 *   gain(leaf) = G^2 / (H + l2)        value(leaf) = -G / (H + l2)
 *
 * with G and H the sums of gradients and second derivatives of its rows. Sums by feature and bin are counted for the
 * smaller child of a split; the other's are those of the parent less them.
 */
import type { FeatureBins } from "./bins.js";

export interface TreeParams {
  readonly leaves: number;
  readonly l2: number;
  /** Sum of second derivatives that a leaf has at least. */
  readonly minHessian: number;
  /** Gain a split makes at least. */
  readonly minGain: number;
}

export interface BinnedRows {
  /** `bins.featureCount` bins a row, one row after the other. */
  readonly binned: Uint8Array;
  readonly bins: FeatureBins;
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
  readonly sums: Float64Array;
  readonly gradient: number;
  readonly hessian: number;
  readonly best: Split | undefined;
}

interface Split {
  readonly feature: number;
  readonly bin: number;
  readonly gain: number;
}

export interface TreeGrower {
  /**
   * Grows a tree on the rows named, which it brings into another order. Gradients and second derivatives are by row.
   * Only features whose mark in `allowed` is not 0 are asked.
   */
  grow(rows: Uint32Array, gradients: Float32Array, hessians: Float32Array, allowed: Uint8Array): Tree;
}

/** Keeps its scratch space: 4 KiB a feature and leaf, 4 bytes a row. */
export function createTreeGrower({ binned, bins }: BinnedRows, params: TreeParams): TreeGrower {
  const { featureCount, offsets } = bins;
  const free: Float64Array[] = [];
  let aside = new Uint32Array(0);
  // Where the sums of each feature begin, two numbers a bin; the end of the last one at last.
  const slots = Uint32Array.from(offsets, (offset, f) => 2 * (offset + f));
  const size = slots[featureCount]!;

  function sumsOf(
    rows: Uint32Array,
    begin: number,
    end: number,
    g: Float32Array,
    h: Float32Array,
    asked: Uint32Array,
  ): Float64Array {
    const sums = free.pop()?.fill(0) ?? new Float64Array(size);
    const count = asked.length;
    const begins = asked.map((feature) => slots[feature]!);
    for (let i = begin; i < end; i++) {
      const row = rows[i]!;
      const gradient = g[row]!;
      const hessian = h[row]!;
      const from = row * featureCount;
      for (let j = 0; j < count; j++) {
        const at = begins[j]! + 2 * binned[from + asked[j]!]!;
        sums[at]! += gradient;
        sums[at + 1]! += hessian;
      }
    }
    return sums;
  }

  function bestSplit(sums: Float64Array, gradient: number, hessian: number, asked: Uint32Array): Split | undefined {
    const { l2, minHessian, minGain } = params;
    const whole = (gradient * gradient) / (hessian + l2);
    let best: Split | undefined;
    let bestGain = minGain;
    for (const feature of asked) {
      const cuts = offsets[feature + 1]! - offsets[feature]!;
      let leftGradient = 0;
      let leftHessian = 0;
      for (let bin = 0; bin < cuts; bin++) {
        const at = slots[feature]! + 2 * bin;
        if (sums[at + 1] === 0) continue;
        leftGradient += sums[at]!;
        leftHessian += sums[at + 1]!;
        const rightHessian = hessian - leftHessian;
        if (leftHessian < minHessian) continue;
        if (rightHessian < minHessian) break;
        const rightGradient = gradient - leftGradient;
        const gain =
          (leftGradient * leftGradient) / (leftHessian + l2) +
          (rightGradient * rightGradient) / (rightHessian + l2) -
          whole;
        if (gain > bestGain) {
          bestGain = gain;
          best = { feature, bin, gain };
        }
      }
    }
    return best;
  }

  /** Puts the rows that go left first, keeping the order within both sides; returns where the right ones begin. */
  function partition(rows: Uint32Array, begin: number, end: number, { feature, bin }: Split): number {
    let left = begin;
    let right = 0;
    for (let i = begin; i < end; i++) {
      const row = rows[i]!;
      if (binned[row * featureCount + feature]! <= bin) rows[left++] = row;
      else aside[right++] = row;
    }
    rows.set(aside.subarray(0, right), left);
    return left;
  }

  return {
    grow(rows, gradients, hessians, allowed) {
      const asked = Uint32Array.from(allowed.keys()).filter((feature) => allowed[feature] !== 0);
      if (aside.length < rows.length) aside = new Uint32Array(rows.length);
      const nodes = 2 * params.leaves - 1;
      const tree = {
        features: new Uint32Array(nodes),
        splitBins: new Uint8Array(nodes),
        lefts: new Uint32Array(nodes),
        values: new Float64Array(nodes),
        gains: new Float64Array(nodes),
      };
      const leafOf = (node: number, begin: number, end: number, sums: Float64Array): Leaf => {
        let gradient = 0;
        let hessian = 0;
        // The bins of one feature hold every row of the leaf.
        for (let at = slots[asked[0]!]!; at < slots[asked[0]! + 1]!; at += 2) {
          gradient += sums[at]!;
          hessian += sums[at + 1]!;
        }
        return { node, begin, end, sums, gradient, hessian, best: bestSplit(sums, gradient, hessian, asked) };
      };
      const leaves = [leafOf(0, 0, rows.length, sumsOf(rows, 0, rows.length, gradients, hessians, asked))];
      let count = 1;
      while (leaves.length < params.leaves) {
        let chosen = -1;
        for (const [i, { best }] of leaves.entries())
          if (best !== undefined && best.gain > (leaves[chosen]?.best?.gain ?? 0)) chosen = i;
        const parent = leaves[chosen];
        if (parent?.best === undefined) break;
        const { node, begin, end, sums, best } = parent;
        const middle = partition(rows, begin, end, best);
        const smallIsLeft = middle - begin <= end - middle;
        const small = smallIsLeft
          ? sumsOf(rows, begin, middle, gradients, hessians, asked)
          : sumsOf(rows, middle, end, gradients, hessians, asked);
        for (let at = 0; at < sums.length; at++) sums[at]! -= small[at]!;
        const [left, right] = smallIsLeft ? [small, sums] : [sums, small];
        tree.features[node] = best.feature;
        tree.splitBins[node] = best.bin;
        tree.gains[node] = best.gain;
        tree.lefts[node] = count;
        leaves.splice(chosen, 1, leafOf(count, begin, middle, left), leafOf(count + 1, middle, end, right));
        count += 2;
      }
      for (const { node, gradient, hessian, sums } of leaves) {
        tree.values[node] = hessian > 0 ? -gradient / (hessian + params.l2) : 0;
        free.push(sums);
      }
      return {
        features: tree.features.slice(0, count),
        splitBins: tree.splitBins.slice(0, count),
        lefts: tree.lefts.slice(0, count),
        values: tree.values.slice(0, count),
        gains: tree.gains.slice(0, count),
      };
    },
  };
}
