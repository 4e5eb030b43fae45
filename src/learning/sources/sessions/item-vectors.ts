/**
 * Vectors of products, learned so that the vectors of a visit's steps, averaged, point to the next product. So any two
 * products can be compared, whether or not they met.
 *
 *   visit = unit(sum over the newest steps of softmax(place weight + product weight) * vector of the step)
 *   p(next product) ~ e^(visit . vector / temperature), over the product that came next and the drawn ones
 *
 *   Hou, Hu, Zhang, Zhao: CORE: simple and effective session-based recommendation within consistent representation space,
 *   SIGIR 2022 (one space for steps and visits, cosine with a temperature, dropout on the steps)
 *   Bengio, Senécal: Adaptive importance sampling to accelerate training of a neural probabilistic language model, IEEE
 *   TNN 2008 (softmax over drawn products, corrected by how often each is drawn)
 *
 * Memory while learning: 800 bytes a product. Time: 600,000 steps take some 4 s a pass.
 */

import { createRandom } from "../../common/random.js";
import { type Rows, rowCount } from "../../common/rows.js";
import { createVectorKernel, type VectorKernel } from "../../kernels/item-vectors.js";

export interface ItemVectorParams {
  /** A multiple of 8. */
  readonly dimensions: number;
  /** Steps asked in all passes together; and passes at least and at most. */
  readonly asked: number;
  readonly leastPasses: number;
  readonly mostPasses: number;
  /** Questions of a batch. */
  readonly batch: number;
  /** Products drawn for each batch, by popularity to the power of `drawPower`. */
  readonly drawn: number;
  readonly drawPower: number;
  readonly learningRate: number;
  readonly temperature: number;
  /** Of 256 numbers of a step's vector so many are left out while learning. */
  readonly dropped: number;
  /** Newest steps of a visit that are read. */
  readonly steps: number;
  /** Steps of the newest visits that are learned from. */
  readonly newest: number;
}

export const ITEM_VECTORS: ItemVectorParams = {
  dimensions: 64,
  asked: 1_800_000,
  leastPasses: 3,
  mostPasses: 12,
  batch: 128,
  drawn: 128,
  drawPower: 0.75,
  learningRate: 0.006,
  temperature: 0.1,
  dropped: 51,
  steps: 12,
  newest: 1_000_000,
};

export interface ItemVectors {
  readonly dimensions: number;
  /** Of length 1; all 0 for products in no session. */
  readonly vectors: Float32Array;
  /** What a step counts is the product of both: by steps from the newest one, and by product. */
  readonly placeWeights: Float32Array;
  readonly productWeights: Float32Array;
}

const FIRST_MOMENT = 0.9;
const SECOND_MOMENT = 0.999;
/** Batches until the full rate, and what is left of it at the end. */
const WARM_UP = 50;
const LEAST_RATE = 0.02;
/** What a place counts less than the one after it, before anything is learned. */
const PLACE_FALL = 0.3;
const SPREAD = 1.7;
const DRAWS = 1 << 20;
/** Of products that are never drawn. */
const NEVER = 1e-12;

export function learnItemVectors(
  allSessions: Rows,
  productCount: number,
  seed: number,
  params: ItemVectorParams = ITEM_VECTORS,
): ItemVectors {
  const { dimensions, batch, drawn, steps, temperature, dropped } = params;
  const sessions = newestSessions(allSessions, params.newest);
  const random = createRandom(seed);
  const places = questionPlaces(sessions);
  const kernel = createVectorKernel({ products: productCount, dimensions, batch, drawn, steps }, seed);
  const table = tableOfDraws(sessions, params, kernel.expected);
  const stepCounts = stepsUpTo(sessions, steps);
  for (let p = 0; p < productCount; p++)
    for (let d = 0; d < dimensions; d++)
      kernel.products[p * kernel.productWidth + d] = (SPREAD * (2 * random() - 1)) / Math.sqrt(dimensions);
  for (let i = 0; i < steps; i++) kernel.places[3 * i] = -PLACE_FALL * i;

  /** Writes the question at a place: what came next, the steps up to it, newest first. */
  const writeQuestion = (place: number, question: number) => {
    const at = question * (steps + 2);
    const count = stepCounts[place]!;
    kernel.questions[at] = sessions.items[place + 1]!;
    kernel.questions[at + 1] = count;
    for (let i = 0; i < count; i++) kernel.questions[at + 2 + i] = sessions.items[place - i]!;
  };

  const passes = Math.round(
    Math.min(params.mostPasses, Math.max(params.leastPasses, params.asked / Math.max(1, places.length))),
  );
  const batches = Math.floor(places.length / batch);
  let moves = 0;
  for (let pass = 0; pass < passes; pass++) {
    shuffle(places, random);
    for (let b = 0; b < batches; b++) {
      for (let n = 0; n < drawn; n++) kernel.drawn[n] = table[Math.floor(random() * DRAWS)]!;
      for (let q = 0; q < batch; q++) writeQuestion(places[b * batch + q]!, q);
      moves++;
      const unbiased = Math.sqrt(1 - SECOND_MOMENT ** moves) / (1 - FIRST_MOMENT ** moves);
      const fall = Math.max(LEAST_RATE, 1 - moves / (batches * passes));
      kernel.learn(params.learningRate * unbiased * fall * Math.min(1, moves / WARM_UP), temperature, dropped);
    }
  }
  return resultOf(kernel, sessions, dimensions);
}

