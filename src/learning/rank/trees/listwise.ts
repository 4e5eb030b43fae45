/**
 * Gradient boosting for ranking within groups: the rows of a group are the candidates of one question, one of which is
 * the answer, and the loss is the cross-entropy of the softmax over the group's scores (ListNet with one relevant row:
 * Cao et al., ICML 2007; for boosted trees Bruch: An alternative cross entropy loss for learning-to-rank, WWW 2021).
 *
 *   p(row) = e^(score + offset) / sum over the group      gradient = p - 1 for the answer, p for others
 *   second derivative = p (1 - p), its diagonal
 *
 * Each tree is grown (Friedman: Greedy function approximation, Annals of Statistics 2001) on the rows that matter: those
 * of the largest gradients, and a random share of the others that counts as much more as it is smaller (gradient-based
 * one-side sampling of LightGBM, Ke et al., NeurIPS 2017). Boosting stops when held-out groups get no better, and keeps
 * the trees up to the best.
 *
 * A group from which some rows were left out by chance gives the rest an offset, the logarithm of how many each stands
 * for. The same rows, parameters and random numbers give the same trees. Time: about 1 ns x rows looked at x features x
 * the depth of a tree, for each tree.
 */
import type { FeatureBins } from "./bins.js";
import type { Forest } from "./forest.js";
import { addTree, createKernelRows, type KernelRows, softmaxLoss } from "./kernel-rows.js";
import { sampleRows } from "./row-sampling.js";
import { createTreeGrower, type Tree, type TreeParams } from "./tree.js";

/** Candidates of questions, binned. */
export interface RankedGroups {
  /** `bins.featureCount` bins a row. */
  readonly binned: Uint8Array;
  /** Group g has the rows `groups[g]` up to, not including, `groups[g + 1]`. */
  readonly groups: Uint32Array;
  /** Row of the answer of each group. */
  readonly answers: Uint32Array;
  /** Added to the score while learning; 0 when absent. */
  readonly offsets?: Float32Array;
}

export interface BoostingParams extends TreeParams {
  readonly trees: number;
  readonly learningRate: number;
  /** Share of the rows that is kept for its gradients, and of the others by chance. */
  readonly topShare: number;
  readonly otherShare: number;
  /** Share of the features each tree may ask. */
  readonly featureShare: number;
  /** Trees without gain on the held-out groups after which boosting stops. */
  readonly patience: number;
  /** Trees after which groups are thinned to about so many rows; see `row-sampling.ts`. */
  readonly thinAfter: number;
  readonly thinTo: number;
  /** Power of an answer's probability by which its group counts: 0 counts all alike, above 0 the hopeless ones less. */
  readonly focus: number;
}

export const BOOSTING_DEFAULTS: BoostingParams = {
  trees: 150,
  leaves: 15,
  learningRate: 0.1,
  l2: 5,
  minHessian: 5,
  minGain: 1e-6,
  topShare: 0.15,
  otherShare: 0.15,
  featureShare: 0.7,
  patience: 10,
  thinAfter: Number.POSITIVE_INFINITY,
  thinTo: 0,
  focus: 0,
};

export interface BoostedRanking {
  readonly forest: Forest;
  /** Mean cross-entropy of the held-out groups after each tree; of the learned ones when nothing was held out. */
  readonly losses: readonly number[];
  /** Sum of the gains of the splits that ask each feature. */
  readonly featureGains: Float64Array;
}

