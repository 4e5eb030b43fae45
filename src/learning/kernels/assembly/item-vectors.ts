/**
 * One batch of learning vectors of products from visits (`session/item-vectors.ts` says what is learned), in AssemblyScript:
 * four numbers by one instruction, and all numbers of a product beside each other.
 *
 * From address 0 on there are:
 * - products: the vector, its two moments of Adam (f32, `dimensions` each), the logarithm of what a step counts, its moments;
 * - for each product the logarithm of how often a batch is expected to draw it (f32);
 * - for each place of a visit, from the newest step: the logarithm of what it counts, its moments (f32);
 * - the drawn products of the batch (u32);
 * - its questions (u32): the product that came next, how many steps there are, the steps, newest first.
 */

const FIRST_MOMENT: f32 = 0.9;
const SECOND_MOMENT: f32 = 0.999;
const TINY: f32 = 1e-8;

let batch = 0;
let drawn = 0;
let places = 0;
/** Bytes of a vector, of a product and of a question. */
let length: usize = 0;
let productLength: usize = 0;
let questionLength: usize = 0;
let expectedAt: usize = 0;
let placesAt: usize = 0;
let drawnAt: usize = 0;
let questionsAt: usize = 0;
// Of the drawn products: vectors of length 1, gradients of these, what they were multiplied with, what is expected.
let unitsAt: usize = 0;
let unitGradientsAt: usize = 0;
let unitScalesAt: usize = 0;
let unitExpectedAt: usize = 0;
// Of the questions: the visit and the product that came next at length 1, and the same as of the drawn products.
let visitsAt: usize = 0;
let visitGradientsAt: usize = 0;
let visitScalesAt: usize = 0;
let answersAt: usize = 0;
let answerScalesAt: usize = 0;
let answerGradientsAt: usize = 0;
/** Of each question and drawn product: the odds, then the gradient (f32). */
let oddsAt: usize = 0;
// Of the steps of a question: vectors of length 1, which of their numbers are kept, scales, shares of the visit.
let stepsAt: usize = 0;
let masksAt: usize = 0;
let stepScalesAt: usize = 0;
let sharesAt: usize = 0;
let leaningsAt: usize = 0;
let placeGradientsAt: usize = 0;
/** By product: its number among the touched ones + 1; 0 for the others (u32). */
let slotsAt: usize = 0;
/** The touched products (u32), the gradients of their vectors, and of what their steps count (f32). */
let touchedAt: usize = 0;
let gradientsAt: usize = 0;
let weightGradientsAt: usize = 0;
let touched = 0;
let end: usize = 0;
let random: u32 = 1;

/** Lays out the memory for vectors of `dimensions` (a multiple of 8) numbers; answers where it ends. */
export function layOut(products: i32, dimensions: i32, questions: i32, draws: i32, steps: i32, seed: u32): usize {
  batch = questions;
  drawn = draws;
  places = steps;
  random = seed | 1;
  length = (dimensions << 2) as usize;
  productLength = 3 * length + 16;
  questionLength = ((steps + 2) << 2) as usize;
  end = 0;
  place(products, productLength);
  expectedAt = place(products, 4);
  placesAt = place(places, 12);
  drawnAt = place(drawn, 4);
  questionsAt = place(batch, questionLength);
  unitsAt = place(drawn, length);
  unitGradientsAt = place(drawn, length);
  unitScalesAt = place(drawn, 4);
  unitExpectedAt = place(drawn, 4);
  visitsAt = place(batch, length);
  visitGradientsAt = place(batch, length);
  visitScalesAt = place(batch, 4);
  answersAt = place(batch, length);
  answerScalesAt = place(batch, 4);
  answerGradientsAt = place(batch, 4);
  oddsAt = place(batch, (drawn << 2) as usize);
  stepsAt = place(batch * places, length);
  masksAt = place(batch * places, length);
  stepScalesAt = place(batch * places, 4);
  sharesAt = place(batch * places, 4);
  leaningsAt = place(places, 4);
  placeGradientsAt = place(places, 4);
  slotsAt = place(products, 4);
  const most = drawn + batch * (places + 1);
  touchedAt = place(most, 4);
  gradientsAt = place(most, length);
  weightGradientsAt = place(most, 4);
  return end;
}

/** Space for `count` parts of `bytes` each. */
function place(count: i32, bytes: usize): usize {
  const at = end;
  end = (at + (count as usize) * bytes + 15) & ~15;
  return at;
}

