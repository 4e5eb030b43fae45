/**
 * The loops over rows and bins in boosting regression trees, in AssemblyScript. A sum is a pair of a gradient and a second
 * derivative (f64), which one instruction adds, in the order of the rows. The same rows give the same bits on any machine.
 *
 * `cells` has a byte for each row and feature: the bin of its value. `pairs` has gradient and second derivative (f32) of
 * each row. `asked` has 12 bytes for each feature a tree may ask: the feature, where its sums begin in bytes, and behind
 * which byte they end.
 */

const ASKED = 12;
const PAIR = 16;
/** A node is its feature, its bin, its left child in bytes from the root (0 in a leaf), and what a leaf adds (f64). */
const NODE = 24;

/** Where memory is free: below lie the tables of logarithms. */
export function begin(): usize {
  return __heap_base;
}

/**
 * Lists at `chosen` the rows whose gradient is at least `threshold` either way, and a share of the others by chance, whose
 * pairs are raised in place. Answers how many. Random numbers are those of Mulberry32 (Ettinger) from the seed.
 */
export function choose(
  pairs: usize,
  count: i32,
  threshold: f32,
  share: f64,
  raise: f32,
  seed: u32,
  chosen: usize,
): i32 {
  const limit = (share * 4_294_967_296) as u64;
  let to = chosen;
  for (let row = 0; row < count; row++, pairs += 8) {
    if (abs(load<f32>(pairs)) < threshold) {
      seed += 0x6d2b79f5;
      let mixed = (seed ^ (seed >>> 15)) * (seed | 1);
      mixed ^= mixed + (mixed ^ (mixed >>> 7)) * (mixed | 61);
      if (((mixed ^ (mixed >>> 14)) as u64) >= limit) continue;
      store<f32>(pairs, load<f32>(pairs) * raise);
      store<f32>(pairs, load<f32>(pairs, 4) * raise, 4);
    }
    store<u32>(to, row);
    to += 4;
  }
  return ((to - chosen) >> 2) as i32;
}

/** Adds the pairs of the rows at `rows` to the sums of their bins. */
export function addRows(
  rows: usize,
  count: i32,
  cells: usize,
  width: i32,
  pairs: usize,
  asked: usize,
  askedCount: i32,
  sums: usize,
): void {
  const end = rows + ((count as usize) << 2);
  const askedEnd = asked + (askedCount as usize) * ASKED;
  for (; rows < end; rows += 4) {
    const row = load<u32>(rows);
    const from = cells + ((row * width) as usize);
    const pair = f64x2.promote_low_f32x4(v128.load64_zero(pairs + ((row as usize) << 3)));
    for (let ask = asked; ask < askedEnd; ask += ASKED) {
      const at = sums + load<u32>(ask, 4) + ((load<u8>(from + load<u32>(ask)) as usize) << 4);
      v128.store(at, f64x2.add(v128.load(at), pair));
    }
  }
}

/** Makes `length` bytes of sums, a multiple of 16, 0. */
export function clear(sums: usize, length: i32): void {
  memory.fill(sums, 0, length as usize);
}

/** Takes the second sums from the first, `length` bytes of both. */
export function subtract(sums: usize, others: usize, length: i32): void {
  const end = sums + (length as usize);
  for (; sums < end; sums += PAIR, others += PAIR) v128.store(sums, f64x2.sub(v128.load(sums), v128.load(others)));
}

/** Adds up the pairs of the sums between two addresses into the pair at `to`. */
export function total(from: usize, end: usize, to: usize): void {
  let sum = f64x2.splat(0);
  for (; from < end; from += PAIR) sum = f64x2.add(sum, v128.load(from));
  v128.store(to, sum);
}

/**
 * Finds the split that gains most and more than `minGain`. `whole` is the leaf's pair. Answers the place of its feature
 * among those asked, from 1; 0 when there is none. Its gain (f64) and bin (i32) are at `found` then.
 */
