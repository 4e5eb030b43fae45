/**
 * Linear session model: how much each product of a visit speaks for each other product, all of them weighed together, so
 * that what two products of the visit say alike is not counted twice.
 *
 *   Choi, Kim, Lee, Shim, Lee: Session-aware linear item-item models for session-based recommendation, WWW 2021
 *   (SLIST = SLIS, products of a session foretell each other, + SLIT, earlier steps of a session foretell later ones)
 *
 *   minimise sum over sessions of recency / length^lengthNormalisation * (
 *       together * |x - x W|^2 + (1 - together) * sum over steps t of |after(t) - before(t) W|^2 ) + ridge * |W|^2
 *
 * x: the session's products; before(t), after(t): those up to and behind step t, each e^(-steps from t / stepDecay). As the
 * products of a session are seen in pairs, both sums have a closed form by distance, and no step is visited twice.
 *
 * Different here: the paper inverts one matrix of all products, which grows with the cube of their number. Here each
 * product is foretold by the `sources` that foretell it best alone, with an exact solution for these, as in
 * `sources/carts/neighbourhood-ridge.ts`. A product does not foretell itself; whoever wants repeats adds a weight of their own, as
 * the paper's bound on the diagonal does.
 *
 * Memory while fitting: 12 bytes for each two products that met, `MAX_PAIRS` at most: older sessions are left out beyond.
 * Time: 43,000 products with 64 sources take some 4 s.
 */
import type { ItemGraph } from "../common/item-graph.js";
import { solvePositiveDefinite } from "../common/positive-definite.js";
import { placesOf, type Rows, rowCount, rowOfPlaces } from "../common/rows.js";
import { createTopK } from "../common/top-k.js";

export interface LinearSessionParams {
  /** Share of SLIS beside SLIT. */
  readonly together: number;
  /** Steps after which the weight of a step has fallen to 1/e. */
  readonly stepDecay: number;
  readonly lengthNormalisation: number;
  /** Added to the diagonal, in sessions. */
  readonly ridge: number;
  /** Products that foretell one, at most. */
  readonly sources: number;
  /** Products kept that one speaks for. */
  readonly keep: number;
}

export const LINEAR_SESSIONS: LinearSessionParams = {
  together: 0.8,
  stepDecay: 4,
  lengthNormalisation: 0.5,
  ridge: 100,
  sources: 64,
  keep: 100,
};

/** Products of a session that lie further apart are not seen together. */
const REACH = 60;
const MAX_PAIRS = 32_000_000;

/** Row i: the products i speaks for, heaviest first. `recency` says what each session counts, above 0. */
export function fitLinearSessions(
  sessions: Rows,
  recency: Float32Array,
  productCount: number,
  params: LinearSessionParams = LINEAR_SESSIONS,
): ItemGraph {
  const pairs = pairsOf(newestWithin(sessions, MAX_PAIRS), recency, productCount, params);
  const { rows, together, foretelling, own } = pairs;
  const top = createTopK();
  const placeIn = new Int32Array(productCount).fill(-1);
  const matrix = new Float64Array(params.sources ** 2);
  const weights = new Float64Array(params.sources);
  // Columns one after the other: the products that foretell each, and their weights.
  const columns = new Uint32Array(productCount + 1);
  const sources = new Uint32Array(productCount * params.sources);
  const found = new Float32Array(sources.length);
  for (let j = 0; j < productCount; j++) {
    top.reset(params.sources);
    for (let p = rows.offsets[j]!; p < rows.offsets[j + 1]!; p++) {
      const i = rows.items[p]!;
      top.offer(i, foretelling[p]! / Math.sqrt(own[i]! + params.ridge));
    }
    const near = top.take().indices;
    const size = near.length;
    for (let a = 0; a < size; a++) placeIn[near[a]!] = a;
    for (let p = rows.offsets[j]!; p < rows.offsets[j + 1]!; p++) {
      const a = placeIn[rows.items[p]!]!;
      if (a >= 0) weights[a] = foretelling[p]!;
    }
    matrix.fill(0, 0, size * size);
    for (let a = 0; a < size; a++) {
      const i = near[a]!;
      matrix[a * size + a] = own[i]! + params.ridge;
      for (let p = rows.offsets[i]!; p < rows.offsets[i + 1]!; p++) {
        const b = placeIn[rows.items[p]!]!;
        if (b >= 0) matrix[a * size + b] = together[p]!;
      }
    }
    for (let a = 0; a < size; a++) placeIn[near[a]!] = -1;
    solvePositiveDefinite(matrix, weights, size);
    const begin = columns[j]!;
    sources.set(near, begin);
    found.set(weights.subarray(0, size), begin);
    columns[j + 1] = begin + size;
  }
  return heaviestBySource({ offsets: columns, items: sources }, found, productCount, params.keep);
}

/** The newest sessions whose products make no more than `most` pairs; older ones are empty. */
function newestWithin({ offsets, items }: Rows, most: number): Rows {
  let first = offsets.length - 1;
  for (let pairs = 0; first > 0; first--) {
    pairs += (offsets[first]! - offsets[first - 1]!) * Math.min(REACH, offsets[first]! - offsets[first - 1]!);
    if (pairs > most) break;
  }
  const left = offsets[first]!;
  return { offsets: offsets.map((offset) => Math.max(0, offset - left)), items: items.subarray(left) };
}

