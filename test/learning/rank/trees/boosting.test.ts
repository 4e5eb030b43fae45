import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../src/learning/common/random.js";
import { createRowBinner, type FeatureBins, learnBins } from "../../../../src/learning/rank/trees/bins.js";
import { decodeForest, encodeForest, type Forest, treeCount } from "../../../../src/learning/rank/trees/forest.js";
import { createForestScorer } from "../../../../src/learning/rank/trees/forest-scorer.js";
import { createKernelRows, type KernelRows, softmaxLoss } from "../../../../src/learning/rank/trees/kernel-rows.js";
import {
  BOOSTING_DEFAULTS,
  type BoostingParams,
  boostRanking,
  type RankedGroups,
} from "../../../../src/learning/rank/trees/listwise.js";
import { sampleRows } from "../../../../src/learning/rank/trees/row-sampling.js";
import { createTreeGrower } from "../../../../src/learning/rank/trees/tree.js";

const FEATURES = 3;
const GROUP = 8;

/** Questions of eight candidates; `answerOf` names the answer from the candidates' features. */
function questions(count: number, seed: number, answerOf: (rows: number[][], random: () => number) => number) {
  const random = createRandom(seed);
  const values: number[] = [];
  const answers: number[] = [];
  for (let q = 0; q < count; q++) {
    const rows = Array.from({ length: GROUP }, () => Array.from({ length: FEATURES }, random));
    answers.push(q * GROUP + answerOf(rows, random));
    values.push(...rows.flat());
  }
  const raw = Float32Array.from(values);
  const bins = learnBins(raw, FEATURES);
  const binned = new Uint8Array(raw.length);
  createRowBinner(bins)(raw, raw.length / FEATURES, binned, 0);
  const groups = Uint32Array.from({ length: count + 1 }, (_, q) => q * GROUP);
  const data: RankedGroups = { binned, groups, answers: Uint32Array.from(answers) };
  return { raw, bins, data };
}

function largest(feature: number): (rows: number[][]) => number {
  return (rows) => rows.reduce((best, row, i) => (row[feature]! > rows[best]![feature]! ? i : best), 0);
}

function shareOfFirst(forest: Forest, raw: Float32Array, { groups, answers }: RankedGroups): number {
  const scores = new Float64Array(raw.length / FEATURES);
  createForestScorer(forest)(raw, scores.length, scores);
  const first = [...answers].filter((answer, g) =>
    scores
      .subarray(groups[g]!, groups[g + 1]!)
      .every((score, i) => groups[g]! + i === answer || score < scores[answer]!),
  );
  return first.length / answers.length;
}

const PARAMS: BoostingParams = { ...BOOSTING_DEFAULTS, trees: 60, minHessian: 1, featureShare: 1 };

/** Rows of the bins 0 1 2 3 with these gradients, second derivatives 1. */
function fourRows(bins: FeatureBins, ...gradients: number[]): KernelRows {
  const data = { binned: Uint8Array.of(0, 1, 2, 3), groups: Uint32Array.of(0, 4), answers: Uint32Array.of(0) };
  const rows = createKernelRows(data, bins, 4, true);
  rows.pairs.set(gradients.flatMap((gradient) => [gradient, 1]));
  return rows;
}