function newestSessions({ offsets, items }: Rows, most: number): Rows {
  let first = offsets.length - 1;
  while (first > 0 && items.length - offsets[first - 1]! <= most) first--;
  const begin = offsets[first]!;
  return { offsets: offsets.slice(first).map((offset) => offset - begin), items: items.subarray(begin) };
}

/** Places in `sessions.items` that another step of the session follows. */
function questionPlaces(sessions: Rows): Uint32Array {
  const places = new Uint32Array(sessions.items.length);
  let found = 0;
  for (let s = 0; s < rowCount(sessions); s++)
    for (let at = sessions.offsets[s]!; at + 1 < sessions.offsets[s + 1]!; at++) places[found++] = at;
  return places.subarray(0, found);
}

/** By place in `sessions.items` how many steps of its session there are up to it, `most` at most. */
function stepsUpTo(sessions: Rows, most: number): Uint8Array {
  const steps = new Uint8Array(sessions.items.length);
  for (let s = 0; s < rowCount(sessions); s++) {
    const begin = sessions.offsets[s]!;
    for (let at = begin; at < sessions.offsets[s + 1]!; at++) steps[at] = Math.min(most, at - begin + 1);
  }
  return steps;
}

/** A product's share of the table is that of its draws; fills in the logarithm of how many a batch is expected to have. */
function tableOfDraws({ items }: Rows, { drawn, drawPower }: ItemVectorParams, expected: Float32Array): Uint32Array {
  const weights = new Float64Array(expected.length);
  for (const item of items) weights[item]!++;
  let total = 0;
  for (let p = 0; p < weights.length; p++) {
    if (weights[p]! > 0) weights[p]! **= drawPower;
    total += weights[p]!;
  }
  for (let p = 0; p < weights.length; p++) expected[p] = Math.log((drawn * weights[p]!) / total + NEVER);
  const table = new Uint32Array(DRAWS);
  for (let i = 0, product = 0, sum = weights[0]!; i < DRAWS; i++) {
    while (sum < ((i + 0.5) / DRAWS) * total && product + 1 < weights.length) sum += weights[++product]!;
    table[i] = product;
  }
  return table;
}

function shuffle(list: Uint32Array, random: () => number): void {
  for (let i = list.length - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1));
    const own = list[i]!;
    list[i] = list[other]!;
    list[other] = own;
  }
}

function resultOf({ products, productWidth, places }: VectorKernel, { items }: Rows, dimensions: number): ItemVectors {
  const productCount = products.length / productWidth;
  const vectors = new Float32Array(productCount * dimensions);
  const isMet = new Uint8Array(productCount);
  for (const item of items) isMet[item] = 1;
  for (let p = 0; p < productCount; p++) {
    if (isMet[p] === 0) continue;
    const vector = products.subarray(p * productWidth, p * productWidth + dimensions);
    const scale = 1 / Math.sqrt(vector.reduce((sum, value) => sum + value * value, Number.MIN_VALUE));
    for (let d = 0; d < dimensions; d++) vectors[p * dimensions + d] = vector[d]! * scale;
  }
  return {
    dimensions,
    vectors,
    placeWeights: Float32Array.from({ length: places.length / 3 }, (_, i) => Math.exp(places[3 * i]!)),
    productWeights: Float32Array.from({ length: productCount }, (_, p) =>
      Math.exp(products[p * productWidth + 3 * dimensions]!),
    ),
  };
}
