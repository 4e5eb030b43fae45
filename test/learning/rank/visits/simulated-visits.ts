import { createRandom } from "../../../../src/learning/common/random.js";
import { rowsFrom } from "../../../../src/learning/common/rows.js";
import type { Visits } from "../../../../src/learning/rank/visits/visits.js";

export const PRODUCTS = 60;
const AISLES = 6;
const PER_AISLE = PRODUCTS / AISLES;

/**
 * A shop with six aisles of ten products. Visitors stay in one aisle; two of three steps lead to the next product of the
 * aisle, the others back to the product before or to any of the aisle.
 */
export function walks(count: number, seed: number): Visits {
  const random = createRandom(seed);
  const runs: number[] = [];
  const rows = Array.from({ length: count }, () => {
    const aisle = Math.floor(random() * AISLES) * PER_AISLE;
    const items: number[] = [];
    let at = Math.floor(random() * PER_AISLE);
    const length = 3 + Math.floor(random() * 5);
    for (let step = 0; step < length; step++) {
      const product = aisle + at;
      if (items.at(-1) === product) runs[runs.length - 1]!++;
      else {
        items.push(product);
        runs.push(1);
      }
      const where = random();
      if (where < 0.66) at = (at + 1) % PER_AISLE;
      else if (where < 0.8) at = (items.at(-2) ?? product) - aisle;
      else at = Math.floor(random() * PER_AISLE);
    }
    return items;
  });
  return {
    sessions: rowsFrom(rows),
    runs: Uint32Array.from(runs),
    endedAt: Float64Array.from(rows, (_, s) => s * 60_000),
    previous: new Int32Array(count).fill(-1),
  };
}
