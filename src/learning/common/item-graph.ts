/**
 * Which products follow or surround a product in sessions, as a sparse graph.
 *
 *   weight(i -> j) = sum over sessions and places of i and j of recency * kernel(steps from i to j)
 *                    / popularity(i)^(1 - balance) / popularity(j)^balance
 *
 * `after` [1, 1/2, 1/3, …] and balance 0 are the sequential rules of Ludewig, Jannach (UMUAI 2018): how often j follows
 * i, nearer places counting more. The same kernel on both sides and balance 0.5 make the cosine of item-to-item
 * neighbours (Linden, Smith, York: Amazon.com recommendations, IEEE Internet Computing 2003) with near places counting
 * more. Each product keeps its heaviest edges.
 *
 * Time: steps of all sessions x length of the kernels; diginetica (836 k steps, 16 places) takes some 0.5 s.
 */
import { GrowingArray } from "./growing-array.js";
import { placesOf, type Rows, rowOfPlaces } from "./rows.js";
import type { Section } from "./section.js";
import { createSectionReader } from "./section.js";
import { createTopK } from "./top-k.js";

export interface ItemGraphParams {
  /** What a place 1, 2, … steps after a product counts, and before it. */
  readonly after: readonly number[];
  readonly before: readonly number[];
  /** 0: share of what was met after i; 1: divided by the popularity of j instead. */
  readonly balance: number;
  /** Edges kept of each product. */
  readonly keep: number;
}

export interface ItemGraph {
  /** Row i: the products i leads to, heaviest first. */
  readonly edges: Rows;
  /** Above 0, aligned with `edges.items`. */
  readonly weights: Float32Array;
}

/** `recency`: the weight of each session, above 0. Throws RangeError for an item out of range. */
export function fitItemGraph(
  sessions: Rows,
  recency: Float32Array,
  productCount: number,
  { after, before, balance, keep }: ItemGraphParams,
): ItemGraph {
  const { offsets, items } = sessions;
  const { places, offsets: placeOffsets } = placesOf(items, productCount);
  if (places.length < items.length) throw new RangeError("sessions hold an item out of range");
  const sessionOf = rowOfPlaces(sessions);
  const popularity = new Float64Array(productCount);
  for (let at = 0; at < items.length; at++) popularity[items[at]!]! += recency[sessionOf[at]!]!;
  const sums = new Float64Array(productCount);
  const met = new Uint32Array(productCount);
  const top = createTopK();
  const edgeOffsets = new Uint32Array(productCount + 1);
  const edges = new GrowingArray((length) => new Uint32Array(length));
  const weights = new GrowingArray((length) => new Float32Array(length));
  for (let i = 0; i < productCount; i++) {
    let count = 0;
    const add = (j: number, weight: number) => {
      if (j === i) return;
      if (sums[j] === 0) met[count++] = j;
      sums[j]! += weight;
    };
    for (let p = placeOffsets[i]!; p < placeOffsets[i + 1]!; p++) {
      const at = places[p]!;
      const session = sessionOf[at]!;
      const ahead = Math.min(after.length, offsets[session + 1]! - at - 1);
      const behind = Math.min(before.length, at - offsets[session]!);
      for (let d = 1; d <= ahead; d++) add(items[at + d]!, recency[session]! * after[d - 1]!);
      for (let d = 1; d <= behind; d++) add(items[at - d]!, recency[session]! * before[d - 1]!);
    }
    const own = popularity[i]! ** (1 - balance);
    top.reset(keep);
    for (let m = 0; m < count; m++) {
      const j = met[m]!;
      top.offer(j, sums[j]! / own / popularity[j]! ** balance);
      sums[j] = 0;
    }
    const best = top.take();
    for (let e = 0; e < best.indices.length; e++) {
      if (!(Math.fround(best.scores[e]!) > 0)) break;
      edges.push(best.indices[e]!);
      weights.push(best.scores[e]!);
    }
    edgeOffsets[i + 1] = edges.length;
  }
  return { edges: { offsets: edgeOffsets, items: edges.take() }, weights: weights.take() };
}

const FORMAT = 1;

export function encodeItemGraph({ edges, weights }: ItemGraph): Section {
  return { formatNumber: FORMAT, numbers: {}, arrays: { offsets: edges.offsets, items: edges.items, weights } };
}

/** Throws an Error for a section of another format, with a part missing, or with edges out of range. */
export function decodeItemGraph(section: Section): ItemGraph {
  const read = createSectionReader("Item graph", FORMAT, section);
  const [offsets, items, weights] = [read.uint32("offsets"), read.uint32("items"), read.float32("weights")];
  read.rows("offsets", Math.max(0, offsets.length - 1), items.length);
  if (weights.length !== items.length || greatest(items) > offsets.length - 2)
    throw new Error("Item graph has edges that do not fit");
  return { edges: { offsets, items }, weights };
}

/** -1 of none. Without a function for each: a graph has a million items. */
function greatest(items: Uint32Array): number {
  let most = -1;
  for (let at = 0; at < items.length; at++) if (items[at]! > most) most = items[at]!;
  return most;
}
