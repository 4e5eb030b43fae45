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
 * for. The same rows, parameters and random numbers give the same trees. Time: about 3 ns x rows looked at x features x
 * the depth of a tree, for each tree.
 */
import type { FeatureBins } from "./bins.js";
import type { Forest } from "./forest.js";
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
  let grown = { data: learned, scores: new Float32Array(learned.binned.length / bins.featureCount) };
  let grower = createTreeGrower({ binned: learned.binned, bins }, params);
  let gradients = new Float32Array(grown.scores.length);
  let hessians = new Float32Array(grown.scores.length);
  const heldScores = heldOut && new Float32Array(heldOut.binned.length / bins.featureCount);
  const trees: Tree[] = [];
  const losses: number[] = [];
  // Offsets of held-out groups are what is known without a tree: trees are kept if they add to it.
  let best = heldOut?.offsets && heldScores ? softmaxLoss(heldOut, heldScores, params.focus) : Number.POSITIVE_INFINITY;
  let kept = 0;
  while (trees.length < params.trees && trees.length - kept < params.patience) {
    if (trees.length === params.thinAfter) {
      grown = sampleRows(grown.data, grown.scores, bins.featureCount, params.thinTo, random);
      grower = createTreeGrower({ binned: grown.data.binned, bins }, params);
      gradients = new Float32Array(grown.scores.length);
      hessians = new Float32Array(grown.scores.length);
    }
    const learnedLoss = softmaxGradients(grown.data, grown.scores, params.focus, gradients, hessians);
    const chosen = chooseRows(gradients, hessians, params, random);
    const tree = grower.grow(
      chosen,
      gradients,
      hessians,
      chooseFeatures(bins.featureCount, params.featureShare, random),
    );
    if (tree.lefts[0] === 0) break;
    trees.push(tree);
    addTree(tree, grown.data.binned, bins.featureCount, params.learningRate, grown.scores);
    let loss = learnedLoss;
    if (heldOut && heldScores) {
      addTree(tree, heldOut.binned, bins.featureCount, params.learningRate, heldScores);
      loss = softmaxLoss(heldOut, heldScores, params.focus);
    }
    losses.push(loss);
    if (heldOut === undefined || loss < best) {
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

/** Fills gradients and second derivatives; returns the mean loss before them. */
function softmaxGradients(
  data: RankedGroups,
  scores: Float32Array,
  focus: number,
  g: Float32Array,
  h: Float32Array,
): number {
  const { groups, answers, offsets } = data;
  let loss = 0;
  for (let group = 0; group < answers.length; group++) {
    const begin = groups[group]!;
    const end = groups[group + 1]!;
    let most = Number.NEGATIVE_INFINITY;
    for (let r = begin; r < end; r++) most = Math.max(most, scores[r]! + (offsets?.[r] ?? 0));
    let sum = 0;
    for (let r = begin; r < end; r++) {
      const part = Math.exp(scores[r]! + (offsets?.[r] ?? 0) - most);
      g[r] = part;
      sum += part;
    }
    const answer = answers[group]!;
    const answered = Math.max(g[answer]! / sum, 1e-12);
    const weight = answered ** focus;
    loss += focus === 0 ? -Math.log(answered) : (1 - weight) / focus;
    for (let r = begin; r < end; r++) {
      const share = g[r]! / sum;
      g[r] = weight * share;
      h[r] = Math.max(weight * share * (1 - share), 1e-9);
    }
    g[answer]! -= weight;
  }
  return loss / Math.max(1, answers.length);
}

function softmaxLoss({ groups, answers, offsets }: RankedGroups, scores: Float32Array, focus: number): number {
  let loss = 0;
  for (let group = 0; group < answers.length; group++) {
    let most = Number.NEGATIVE_INFINITY;
    for (let r = groups[group]!; r < groups[group + 1]!; r++) most = Math.max(most, scores[r]! + (offsets?.[r] ?? 0));
    let sum = 0;
    for (let r = groups[group]!; r < groups[group + 1]!; r++) sum += Math.exp(scores[r]! + (offsets?.[r] ?? 0) - most);
    const answer = answers[group]!;
    const surprise = Math.log(sum) + most - scores[answer]! - (offsets?.[answer] ?? 0);
    loss += focus === 0 ? surprise : (1 - Math.exp(-focus * surprise)) / focus;
  }
  return loss / Math.max(1, answers.length);
}

const THRESHOLD_SAMPLE = 10_000;

/** The rows a tree is grown on, ascending. Gradients and second derivatives of those kept by chance are raised in place. */
function chooseRows(g: Float32Array, h: Float32Array, params: BoostingParams, random: () => number): Uint32Array {
  const { topShare, otherShare } = params;
  const chosen = new Uint32Array(g.length);
  if (topShare + otherShare >= 1) return chosen.map((_, row) => row);
  const every = Math.ceil(g.length / THRESHOLD_SAMPLE);
  const sample = Float32Array.from({ length: Math.floor(g.length / every) }, (_, i) => Math.abs(g[i * every]!)).sort();
  const threshold = sample[Math.floor(sample.length * (1 - topShare))] ?? 0;
  const raise = (1 - topShare) / otherShare;
  const share = otherShare / (1 - topShare);
  let count = 0;
  for (let row = 0; row < g.length; row++) {
    if (Math.abs(g[row]!) < threshold) {
      if (random() >= share) continue;
      g[row]! *= raise;
      h[row]! *= raise;
    }
    chosen[count++] = row;
  }
  return chosen.subarray(0, count);
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

function addTree(tree: Tree, binned: Uint8Array, featureCount: number, rate: number, scores: Float32Array): void {
  const { features, splitBins, lefts, values } = tree;
  for (let row = 0; row < scores.length; row++) {
    const at = row * featureCount;
    let node = 0;
    for (let left = lefts[0]!; left !== 0; left = lefts[node]!)
      node = binned[at + features[node]!]! <= splitBins[node]! ? left : left + 1;
    scores[row]! += rate * values[node]!;
  }
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
