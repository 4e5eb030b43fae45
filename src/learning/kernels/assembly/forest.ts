/**
 * Scores of rows by a forest, sixteen rows at a time, in AssemblyScript. A tree is not walked: each of its nodes is asked
 * by all sixteen rows, and one that sends a row to the right strikes out the leaves to its left; the first leaf that is
 * left is the row's (Lucchese, Nardini, Orlando, Perego, Tonellotto, Venturini: QuickScorer, SIGIR 2015; by rows at once
 * as in Lucchese, Perego, Nardini, Tonellotto, Orlando, Venturini: Exploiting CPU SIMD extensions to speed-up document
 * scoring with tree ensembles, SIGIR 2016). Nothing is guessed and nothing waited for, and four rows are compared by one
 * instruction.
 *
 * A node is 12 bytes: the feature (i32), the limit (f32), the leaves to its left as bits (i32). A tree has 32 leaves at
 * most, from left to right.
 */

const NODE = 12;
const LEAVES = 32 * 4;

/** Rows at `from`, one after the other, to columns at `to`, each `stride` bytes long. */
export function toColumns(from: usize, count: i32, features: i32, to: usize, stride: i32): void {
  for (let row = 0; row < count; row++) {
    for (let feature = 0; feature < features; feature++) {
      store<f32>(to + ((feature * stride + (row << 2)) as usize), load<f32>(from));
      from += 4;
    }
  }
}

/**
 * Adds what the trees say of each row to its score (f64).
 *
 * @param starts The first node of each tree (u32), and behind the last one how many there are.
 * @param leaves What each leaf adds (f32), 32 a tree.
 * @param columns Values of each feature (f32), `stride` bytes, which are a multiple of 64.
 */
export function addScores(
  nodes: usize,
  starts: usize,
  trees: i32,
  leaves: usize,
  columns: usize,
  stride: i32,
  scores: usize,
): void {
  for (let tree = 0; tree < trees; tree++) {
    const first = nodes + (load<u32>(starts) as usize) * NODE;
    starts += 4;
    const end = nodes + (load<u32>(starts) as usize) * NODE;
    for (let at = 0; at < stride; at += 64) {
      let left0 = i32x4.splat(-1);
      let left1 = left0;
      let left2 = left0;
      let left3 = left0;
      for (let node = first; node < end; node += NODE) {
        const values = columns + ((load<i32>(node) * stride + at) as usize);
        const limit = v128.load32_splat(node, 4);
        const struck = v128.load32_splat(node, 8);
        left0 = v128.andnot(left0, v128.and(f32x4.gt(v128.load(values), limit), struck));
        left1 = v128.andnot(left1, v128.and(f32x4.gt(v128.load(values, 16), limit), struck));
        left2 = v128.andnot(left2, v128.and(f32x4.gt(v128.load(values, 32), limit), struck));
        left3 = v128.andnot(left3, v128.and(f32x4.gt(v128.load(values, 48), limit), struck));
      }
      const to = scores + ((at << 1) as usize);
      addFour(to, leaves, left0);
      addFour(to + 32, leaves, left1);
      addFour(to + 64, leaves, left2);
      addFour(to + 96, leaves, left3);
    }
    leaves += LEAVES;
  }
}

function addFour(to: usize, leaves: usize, left: v128): void {
  store<f64>(to, load<f64>(to) + firstOf(leaves, i32x4.extract_lane(left, 0)));
  store<f64>(to, load<f64>(to, 8) + firstOf(leaves, i32x4.extract_lane(left, 1)), 8);
  store<f64>(to, load<f64>(to, 16) + firstOf(leaves, i32x4.extract_lane(left, 2)), 16);
  store<f64>(to, load<f64>(to, 24) + firstOf(leaves, i32x4.extract_lane(left, 3)), 24);
}

function firstOf(leaves: usize, left: i32): f64 {
  return load<f32>(leaves + ((ctz(left) as usize) << 2)) as f64;
}