/** Learns to put answers first. Throws RangeError when the parts of the groups do not fit each other. */
export function boostRanking(
  bins: FeatureBins,
  learned: RankedGroups,
  heldOut: RankedGroups | undefined,
  params: BoostingParams,
  random: () => number,
): BoostedRanking {
  for (const groups of heldOut ? [learned, heldOut] : [learned]) check(bins, groups);
  const { leaves, learningRate, focus } = params;
  let data = learned;
  let rows = createKernelRows(learned, bins, leaves, true);
  let grow = createTreeGrower(rows, bins, params);
  const held = heldOut && { rows: createKernelRows(heldOut, bins, leaves, false), groupCount: heldOut.answers.length };
  const trees: Tree[] = [];
  const losses: number[] = [];
  // Offsets of held-out groups are what is known without a tree: trees are kept if they add to it.
  let best = held && heldOut.offsets ? softmaxLoss(held.rows, held.groupCount, focus) : Number.POSITIVE_INFINITY;
  let kept = 0;
  while (trees.length < params.trees && trees.length - kept < params.patience) {
    if (trees.length === params.thinAfter) {
      const { data: thinned, scores } = sampleRows(data, rows.scores, bins.featureCount, params.thinTo, random);
      data = thinned;
      rows = createKernelRows(data, bins, leaves, true);
      rows.scores.set(scores);
      grow = createTreeGrower(rows, bins, params);
    }
    const learnedLoss = softmaxLoss(rows, data.answers.length, focus);
    const tree = grow(chooseRows(rows, params, random), chooseFeatures(bins.featureCount, params.featureShare, random));
    if (tree.lefts[0] === 0) break;
    trees.push(tree);
    addTree(rows, tree, learningRate);
    let loss = learnedLoss;
    if (held) {
      addTree(held.rows, tree, learningRate);
      loss = softmaxLoss(held.rows, held.groupCount, focus);
    }
    losses.push(loss);
    if (held === undefined || loss < best) {
      best = loss;
      kept = trees.length;
    }
  }
  const featureGains = new Float64Array(bins.featureCount);
  for (const { features, gains } of trees.slice(0, kept))
    for (const [node, gain] of gains.entries()) featureGains[features[node]!]! += gain;
  return { forest: forestOf(trees.slice(0, kept), bins, params.learningRate), losses, featureGains };
}

function check(bins: FeatureBins, { binned, groups, answers, offsets }: RankedGroups): void {
  const rows = groups.at(-1) ?? 0;
  if (groups[0] !== 0 || binned.length !== rows * bins.featureCount || answers.length !== groups.length - 1)
    throw new RangeError("groups must hold every row and have one answer each");
  if (answers.some((row, g) => row < groups[g]! || row >= groups[g + 1]!))
    throw new RangeError("answers must be rows of their groups");
  if (offsets && offsets.length !== rows) throw new RangeError("offsets must hold one number for each row");
}

const THRESHOLD_SAMPLE = 10_000;

/**
 * Chooses the rows a tree is grown on, ascending; returns how many. Gradients and second derivatives of those kept by
 * chance are raised in place.
 */
function chooseRows({ kernel, at, pairs, chosen }: KernelRows, params: BoostingParams, random: () => number): number {
  const { topShare, otherShare } = params;
  const rows = chosen.length;
  if (topShare + otherShare >= 1) {
    for (let row = 0; row < rows; row++) chosen[row] = row;
    return rows;
  }
  const every = Math.ceil(rows / THRESHOLD_SAMPLE);
  const sample = new Float32Array(Math.floor(rows / every));
  for (let i = 0; i < sample.length; i++) sample[i] = Math.abs(pairs[2 * i * every]!);
  const threshold = sample.sort()[Math.floor(sample.length * (1 - topShare))] ?? 0;
  const raise = (1 - topShare) / otherShare;
  const seed = random() * 2 ** 32;
  return kernel.choose(at.pairs, rows, threshold, otherShare / (1 - topShare), raise, seed, at.chosen);
}

/** Marks a share of the features, at least one. */
function chooseFeatures(count: number, share: number, random: () => number): Uint8Array {
  const wanted = Math.max(1, Math.round(count * share));
  const marks = new Uint8Array(count);
  let left = wanted;
  for (let f = 0; f < count; f++) {
    if (random() * (count - f) >= left) continue;
    marks[f] = 1;
    left--;
  }
  return marks;
}

function forestOf(trees: readonly Tree[], bins: FeatureBins, rate: number): Forest {
  const nodes = trees.reduce((sum, tree) => sum + tree.lefts.length, 0);
  const forest = {
    featureCount: bins.featureCount,
    roots: new Uint32Array(trees.length),
    features: new Uint32Array(nodes),
    values: new Float32Array(nodes),
    lefts: new Uint32Array(nodes),
  };
  let root = 0;
  for (const [t, { features, splitBins, lefts, values }] of trees.entries()) {
    forest.roots[t] = root;
    for (let node = 0; node < lefts.length; node++) {
      const isLeaf = lefts[node] === 0;
      forest.features[root + node] = features[node]!;
      forest.lefts[root + node] = isLeaf ? 0 : root + lefts[node]!;
      forest.values[root + node] = isLeaf
        ? rate * values[node]!
        : bins.cuts[bins.offsets[features[node]!]! + splitBins[node]!]!;
    }
    root += lefts.length;
  }
  return forest;
}