/**
 * Moves the vectors of the products of one batch by `rate`; answers what probability the products that came next had on
 * average. Of the numbers of a step `dropped` of 256 are left out by chance.
 */
export function learn(rate: f32, temperature: f32, dropped: u32): f32 {
  touched = 0;
  const inverse: f32 = 1 / temperature;
  for (let n = 0; n < drawn; n++) {
    const product = load<u32>(drawnAt + inFours(n));
    touch(product);
    store<f32>(unitExpectedAt + inFours(n), load<f32>(expectedAt + ((product as usize) << 2)));
    store<f32>(unitScalesAt + inFours(n), unit(vectorOf(product), vectorAt(unitsAt, n)));
  }
  for (let b = 0; b < batch; b++) readQuestion(b, dropped);
  let sum: f32 = 0;
  for (let b = 0; b < batch; b++) sum += compare(b, inverse);
  const row = (drawn << 2) as usize;
  weigh(oddsAt, row, 4, batch, unitsAt, drawn, visitGradientsAt);
  weigh(oddsAt, 4, row, drawn, visitsAt, batch, unitGradientsAt);
  for (let n = 0; n < drawn; n++) {
    const to = gradientOf(load<u32>(drawnAt + inFours(n)));
    addThroughUnit(vectorAt(unitsAt, n), vectorAt(unitGradientsAt, n), load<f32>(unitScalesAt + inFours(n)), to);
  }
  memory.fill(placeGradientsAt, 0, inFours(places));
  for (let b = 0; b < batch; b++) blame(b);
  for (let n = 0; n < touched; n++) {
    const product = load<u32>(touchedAt + inFours(n));
    const at = (product as usize) * productLength;
    move(at, vectorAt(gradientsAt, n), rate);
    moveWeight(at + 3 * length, load<f32>(weightGradientsAt + inFours(n)), rate);
    store<u32>(slotsAt + ((product as usize) << 2), 0);
  }
  for (let p = 0; p < places; p++)
    moveWeight(placesAt + ((p * 12) as usize), load<f32>(placeGradientsAt + inFours(p)), rate);
  return sum / (batch as f32);
}

/** The visit of a question: the average of its steps by their shares, and the product that came next. */
function readQuestion(b: i32, dropped: u32): void {
  const question = questionsAt + (b as usize) * questionLength;
  const steps = load<i32>(question, 4);
  const first = b * places;
  let most: f32 = -Infinity;
  for (let i = 0; i < steps; i++) {
    const product = load<u32>(question + 8 + inFours(i));
    touch(product);
    const weight =
      load<f32>(placesAt + ((i * 12) as usize)) + load<f32>((product as usize) * productLength + 3 * length);
    store<f32>(sharesAt + inFours(first + i), weight);
    most = max(most, weight);
  }
  let total: f32 = 0;
  for (let i = 0; i < steps; i++) {
    const at = sharesAt + inFours(first + i);
    const share = f32x4.extract_lane(exponentials(f32x4.splat(load<f32>(at) - most)), 0);
    store<f32>(at, share);
    total += share;
  }
  const visit = vectorAt(visitsAt, b);
  memory.fill(visit, 0, length);
  for (let i = 0; i < steps; i++) {
    const at = sharesAt + inFours(first + i);
    const share = load<f32>(at) / total;
    store<f32>(at, share);
    const step = vectorAt(stepsAt, first + i);
    const mask = vectorAt(masksAt, first + i);
    store<f32>(stepScalesAt + inFours(first + i), unit(vectorOf(load<u32>(question + 8 + inFours(i))), step));
    drawMask(mask, dropped);
    const shares = f32x4.splat(share);
    for (let k: usize = 0; k < length; k += 16) {
      const kept = f32x4.mul(v128.load(step + k), v128.load(mask + k));
      v128.store(visit + k, f32x4.add(v128.load(visit + k), f32x4.mul(shares, kept)));
    }
  }
  store<f32>(visitScalesAt + inFours(b), unit(visit, visit));
  const next = load<u32>(question);
  touch(next);
  store<f32>(answerScalesAt + inFours(b), unit(vectorOf(next), vectorAt(answersAt, b)));
}