describe("a softmax of groups", () => {
  it("gives gradients and losses as the formulas of the head, with offsets and a focus", () => {
    const random = createRandom(3);
    const sizes = [1, 3, 4, 5, 32, 97];
    const groups = Uint32Array.from([0, ...sizes.map((_, g) => sizes.slice(0, g + 1).reduce((a, b) => a + b))]);
    const count = groups.at(-1)!;
    const answers = Uint32Array.from(sizes, (size, g) => groups[g]! + Math.floor(random() * size));
    const offsets = Float32Array.from({ length: count }, () => random() * 4 - 2);
    const bins = learnBins(Float32Array.of(0, 1), 1);
    const rows = createKernelRows({ binned: new Uint8Array(count), groups, answers, offsets }, bins, 2, true);
    for (let row = 0; row < count; row++) rows.scores[row] = random() * 20 - 10;
    for (const focus of [0, 0.2]) {
      let losses = 0;
      const wanted = sizes.flatMap((size, g) => {
        const own = Array.from({ length: size }, (_, i) => rows.scores[groups[g]! + i]! + offsets[groups[g]! + i]!);
        const sum = own.reduce((all, score) => all + Math.exp(score), 0);
        const shares = own.map((score) => Math.exp(score) / sum);
        const answer = answers[g]! - groups[g]!;
        const weight = shares[answer]! ** focus;
        losses += focus === 0 ? -Math.log(shares[answer]!) : (1 - weight) / focus;
        return shares.flatMap((share, i) => [weight * (share - Number(i === answer)), weight * share * (1 - share)]);
      });
      expect(softmaxLoss(rows, sizes.length, focus)).toBeCloseTo(losses / sizes.length, 5);
      for (const [i, value] of wanted.entries()) expect(rows.pairs[i]).toBeCloseTo(value, 5);
    }
  });
});

describe("a tree", () => {
  it("splits where squared sums of gradients gain most, and predicts minus G / (H + l2)", () => {
    // One feature with the bins 0 1 2 3, gradients -4 -4 2 2, second derivatives 1.
    const bins = learnBins(Float32Array.of(0, 1, 2, 3), 1);
    const rows = fourRows(bins, -4, -4, 2, 2);
    const grower = createTreeGrower(rows, bins, { leaves: 2, l2: 2, minHessian: 1, minGain: 0 });
    const grow = () => {
      rows.chosen.set([0, 1, 2, 3]);
      return grower(4, Uint8Array.of(1));
    };
    // gain = 8^2 / 4 + 4^2 / 4 - 4^2 / 6
    expect(grow()).toEqual({
      features: Uint32Array.of(0, 0, 0),
      splitBins: Uint8Array.of(1, 0, 0),
      lefts: Uint32Array.of(1, 0, 0),
      values: Float64Array.of(0, 2, -1),
      gains: Float64Array.of(20 - 16 / 6, 0, 0),
    });
    expect(grow(), "with scratch space that was used before").toEqual(grow());
  });

  it("makes no leaf below the minimum of second derivatives", () => {
    const bins = learnBins(Float32Array.of(0, 1, 2, 3), 1);
    const rows = fourRows(bins, -9, 1, 1, 1);
    rows.chosen.set([0, 1, 2, 3]);
    const tree = createTreeGrower(rows, bins, { leaves: 4, l2: 1, minHessian: 2, minGain: 0 })(4, Uint8Array.of(1));
    expect([...tree.lefts]).toEqual([1, 0, 0]);
    expect(tree.splitBins[0]).toBe(1);
  });
});

