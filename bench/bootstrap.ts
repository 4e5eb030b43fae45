/** Intervals of means by bootstrap: units (orders, visits, customers) are drawn with repetition (Efron, Tibshirani 1993). */
import { createRandom } from "../src/learning/common/random.js";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

const DRAWS = 1_000;
const SEED = 11;

/**
 * 95 % of the means of as many units drawn. `values` holds one mean a unit, in the same order for everything that is
 * compared, so that differences of paired values can be judged. Where units have several questions, it holds their sums and
 * `counts` their numbers.
 */
export function bootstrapInterval(values: ArrayLike<number>, counts?: ArrayLike<number>): Interval {
  const random = createRandom(SEED);
  const means = new Float64Array(DRAWS);
  for (let d = 0; d < DRAWS; d++) {
    let sum = 0;
    let count = 0;
    for (let i = 0; i < values.length; i++) {
      const unit = Math.floor(random() * values.length);
      sum += values[unit]!;
      count += counts === undefined ? 1 : counts[unit]!;
    }
    means[d] = sum / Math.max(1, count);
  }
  means.sort();
  return { low: means[Math.floor(DRAWS * 0.025)]!, high: means[Math.ceil(DRAWS * 0.975) - 1]! };
}