/** For each number of a vector 0, or what makes up for those that are 0. */
function drawMask(mask: usize, dropped: u32): void {
  const left: i32 = 256 - (dropped as i32);
  const kept: f32 = 256 / (left as f32);
  for (let k: usize = 0; k < length; k += 16) {
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    store<f32>(mask + k, (random & 255) >= dropped ? kept : 0);
    store<f32>(mask + k, ((random >> 8) & 255) >= dropped ? kept : 0, 4);
    store<f32>(mask + k, ((random >> 16) & 255) >= dropped ? kept : 0, 8);
    store<f32>(mask + k, random >> 24 >= dropped ? kept : 0, 12);
  }
}

/** The softmax of a question over the drawn products and the one that came next; leaves gradients of their scores; answers its probability. */
function compare(b: i32, inverse: f32): f32 {
  const visit = vectorAt(visitsAt, b);
  const answer = load<u32>(questionsAt + (b as usize) * questionLength);
  const odds = oddsAt + inFours(b * drawn);
  const inverses = f32x4.splat(inverse);
  let sums = f32x4.splat(0);
  for (let n: usize = 0; n < inFours(drawn); n += 16) {
    const scores = f32x4.mul(inverses, fourProducts(visit, unitsAt + (n >> 2) * length));
    const found = exponentials(f32x4.sub(scores, v128.load(unitExpectedAt + n)));
    const others = v128.andnot(found, i32x4.eq(v128.load(drawnAt + n), i32x4.splat(answer)));
    v128.store(odds + n, others);
    sums = f32x4.add(sums, others);
  }
  const score = inverse * product(visit, vectorAt(answersAt, b)) - load<f32>(expectedAt + ((answer as usize) << 2));
  const own = f32x4.extract_lane(exponentials(f32x4.splat(score)), 0);
  const all = total(sums) + own;
  const scale = f32x4.splat(inverse / (all * (batch as f32)));
  for (let n: usize = 0; n < inFours(drawn); n += 16) v128.store(odds + n, f32x4.mul(scale, v128.load(odds + n)));
  store<f32>(answerGradientsAt + inFours(b), ((own / all - 1) * inverse) / (batch as f32));
  return own / all;
}

/** Hands the gradients of a question on to the product that came next and to the steps. */
function blame(b: i32): void {
  const question = questionsAt + (b as usize) * questionLength;
  const steps = load<i32>(question, 4);
  const first = b * places;
  const visit = vectorAt(visitsAt, b);
  const gradient = vectorAt(visitGradientsAt, b);
  const answer = vectorAt(answersAt, b);
  const own = load<f32>(answerGradientsAt + inFours(b));
  const owns = f32x4.splat(own);
  for (let k: usize = 0; k < length; k += 16)
    v128.store(gradient + k, f32x4.add(v128.load(gradient + k), f32x4.mul(owns, v128.load(answer + k))));
  // Of the answer the gradient is the visit times a number.
  const answerScale = load<f32>(answerScalesAt + inFours(b)) * own;
  addAcross(answer, visit, answerScale, product(answer, visit), gradientOf(load<u32>(question)));
  // Of the visit before it was scaled to length 1.
  const along = f32x4.splat(product(visit, gradient));
  const scales = f32x4.splat(load<f32>(visitScalesAt + inFours(b)));
  for (let k: usize = 0; k < length; k += 16) {
    const across = f32x4.sub(v128.load(gradient + k), f32x4.mul(along, v128.load(visit + k)));
    v128.store(gradient + k, f32x4.mul(scales, across));
  }
  let mean: f32 = 0;
  for (let i = 0; i < steps; i++) {
    const step = vectorAt(stepsAt, first + i);
    const mask = vectorAt(masksAt, first + i);
    for (let k: usize = 0; k < length; k += 16)
      v128.store(mask + k, f32x4.mul(v128.load(mask + k), v128.load(gradient + k)));
    const leaning = product(step, mask);
    const share = load<f32>(sharesAt + inFours(first + i));
    store<f32>(leaningsAt + inFours(i), leaning);
    mean += share * leaning;
    const scale = load<f32>(stepScalesAt + inFours(first + i)) * share;
    addAcross(step, mask, scale, leaning, gradientOf(load<u32>(question + 8 + inFours(i))));
  }
  for (let i = 0; i < steps; i++) {
    const share = load<f32>(sharesAt + inFours(first + i));
    const change = share * (load<f32>(leaningsAt + inFours(i)) - mean);
    const slot = load<u32>(slotsAt + ((load<u32>(question + 8 + inFours(i)) as usize) << 2)) - 1;
    add(weightGradientsAt + ((slot as usize) << 2), change);
    add(placeGradientsAt + inFours(i), change);
  }
}

function add(at: usize, value: f32): void {
  store<f32>(at, load<f32>(at) + value);
}