export function bestSplit(
  sums: usize,
  whole: usize,
  asked: usize,
  askedCount: i32,
  l2: f64,
  minHessian: f64,
  minGain: f64,
  found: usize,
): i32 {
  const all = v128.load(whole);
  const gradient = f64x2.extract_lane(all, 0);
  const own = (gradient * gradient) / (f64x2.extract_lane(all, 1) + l2);
  const shrink = f64x2.splat(l2);
  let best = 0;
  let bestBin = 0;
  let bestGain = minGain;
  for (let ask = 1; ask <= askedCount; ask++) {
    const begin = sums + load<u32>(asked, 4);
    // The last bin has nothing to its right.
    const end = sums + load<u32>(asked, 8) - PAIR;
    asked += ASKED;
    let left = f64x2.splat(0);
    for (let at = begin; at < end; at += PAIR) {
      const pair = v128.load(at);
      if (f64x2.extract_lane(pair, 1) === 0) continue;
      left = f64x2.add(left, pair);
      if (f64x2.extract_lane(left, 1) < minHessian) continue;
      const right = f64x2.sub(all, left);
      if (f64x2.extract_lane(right, 1) < minHessian) break;
      const gradients = v128.shuffle<f64>(left, right, 0, 2);
      const hessians = v128.shuffle<f64>(left, right, 1, 3);
      const gains = f64x2.div(f64x2.mul(gradients, gradients), f64x2.add(hessians, shrink));
      const gain = f64x2.extract_lane(gains, 0) + f64x2.extract_lane(gains, 1) - own;
      if (gain > bestGain) {
        bestGain = gain;
        best = ask;
        bestBin = ((at - begin) >> 4) as i32;
      }
    }
  }
  store<f64>(found, bestGain);
  store<i32>(found, bestBin, 8);
  return best;
}

/**
 * Puts the rows whose bin at `cells`, where those of the feature begin, is at most `bin` first, and keeps the order on
 * both sides. Answers how many they are. `aside` has room for all rows.
 */
export function partition(rows: usize, count: i32, cells: usize, width: i32, bin: i32, aside: usize): i32 {
  const end = rows + ((count as usize) << 2);
  let left = rows;
  let right = aside;
  // Both are written, and one of them counts: a branch would be guessed wrong as often as right.
  for (let at = rows; at < end; at += 4) {
    const row = load<u32>(at);
    const isRight = ((load<u8>(cells + ((row * width) as usize)) as i32) > bin) as usize;
    store<u32>(left, row);
    store<u32>(right, row);
    left += 4 - (isRight << 2);
    right += isRight << 2;
  }
  memory.copy(left, aside, right - aside);
  return ((left - rows) >> 2) as i32;
}

/** Adds what the tree says of each row to its score (f32). */
export function addTree(tree: usize, cells: usize, width: i32, count: i32, scores: usize): void {
  const end = scores + ((count as usize) << 2);
  for (; scores < end; scores += 4) {
    let node = tree;
    for (let left = load<u32>(node, 8); left !== 0; left = load<u32>(node, 8)) {
      const isRight = ((load<u8>(cells + load<u32>(node)) as u32) > load<u32>(node, 4)) as usize;
      node = tree + left + isRight * NODE;
    }
    store<f32>(scores, ((load<f32>(scores) as f64) + load<f64>(node, 16)) as f32);
    cells += width as usize;
  }
}

/**
 * Softmax within each group over scores and offsets (f32), 0 for no offsets. Group g has the rows `groups[g]` up to, not
 * including, `groups[g + 1]`; its answer is the row `answers[g]`. Unless `pairs` is 0, writes gradients and second
 * derivatives of the groups' losses there. `parts` has 4 bytes for each row of the largest group. Answers the sum of the
 * losses: -ln(p), or with a focus (1 - p^focus) / focus.
 */
