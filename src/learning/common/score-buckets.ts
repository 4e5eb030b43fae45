/**
 * Puts scores into buckets by the leading bits of their range, better ones into higher buckets: what then has to be
 * compared one by one are the few of one bucket. The bits of two numbers stand in the order of the numbers (IEEE 754),
 * once those of negative ones are turned round.
 */
export interface ScoreBuckets {
  /** By place; of the last `fill`. */
  readonly bucketOf: Uint16Array;
  /** How many fell into each bucket. */
  readonly counts: Uint32Array;
  /** `scores` are numbers, `count` of them at the front. Calls must not overlap. */
  fill(scores: Float64Array, count: number): void;
  /** After `place`: where each bucket ends, as the highest comes first. */
  readonly ends: Uint32Array;
  /** After `fill`: puts the places 0 to `count` - 1 into `order`, bucket by bucket, those of one by rising place. */
  place(order: Uint32Array, count: number): void;
}

/** Of the halves of a number, the one with the sign: numbers lie with the lower one first wherever Node runs. */
const UPPER = 1;
const MINUS_ZERO = -0x8000_0000;

/** 2^`bits` buckets. */
export function createScoreBuckets(bits: number): ScoreBuckets {
  const counts = new Uint32Array(1 << bits);
  const ends = new Uint32Array(1 << bits);
  let bucketOf = new Uint16Array(256);
  let keys = new Int32Array(256);

  return {
    counts,
    ends,
    get bucketOf() {
      return bucketOf;
    },
    fill(scores, count) {
      if (count > keys.length) {
        keys = new Int32Array(2 * count);
        bucketOf = new Uint16Array(2 * count);
      }
      const halves = new Int32Array(scores.buffer, scores.byteOffset, 2 * count);
      let least = 0x7fff_ffff;
      let most = -0x8000_0000;
      for (let i = 0; i < count; i++) {
        const half = halves[2 * i + UPPER]!;
        // -0 goes with 0.
        const key = half === MINUS_ZERO ? 0 : half ^ ((half >> 31) & 0x7fff_ffff);
        keys[i] = key;
        least = Math.min(least, key);
        most = Math.max(most, key);
      }
      const shift = Math.max(0, 32 - Math.clz32((most - least) | 0) - bits);
      counts.fill(0);
      for (let i = 0; i < count; i++) {
        const bucket = ((keys[i]! - least) | 0) >>> shift;
        bucketOf[i] = bucket;
        counts[bucket]!++;
      }
    },
    place(order, count) {
      let begin = 0;
      for (let bucket = ends.length - 1; bucket >= 0; bucket--) {
        ends[bucket] = begin;
        begin += counts[bucket]!;
      }
      // Each is where the next one of its bucket goes until all are there.
      for (let place = 0; place < count; place++) order[ends[bucketOf[place]!]!++] = place;
    },
  };
}