/** Gives a product of the batch gradients of 0. */
function touch(product: u32): void {
  const slot = slotsAt + ((product as usize) << 2);
  if (load<u32>(slot) !== 0) return;
  store<u32>(touchedAt + inFours(touched), product);
  store<f32>(weightGradientsAt + inFours(touched), 0);
  memory.fill(vectorAt(gradientsAt, touched), 0, length);
  store<u32>(slot, ++touched);
}

function gradientOf(product: u32): usize {
  return gradientsAt + ((load<u32>(slotsAt + ((product as usize) << 2)) - 1) as usize) * length;
}

function vectorOf(product: u32): usize {
  return (product as usize) * productLength;
}

function vectorAt(vectors: usize, n: i32): usize {
  return vectors + (n as usize) * length;
}

function inFours(n: i32): usize {
  return (n << 2) as usize;
}

/** Writes a vector at length 1; answers what it was multiplied with. */
function unit(from: usize, to: usize): f32 {
  const scale: f32 = 1 / sqrt<f32>(product(from, from) + 1e-12);
  const scales = f32x4.splat(scale);
  for (let k: usize = 0; k < length; k += 16) v128.store(to + k, f32x4.mul(scales, v128.load(from + k)));
  return scale;
}

/** Adds the gradient of a vector, given that of the vector at length 1. */
function addThroughUnit(vector: usize, gradient: usize, scale: f32, to: usize): void {
  addAcross(vector, gradient, scale, product(vector, gradient), to);
}

function addAcross(vector: usize, gradient: usize, scale: f32, along: f32, to: usize): void {
  const scales = f32x4.splat(scale);
  const alongs = f32x4.splat(along);
  for (let k: usize = 0; k < length; k += 16) {
    const across = f32x4.sub(v128.load(gradient + k), f32x4.mul(alongs, v128.load(vector + k)));
    v128.store(to + k, f32x4.add(v128.load(to + k), f32x4.mul(scales, across)));
  }
}

/** Adam (Kingma, Ba: ICLR 2015); its correction of the first steps is part of the rate. */
function move(at: usize, gradient: usize, rate: f32): void {
  const kept1 = f32x4.splat(FIRST_MOMENT);
  const new1 = f32x4.splat(1 - FIRST_MOMENT);
  const kept2 = f32x4.splat(SECOND_MOMENT);
  const new2 = f32x4.splat(1 - SECOND_MOMENT);
  const rates = f32x4.splat(rate);
  const tiny = f32x4.splat(TINY);
  for (let k: usize = 0; k < length; k += 16) {
    const g = v128.load(gradient + k);
    const first = f32x4.add(f32x4.mul(kept1, v128.load(at + length + k)), f32x4.mul(new1, g));
    const second = f32x4.add(f32x4.mul(kept2, v128.load(at + 2 * length + k)), f32x4.mul(new2, f32x4.mul(g, g)));
    v128.store(at + length + k, first);
    v128.store(at + 2 * length + k, second);
    const step = f32x4.div(f32x4.mul(rates, first), f32x4.add(f32x4.sqrt(second), tiny));
    v128.store(at + k, f32x4.sub(v128.load(at + k), step));
  }
}

/** The same of a number, which has its moments behind it. */
function moveWeight(at: usize, gradient: f32, rate: f32): void {
  const first = FIRST_MOMENT * load<f32>(at, 4) + (1 - FIRST_MOMENT) * gradient;
  const second = SECOND_MOMENT * load<f32>(at, 8) + (1 - SECOND_MOMENT) * gradient * gradient;
  store<f32>(at, first, 4);
  store<f32>(at, second, 8);
  store<f32>(at, load<f32>(at) - (rate * first) / (sqrt<f32>(second) + TINY));
}

/**
 * For each of `rows` (a multiple of 4) the sum of `count` vectors times its weights. The weights of a row lie `next` bytes
 * from each other, rows `row` bytes.
 */
