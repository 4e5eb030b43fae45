/**
 * Features cut into at most 256 bins of about equal numbers of rows, so that a tree looks at bins instead of values
 * (Ke et al.: LightGBM, NeurIPS 2017; Chen, Guestrin: XGBoost, KDD 2016, section 3.2). A feature with few different
 * values gets a bin for each. Values are numbers; the caller gives missing values a number of their own.
 */

const MAX_BINS = 256;

export interface FeatureBins {
  readonly featureCount: number;
  /** Feature f has the cuts `cuts[offsets[f]]` up to, not including, `cuts[offsets[f + 1]]`, rising; one bin more than cuts. */
  readonly offsets: Uint32Array;
  /** A value lies in the bin whose number is that of the cuts below it; a value equal to a cut lies below that cut. */
  readonly cuts: Float32Array;
}

/** Learns bins from rows of `featureCount` values, one row after the other. Throws RangeError when they do not fit or are no numbers. */
export function learnBins(values: Float32Array, featureCount: number, maxBins: number = MAX_BINS): FeatureBins {
  if (featureCount < 1 || values.length % featureCount !== 0) throw new RangeError("values must hold whole rows");
  if (maxBins < 2 || maxBins > MAX_BINS) throw new RangeError(`maxBins must be 2 to ${MAX_BINS}`);
  const rows = values.length / featureCount;
  const offsets = new Uint32Array(featureCount + 1);
  const cuts: number[] = [];
  const column = new Float32Array(rows);
  for (let f = 0; f < featureCount; f++) {
    for (let r = 0; r < rows; r++) column[r] = values[r * featureCount + f]!;
    column.sort();
    // Typed arrays sort NaN to the end.
    if (rows > 0 && Number.isNaN(column[rows - 1]!)) throw new RangeError("values must be numbers");
    cutColumn(column, maxBins, cuts);
    offsets[f + 1] = cuts.length;
  }
  return { featureCount, offsets, cuts: Float32Array.from(cuts) };
}

/** Adds the cuts of one sorted column: between two different values, where the bin so far holds its share of the rest. */
function cutColumn(sorted: Float32Array, maxBins: number, cuts: number[]): void {
  const first = cuts.length;
  let different = 0;
  for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) different++;
  const all = different <= maxBins;
  let begun = 0;
  for (let i = 1; i < sorted.length; i++) {
    if (sorted[i] === sorted[i - 1]) continue;
    const left = maxBins - (cuts.length - first);
    if (left === 1) return;
    if (!all && i - begun < (sorted.length - begun) / left) continue;
    cuts.push(between(sorted[i - 1]!, sorted[i]!));
    begun = i;
  }
}

/** A 32-bit number that is at least `low` and below `high`. */
function between(low: number, high: number): number {
  const middle = Math.fround(low + (high - low) / 2);
  return middle < high ? middle : low;
}

/** Bin of each of `featureCount` values at the front of `values`, written to `out` from `at` on. */
export function binRow(bins: FeatureBins, values: Float32Array, out: Uint8Array, at: number): void {
  binRows(bins, values, 1, out, at);
}

/** Bins of `count` rows, which lie one after the other at the front of `values`, written to `out` from `at` on. */
export function binRows(bins: FeatureBins, values: Float32Array, count: number, out: Uint8Array, at: number): void {
  const { offsets, cuts, featureCount } = bins;
  for (let i = 0; i < count * featureCount; i++) {
    const value = values[i]!;
    // Rows of one question share many values with the row before.
    if (i >= featureCount && value === values[i - featureCount]!) {
      out[at + i] = out[at + i - featureCount]!;
      continue;
    }
    const f = i % featureCount;
    let low = offsets[f]!;
    let high = offsets[f + 1]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (cuts[middle]! < value) low = middle + 1;
      else high = middle;
    }
    out[at + i] = low - offsets[f]!;
  }
}
