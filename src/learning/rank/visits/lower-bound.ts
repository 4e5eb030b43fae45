/**
 * A number that at least the k best of many scores reach, and few others: what looks for the k best passes over the
 * rest at the cost of one comparison. Scores are counted by the leading bits of their numbers, which rise with positive
 * numbers, as the first round of a radix selection does (Knuth: The Art of Computer Programming 3, 5.2.5); 16 classes
 * to the octave.
 */
export interface LowerBound {
  /**
   * The bound for the first `count` numbers; 0 when no more than `k` are above 0. `halves` is the memory of the numbers,
   * none of them below 0: the upper half of one's bits is behind the lower one.
   */
  of(halves: Uint32Array, count: number, k: number): number;
}

/** Keeps of a number its exponent and four bits of its fraction. */
const SHIFT = 16;
const CLASSES = 1 << 15;

export function createLowerBound(): LowerBound {
  /** How many scores are of a class; all 0 between calls. */
  const classes = new Uint32Array(CLASSES);
  const bound = new Float64Array(1);
  const boundHalves = new Uint32Array(bound.buffer);

  return {
    of(halves, count, k) {
      let lowest = CLASSES;
      let highest = 0;
      for (let at = 1; at < 2 * count; at += 2) {
        const its = halves[at]! >>> SHIFT;
        if (its === 0) continue;
        classes[its]!++;
        if (its < lowest) lowest = its;
        if (its > highest) highest = its;
      }
      let reached = 0;
      let its = highest;
      for (; its >= lowest; its--) {
        reached += classes[its]!;
        if (reached > k) break;
      }
      classes.fill(0, lowest, highest + 1);
      if (its < lowest) return 0;
      boundHalves[1] = its << SHIFT;
      return bound[0]!;
    },
  };
}