function weigh(weights: usize, row: usize, next: usize, rows: i32, vectors: usize, count: i32, to: usize): void {
  for (let r = 0; r < rows; r += 4) {
    for (let k: usize = 0; k < length; k += 32) {
      let a0 = f32x4.splat(0);
      let a1 = a0;
      let b0 = a0;
      let b1 = a0;
      let c0 = a0;
      let c1 = a0;
      let d0 = a0;
      let d1 = a0;
      let weight = weights;
      let from = vectors + k;
      for (let n = 0; n < count; n++) {
        const front = v128.load(from);
        const back = v128.load(from, 16);
        const a = v128.load32_splat(weight);
        const b = v128.load32_splat(weight + row);
        const c = v128.load32_splat(weight + 2 * row);
        const d = v128.load32_splat(weight + 3 * row);
        a0 = f32x4.add(a0, f32x4.mul(a, front));
        a1 = f32x4.add(a1, f32x4.mul(a, back));
        b0 = f32x4.add(b0, f32x4.mul(b, front));
        b1 = f32x4.add(b1, f32x4.mul(b, back));
        c0 = f32x4.add(c0, f32x4.mul(c, front));
        c1 = f32x4.add(c1, f32x4.mul(c, back));
        d0 = f32x4.add(d0, f32x4.mul(d, front));
        d1 = f32x4.add(d1, f32x4.mul(d, back));
        weight += next;
        from += length;
      }
      const at = to + k;
      v128.store(at, a0);
      v128.store(at, a1, 16);
      v128.store(at + length, b0);
      v128.store(at + length, b1, 16);
      v128.store(at + 2 * length, c0);
      v128.store(at + 2 * length, c1, 16);
      v128.store(at + 3 * length, d0);
      v128.store(at + 3 * length, d1, 16);
    }
    weights += 4 * row;
    to += 4 * length;
  }
}

function product(one: usize, other: usize): f32 {
  let sum0 = f32x4.splat(0);
  let sum1 = sum0;
  for (let k: usize = 0; k < length; k += 32) {
    sum0 = f32x4.add(sum0, f32x4.mul(v128.load(one + k), v128.load(other + k)));
    sum1 = f32x4.add(sum1, f32x4.mul(v128.load(one + k, 16), v128.load(other + k, 16)));
  }
  return total(f32x4.add(sum0, sum1));
}

function fourProducts(one: usize, others: usize): v128 {
  const second = others + length;
  const third = second + length;
  const fourth = third + length;
  let sum0 = f32x4.splat(0);
  let sum1 = sum0;
  let sum2 = sum0;
  let sum3 = sum0;
  for (let k: usize = 0; k < length; k += 16) {
    const values = v128.load(one + k);
    sum0 = f32x4.add(sum0, f32x4.mul(v128.load(others + k), values));
    sum1 = f32x4.add(sum1, f32x4.mul(v128.load(second + k), values));
    sum2 = f32x4.add(sum2, f32x4.mul(v128.load(third + k), values));
    sum3 = f32x4.add(sum3, f32x4.mul(v128.load(fourth + k), values));
  }
  // Each sum's two halves, then their two numbers: the four totals beside each other.
  const front = f32x4.add(v128.shuffle<f32>(sum0, sum1, 0, 4, 1, 5), v128.shuffle<f32>(sum0, sum1, 2, 6, 3, 7));
  const back = f32x4.add(v128.shuffle<f32>(sum2, sum3, 0, 4, 1, 5), v128.shuffle<f32>(sum2, sum3, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<f32>(front, back, 0, 1, 4, 5), v128.shuffle<f32>(front, back, 2, 3, 6, 7));
}

function total(sums: v128): f32 {
  const front = f32x4.extract_lane(sums, 0) + f32x4.extract_lane(sums, 1);
  return front + (f32x4.extract_lane(sums, 2) + f32x4.extract_lane(sums, 3));
}

/** e to the power of four numbers between -80 and 80: a power of 2, whose fraction a series of six terms gives. */
function exponentials(powers: v128): v128 {
  const within = f32x4.min(f32x4.max(powers, f32x4.splat(-80)), f32x4.splat(80));
  const binary = f32x4.mul(within, f32x4.splat(Mathf.LOG2E));
  const whole = f32x4.nearest(binary);
  const rest = f32x4.sub(binary, whole);
  let sum = f32x4.splat(0.00133335581);
  sum = f32x4.add(f32x4.mul(sum, rest), f32x4.splat(0.00961812911));
  sum = f32x4.add(f32x4.mul(sum, rest), f32x4.splat(0.0555041087));
  sum = f32x4.add(f32x4.mul(sum, rest), f32x4.splat(0.240226507));
  sum = f32x4.add(f32x4.mul(sum, rest), f32x4.splat(Mathf.LN2));
  sum = f32x4.add(f32x4.mul(sum, rest), f32x4.splat(1));
  const exponent = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(whole), i32x4.splat(127)), 23);
  return f32x4.mul(sum, exponent);
}
