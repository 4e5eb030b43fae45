/**
 * Leaves most rows of large groups out of learning. Once some trees have told likely from hopeless candidates, a row is
 * kept with a chance in proportion to the root of its probability, and the answer always; a kept row stands for all that
 * were as likely to be kept as it was (importance sampling, as in sampled softmax: Bengio, Senécal: Adaptive importance
 * sampling to accelerate training of a neural probabilistic language model, IEEE TNN 2008), by an offset of minus the
 * logarithm of its chance. So the softmax over the rows left is about that over all, at a fraction of the rows.
 */
import type { RankedGroups } from "./listwise.js";

export interface SampledRows {
  readonly data: RankedGroups;
  /** Scores of the rows that were kept. */
  readonly scores: Float32Array<ArrayBuffer>;
}

/** Keeps about `size` rows of each group that has more. `width` is the number of bins of a row. */
export function sampleRows(
  { binned, groups, answers, offsets }: RankedGroups,
  scores: Float32Array,
  width: number,
  size: number,
  random: () => number,
): SampledRows {
  const kept = new Uint32Array(scores.length);
  const chances = new Float32Array(scores.length);
  const newGroups = new Uint32Array(groups.length);
  const newAnswers = new Uint32Array(answers.length);
  let count = 0;
  for (const [group, answer] of answers.entries()) {
    const begin = groups[group]!;
    const end = groups[group + 1]!;
    let most = Number.NEGATIVE_INFINITY;
    for (let r = begin; r < end; r++) most = Math.max(most, scores[r]! + (offsets?.[r] ?? 0));
    let sum = 0;
    for (let r = begin; r < end; r++) {
      chances[r] = Math.exp((scores[r]! + (offsets?.[r] ?? 0) - most) / 2);
      sum += chances[r]!;
    }
    for (let r = begin; r < end; r++) {
      const chance = end - begin <= size || r === answer ? 1 : Math.min(1, (size * chances[r]!) / sum);
      if (random() >= chance) continue;
      if (r === answer) newAnswers[group] = count;
      chances[count] = chance;
      kept[count++] = r;
    }
    newGroups[group + 1] = count;
  }
  const rows = new Uint8Array(count * width);
  const newOffsets = new Float32Array(count);
  const newScores = new Float32Array(count);
  for (let at = 0; at < count; at++) {
    const row = kept[at]!;
    rows.set(binned.subarray(row * width, (row + 1) * width), at * width);
    newOffsets[at] = (offsets?.[row] ?? 0) - Math.log(chances[at]!);
    newScores[at] = scores[row]!;
  }
  return { data: { binned: rows, groups: newGroups, answers: newAnswers, offsets: newOffsets }, scores: newScores };
}