describe("boosted ranking", () => {
  it("learns which feature predicts the answer", () => {
    const { bins, data } = questions(600, 1, largest(1));
    const fresh = questions(200, 2, largest(1));
    const { forest, featureGains } = boostRanking(bins, data, undefined, PARAMS, createRandom(7));
    expect(shareOfFirst(forest, fresh.raw, fresh.data)).toBeGreaterThan(0.8);
    expect(featureGains.indexOf(Math.max(...featureGains))).toBe(1);
  });

  it("learns the same from all rows as from those of large gradients and a sample", () => {
    const { bins, data } = questions(600, 1, largest(1));
    const fresh = questions(200, 2, largest(1));
    const all = { ...PARAMS, topShare: 1, otherShare: 0 };
    const { forest } = boostRanking(bins, data, undefined, all, createRandom(7));
    expect(shareOfFirst(forest, fresh.raw, fresh.data)).toBeGreaterThan(0.8);
  });

  it("learns the same from groups that are thinned after some trees", () => {
    const { bins, data } = questions(600, 1, largest(1));
    const fresh = questions(200, 2, largest(1));
    const thinned = { ...PARAMS, topShare: 1, otherShare: 0, thinAfter: 5, thinTo: 3 };
    const { forest } = boostRanking(bins, data, undefined, thinned, createRandom(7));
    expect(shareOfFirst(forest, fresh.raw, fresh.data)).toBeGreaterThan(0.8);
  });

  it("lowers its training loss with every tree when it sees all rows", () => {
    const { bins, data } = questions(300, 3, largest(0));
    for (const focus of [0, 0.3]) {
      const all = { ...PARAMS, topShare: 1, otherShare: 0, focus };
      const { losses } = boostRanking(bins, data, undefined, all, createRandom(7));
      expect(losses).toEqual([...losses].sort((a, b) => b - a));
    }
  });

  it("stops early when held-out answers are chance, and keeps the trees up to the best", () => {
    const chance = (_rows: number[][], random: () => number) => Math.floor(random() * GROUP);
    const learned = questions(300, 4, chance);
    const heldOut = questions(300, 5, chance);
    const { forest, losses } = boostRanking(learned.bins, learned.data, heldOut.data, PARAMS, createRandom(7));
    expect(losses.length).toBeLessThan(PARAMS.trees);
    expect(treeCount(forest)).toBe(losses.length - PARAMS.patience);
    expect(losses.indexOf(Math.min(...losses))).toBe(losses.length - PARAMS.patience - 1);
  });

  it("gives the same trees for the same rows and seed", () => {
    const { bins, data } = questions(200, 6, largest(2));
    const learn = () => encodeForest(boostRanking(bins, data, undefined, PARAMS, createRandom(7)).forest);
    expect(learn()).toEqual(learn());
  });

  it("rejects answers outside of their groups", () => {
    const { bins, data } = questions(2, 6, largest(2));
    const wrong = { ...data, answers: Uint32Array.of(0, 0) };
    expect(() => boostRanking(bins, wrong, undefined, PARAMS, createRandom(7))).toThrow(RangeError);
    const short = { ...data, offsets: new Float32Array(1) };
    expect(() => boostRanking(bins, short, undefined, PARAMS, createRandom(7))).toThrow(RangeError);
  });
});

describe("a thinned group", () => {
  const width = 1;
  const group = (count: number, answer: number) => ({
    binned: Uint8Array.from({ length: count }, (_, row) => row),
    groups: Uint32Array.of(0, count),
    answers: Uint32Array.of(answer),
  });

  it("keeps its answer and its likely rows, each unchanged", () => {
    const scores = Float32Array.from({ length: 100 }, (_, row) => (row === 40 ? 20 : 0));
    const { data, scores: kept } = sampleRows(group(100, 70), scores, width, 10, createRandom(3));
    expect(data.binned[data.answers[0]!]).toBe(70);
    expect(data.offsets?.[data.answers[0]!]).toBe(0);
    expect([...data.binned]).toContain(40);
    expect([...kept]).toEqual([...data.binned].map((row) => scores[row]));
    expect(data.groups[1]).toBe(data.binned.length);
  });

  it("has about the requested size, and about the sum of e^score of the whole one", () => {
    const random = createRandom(5);
    const scores = Float32Array.from({ length: 200 }, () => 3 * random());
    const whole = scores.reduce((sum, score) => sum + Math.exp(score), 0);
    let rows = 0;
    let sum = 0;
    for (let time = 0; time < 200; time++) {
      const { data, scores: kept } = sampleRows(group(200, 7), scores, width, 30, random);
      rows += kept.length / 200;
      sum += kept.reduce((part, score, row) => part + Math.exp(score + data.offsets![row]!), 0) / 200;
    }
    expect(rows).toBeGreaterThan(28);
    expect(rows).toBeLessThan(33);
    expect(Math.abs(sum / whole - 1)).toBeLessThan(0.05);
  });

  it("stays whole when it is no larger than requested", () => {
    const { data } = sampleRows(group(8, 2), new Float32Array(8), width, 8, createRandom(3));
    expect(data).toEqual({ ...group(8, 2), offsets: new Float32Array(8) });
  });
});