export function softmax(
  scores: usize,
  offsets: usize,
  groups: usize,
  answers: usize,
  groupCount: i32,
  focus: f64,
  parts: usize,
  pairs: usize,
): f64 {
  let losses: f64 = 0;
  for (let group = 0; group < groupCount; group++) {
    const first = load<u32>(groups + ((group as usize) << 2)) as usize;
    const count = (load<u32>(groups + ((group as usize) << 2), 4) as usize) - first;
    const answer = (load<u32>(answers + ((group as usize) << 2)) as usize) - first;
    const sum = exponents(scores + (first << 2), offsets === 0 ? 0 : offsets + (first << 2), count << 2, parts);
    const answered = Math.max((load<f32>(parts + (answer << 2)) as f64) / sum, 1e-12);
    const surprise = -Math.log(answered);
    const weight = focus === 0 ? 1 : Math.exp(-focus * surprise);
    losses += focus === 0 ? surprise : (1 - weight) / focus;
    if (pairs !== 0) writePairs(parts, count, answer, (1 / sum) as f32, weight as f32, pairs + (first << 3));
  }
  return losses;
}

/** Writes e^(score + offset - the largest of them) of `length` bytes of rows to `parts`; answers their sum. */
function exponents(scores: usize, offsets: usize, length: usize, parts: usize): f64 {
  const whole = length & ~15;
  let mosts = f32x4.splat(-Infinity);
  for (let at: usize = 0; at < whole; at += 16) {
    let four = v128.load(scores + at);
    if (offsets !== 0) four = f32x4.add(four, v128.load(offsets + at));
    v128.store(parts + at, four);
    mosts = f32x4.max(mosts, four);
  }
  let most = max(
    max(f32x4.extract_lane(mosts, 0), f32x4.extract_lane(mosts, 1)),
    max(f32x4.extract_lane(mosts, 2), f32x4.extract_lane(mosts, 3)),
  );
  for (let at = whole; at < length; at += 4) {
    const one = load<f32>(scores + at) + (offsets === 0 ? 0 : load<f32>(offsets + at));
    store<f32>(parts + at, one);
    most = max(most, one);
  }
  const shift = f32x4.splat(most);
  let sums = f32x4.splat(0);
  for (let at: usize = 0; at < whole; at += 16) {
    const four = exp(f32x4.sub(v128.load(parts + at), shift));
    v128.store(parts + at, four);
    sums = f32x4.add(sums, four);
  }
  let sum =
    (f32x4.extract_lane(sums, 0) as f64) +
    (f32x4.extract_lane(sums, 1) as f64) +
    (f32x4.extract_lane(sums, 2) as f64) +
    (f32x4.extract_lane(sums, 3) as f64);
  for (let at = whole; at < length; at += 4) {
    const one = f32x4.extract_lane(exp(f32x4.splat(load<f32>(parts + at) - most)), 0);
    store<f32>(parts + at, one);
    sum += one as f64;
  }
  return sum;
}

/** Four at a time, of numbers up to 0, to some 1e-7 of the result (the polynomial of Cephes, Moshier). */
function exp(given: v128): v128 {
  const x = f32x4.max(given, f32x4.splat(-87));
  const n = f32x4.nearest(f32x4.mul(x, f32x4.splat(Mathf.LOG2E)));
  let r = f32x4.sub(x, f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.sub(r, f32x4.mul(n, f32x4.splat(-2.1219444e-4)));
  let y = f32x4.splat(1.98756915e-4);
  y = f32x4.add(f32x4.mul(y, r), f32x4.splat(1.3981999507e-3));
  y = f32x4.add(f32x4.mul(y, r), f32x4.splat(8.3334519073e-3));
  y = f32x4.add(f32x4.mul(y, r), f32x4.splat(4.1665795894e-2));
  y = f32x4.add(f32x4.mul(y, r), f32x4.splat(1.6666665459e-1));
  y = f32x4.add(f32x4.mul(y, r), f32x4.splat(5.0000001201e-1));
  y = f32x4.add(f32x4.add(f32x4.mul(y, f32x4.mul(r, r)), r), f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  return f32x4.mul(y, power);
}

function writePairs(parts: usize, count: usize, answer: usize, scale: f32, weight: f32, pairs: usize): void {
  for (let row: usize = 0; row < count; row++) {
    const share = load<f32>(parts + (row << 2)) * scale;
    const gradient = weight * share;
    store<f32>(pairs + (row << 3), gradient);
    store<f32>(pairs + (row << 3), max(gradient * (1 - share), 1e-9), 4);
  }
  store<f32>(pairs + (answer << 3), load<f32>(pairs + (answer << 3)) - weight);
}