/** Products that met. */
interface Pairs {
  readonly rows: Rows;
  /** Aligned with `rows.items`: how much both were known at once, and how much that product foretold the row's. */
  readonly together: Float32Array;
  readonly foretelling: Float32Array;
  /** By product: how much it was known. */
  readonly own: Float64Array;
}

function pairsOf(sessions: Rows, recency: Float32Array, productCount: number, params: LinearSessionParams): Pairs {
  const { offsets, items } = sessions;
  const { places, offsets: placeOffsets } = placesOf(items, productCount);
  if (places.length < items.length) throw new RangeError("sessions hold an item out of range");
  const sessionOf = rowOfPlaces(sessions);
  const slis = params.together;
  const slit = 1 - params.together;
  const decay = Float64Array.from({ length: REACH }, (_, steps) => Math.exp(-steps / params.stepDecay));
  /** Sum of the squared decays of so many steps. */
  const squares = new Float64Array(REACH + 1);
  for (let n = 0; n < REACH; n++) squares[n + 1] = squares[n]! + decay[n]! ** 2;
  const counts = recency.map(
    (value, s) => value / Math.max(1, offsets[s + 1]! - offsets[s]!) ** params.lengthNormalisation,
  );
  const own = new Float64Array(productCount);
  const togetherSums = new Float64Array(productCount);
  const foretellingSums = new Float64Array(productCount);
  const met: number[] = [];
  const rowOffsets = new Uint32Array(productCount + 1);
  let size = 0;
  let others = new Uint32Array(1 << 16);
  let together = new Float32Array(1 << 16);
  let foretelling = new Float32Array(1 << 16);
  for (let j = 0; j < productCount; j++) {
    met.length = 0;
    for (let p = placeOffsets[j]!; p < placeOffsets[j + 1]!; p++) {
      const at = places[p]!;
      const session = sessionOf[at]!;
      const count = counts[session]!;
      const end = offsets[session + 1]!;
      const to = Math.min(end, at + REACH);
      for (let other = Math.max(offsets[session]!, at - REACH + 1); other < to; other++) {
        const distance = Math.abs(at - other);
        const stepsAfter = end - 1 - Math.max(at, other);
        const known = count * (slis + slit * decay[distance]! * squares[Math.min(REACH, stepsAfter)]!);
        const i = items[other]!;
        if (i === j) {
          own[j]! += known;
          continue;
        }
        if (togetherSums[i] === 0) met.push(i);
        togetherSums[i]! += known;
        // Of each split between the two: e^-(steps to the one) * e^-(steps to the other) does not depend on the split.
        foretellingSums[i]! += count * (slis + (other < at ? slit * distance * decay[distance - 1]! : 0));
      }
    }
    while (size + met.length > others.length) {
      others = enlarged(others, new Uint32Array(others.length * 2));
      together = enlarged(together, new Float32Array(together.length * 2));
      foretelling = enlarged(foretelling, new Float32Array(foretelling.length * 2));
    }
    for (const i of met) {
      others[size] = i;
      together[size] = togetherSums[i]!;
      foretelling[size++] = foretellingSums[i]!;
      togetherSums[i] = 0;
      foretellingSums[i] = 0;
    }
    rowOffsets[j + 1] = size;
  }
  return { rows: { offsets: rowOffsets, items: others }, together, foretelling, own };
}

function enlarged<T extends Uint32Array | Float32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** Columns as rows by the products they draw from: those above 0, the heaviest of each row first. */
function heaviestBySource(columns: Rows, values: Float32Array, productCount: number, keep: number): ItemGraph {
  const count = columns.offsets.at(-1)!;
  const byRow = new Uint32Array(productCount + 1);
  for (let p = 0; p < count; p++) byRow[columns.items[p]! + 1]!++;
  for (let i = 0; i < productCount; i++) byRow[i + 1]! += byRow[i]!;
  const next = byRow.slice(0, productCount);
  const targets = new Uint32Array(count);
  const weights = new Float32Array(count);
  for (let j = 0; j < rowCount(columns); j++) {
    for (let p = columns.offsets[j]!; p < columns.offsets[j + 1]!; p++) {
      const at = next[columns.items[p]!]!++;
      targets[at] = j;
      weights[at] = values[p]!;
    }
  }
  const top = createTopK();
  const offsets = new Uint32Array(productCount + 1);
  let size = 0;
  for (let i = 0; i < productCount; i++) {
    top.reset(keep);
    for (let p = byRow[i]!; p < byRow[i + 1]!; p++) if (weights[p]! > 0) top.offer(targets[p]!, weights[p]!);
    // No more than there are in the row: what is kept moves to the front.
    const { indices, scores } = top.take();
    targets.set(indices, size);
    weights.set(scores, size);
    size += indices.length;
    offsets[i + 1] = size;
  }
  return { edges: { offsets, items: targets.slice(0, size) }, weights: weights.slice(0, size) };
}
