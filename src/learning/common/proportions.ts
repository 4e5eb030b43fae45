/**
 * Shares of visitors, and what chance may have made of them.
 *
 *   one share        Wilson's score interval (Wilson 1927): right also for few visitors and for shares near 0 and 1,
 *                    where the usual p ± z·√(pq/n) is far too short
 *   two shares       Newcombe's hybrid score interval of their difference (Newcombe 1998, method 10): the distances of
 *                    the two Wilson limits from their shares, added as squares
 *
 * Both intervals hold for independent visitors, each counted once, and for a single look. Looking every day and stopping at
 * the first difference misleads more often than one time in twenty.
 */

/** A value and the ends of its interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Normal quantile of an interval of 95 %. */
const Z_95 = 1.959963984540054;

/** The share `hits / trials`; of nothing it is 0, and may be anything. */
export function wilson(hits: number, trials: number, z = Z_95): Estimate {
  if (trials === 0) return { value: 0, low: 0, high: 1 };
  const p = hits / trials;
  const zz = z * z;
  const center = p + zz / (2 * trials);
  const reach = z * Math.sqrt((p * (1 - p)) / trials + zz / (4 * trials * trials));
  const scale = 1 + zz / trials;
  return {
    value: p,
    low: hits === 0 ? 0 : (center - reach) / scale,
    high: hits === trials ? 1 : (center + reach) / scale,
  };
}

/** How much the first of two shares is above the second. */
export function shareDifference(first: Estimate, second: Estimate): Estimate {
  const value = first.value - second.value;
  return {
    value,
    low: value - Math.hypot(first.value - first.low, second.high - second.value),
    high: value + Math.hypot(first.high - first.value, second.value - second.low),
  };
}

/**
 * The mean of values of which some belong together, as steps of one visit do: values of a unit are not independent, units
 * are. Normal interval of a ratio of sums over units (Cochran: Sampling Techniques, 1977, 6.3).
 */
export function meanOfUnits(values: readonly number[], units: readonly number[]): Estimate {
  const sums = new Map<number, { sum: number; count: number }>();
  let total = 0;
  for (const [i, value] of values.entries()) {
    const unit = sums.get(units[i]!) ?? { sum: 0, count: 0 };
    sums.set(units[i]!, { sum: unit.sum + value, count: unit.count + 1 });
    total += value;
  }
  const mean = values.length === 0 ? 0 : total / values.length;
  if (sums.size < 2) return { value: mean, low: -1, high: 1 };
  let squares = 0;
  for (const { sum, count } of sums.values()) squares += (sum - mean * count) ** 2;
  const reach = (Z_95 * Math.sqrt((squares * sums.size) / (sums.size - 1))) / values.length;
  return { value: mean, low: mean - reach, high: mean + reach };
}