describe("scores of a forest", () => {
  const { bins, data } = questions(100, 8, largest(0));
  const { forest } = boostRanking(bins, data, undefined, { ...PARAMS, trees: 5 }, createRandom(7));
  const score = createForestScorer(forest);

  /** Row by row, as a tree is read. */
  function plainScore({ roots, features, values, lefts }: Forest, row: Float32Array): number {
    let sum = 0;
    for (const root of roots) {
      let node = root;
      for (let left = lefts[node]!; left !== 0; left = lefts[node]!)
        node = row[features[node]!]! <= values[node]! ? left : left + 1;
      sum += values[node]!;
    }
    return sum;
  }

  it("equal those of each row alone, however many there are", () => {
    const row = fc.array(fc.float({ noNaN: true }), { minLength: FEATURES, maxLength: FEATURES });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 9 }), (rows) => {
        const scores = new Float64Array(rows.length + 1);
        score(Float32Array.from(rows.flat()), rows.length, scores);
        expect([...scores]).toEqual([...rows.map((values) => plainScore(forest, Float32Array.from(values))), 0]);
      }),
    );
  });

  it("are added to existing scores", () => {
    const row = new Float32Array(FEATURES);
    const scores = Float64Array.of(2);
    score(row, 1, scores);
    expect(scores[0]).toBeCloseTo(2 + plainScore(forest, row), 12);
  });

  it("are right for hundreds of rows too", () => {
    const random = createRandom(11);
    const rows = Float32Array.from({ length: 600 * FEATURES }, () => 3 * random() - 1);
    const scores = new Float64Array(600);
    score(rows, 600, scores);
    const plain = Array.from(scores, (_, r) => plainScore(forest, rows.subarray(r * FEATURES, (r + 1) * FEATURES)));
    expect([...scores]).toEqual(plain);
  });

  it("do not mix when two forests are used in turn", () => {
    const { forest: larger } = boostRanking(bins, data, undefined, { ...PARAMS, trees: 40 }, createRandom(8));
    const scoreLarger = createForestScorer(larger);
    const row = Float32Array.from({ length: FEATURES }, (_, f) => f / FEATURES);
    for (let turn = 0; turn < 2; turn++) {
      const scores = new Float64Array(2);
      score(row, 1, scores.subarray(0, 1));
      scoreLarger(row, 1, scores.subarray(1));
      expect([...scores]).toEqual([plainScore(forest, row), plainScore(larger, row)]);
    }
  });

  it("are refused for a tree with more than 32 leaves", () => {
    // Every node leads to a leaf and to the next node.
    const nodes = Array.from({ length: 65 }, (_, node) => node);
    const chain: Forest = {
      featureCount: 1,
      roots: Uint32Array.of(0),
      features: new Uint32Array(65),
      values: Float32Array.from(nodes),
      lefts: Uint32Array.from(nodes, (node) => (node === 64 || node % 2 === 1 ? 0 : node + 1)),
    };
    expect(() => createForestScorer(chain)).toThrow("A tree has more than 32 leaves");
  });
});

describe("encoded trees", () => {
  const { bins, data } = questions(100, 8, largest(0));
  const { forest } = boostRanking(bins, data, undefined, { ...PARAMS, trees: 5 }, createRandom(7));

  it("score as before", () => {
    const again = decodeForest(encodeForest(forest));
    const row = fc.array(fc.float({ noNaN: true }), { minLength: FEATURES, maxLength: FEATURES });
    fc.assert(
      fc.property(row, (values) => {
        const [before, after] = [new Float64Array(1), new Float64Array(1)];
        createForestScorer(forest)(Float32Array.from(values), 1, before);
        createForestScorer(again)(Float32Array.from(values), 1, after);
        expect(after).toEqual(before);
      }),
    );
  });

  it("are rejected when a node leads back, out of range, or uses an unknown feature", () => {
    const { arrays, ...rest } = encodeForest(forest);
    const bent = (name: "lefts" | "features" | "roots", value: number) => {
      const array = forest[name].slice();
      array[0] = value;
      return () => decodeForest({ ...rest, arrays: { ...arrays, [name]: array } });
    };
    expect(bent("lefts", forest.lefts.length)).toThrow("do not fit");
    expect(bent("features", FEATURES)).toThrow("do not fit");
    expect(bent("roots", forest.lefts.length)).toThrow("do not fit");
    expect(() => decodeForest({ ...rest, formatNumber: 99, arrays })).toThrow("format 99");
  });
});
