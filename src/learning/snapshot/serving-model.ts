import type { VectorIndexes } from "../../adapters/vector-index.js";
import type { SnapshotBytes } from "../../domain/model.js";
import { cartSource } from "../sources/carts.js";
import { rulesSource } from "../sources/rules.js";
import { collaborativeSource } from "../sources/sessions.js";
import type { ServingModel, Source } from "../sources/source.js";
import { productVectors, semanticSource, textPlacing, vectorRows } from "../sources/texts.js";
import { type Container, decodeContainer } from "./container.js";
import { indexedVectors, type OpenIndex, snapshotSteps } from "./snapshot.js";
import { inParts, runAtOnce, runInPieces, type Steps } from "./yielding-steps.js";

/** Called with the parts that only another version can read. */
type OnUnread = (parts: readonly string[]) => void;

/**
 * Makes a serving model of a snapshot's bytes. Parts that only another version of Aisle can read are left out and
 * passed to `onUnread`. Throws DataDamaged for any other bytes.
 */
export function loadServingModel(
  modelId: string,
  bytes: SnapshotBytes,
  indexes: VectorIndexes,
  onUnread: OnUnread = () => {},
): ServingModel {
  return runAtOnce(loading(modelId, decodeContainer(bytes), indexes.open, onUnread));
}

/** The same while this thread goes on answering: a model of 200,000 products is loaded in pieces of milliseconds. */
export async function loadBesideServing(
  modelId: string,
  bytes: SnapshotBytes,
  indexes: VectorIndexes,
  onUnread: OnUnread,
): Promise<ServingModel> {
  const container = decodeContainer(bytes);
  const indexed = indexedVectors(container);
  const index = indexed && (await indexes.openAside(...indexed));
  const open: OpenIndex = (bytes, vectors) => index ?? indexes.open(bytes, vectors);
  return runInPieces(loading(modelId, container, open, onUnread));
}

function* loading(
  modelId: string,
  container: Container,
  openIndex: OpenIndex,
  onUnread: OnUnread,
): Steps<ServingModel> {
  const { fitted, unread } = yield* snapshotSteps(container, openIndex);
  if (unread.length > 0) onUnread(unread);
  const { productIds } = fitted;
  const indexOf = new Map<string, number>();
  yield* inParts(productIds.length, (from, to) => {
    for (let index = from; index < to; index++) indexOf.set(productIds[index]!, index);
  });
  const sources: Source[] = [];
  if (fitted.sessions) sources.push(collaborativeSource(fitted.sessions, fitted.ranker));
  yield;
  if (fitted.cart) {
    const { cart, rules, cartRanking } = fitted;
    const ranked = rules && cartRanking && { sources: { cart, rules, ...cartRanking }, ranking: cartRanking.ranking };
    sources.push(cartSource(cart, ranked));
  }
  yield;
  if (fitted.rules) sources.push(rulesSource(fitted.rules));
  const rowOf = fitted.semantic && vectorRows(fitted.semantic.rows, productIds.length);
  const vectorOf = fitted.semantic && rowOf && productVectors(fitted.semantic, rowOf);
  yield;
  if (fitted.semantic) sources.push(semanticSource(fitted.semantic, productIds.length, rowOf));
  yield;
  const byPopularity = yield* byFallingPopularity(fitted.popularity);
  return {
    modelId,
    productIds,
    indexOf: (productId) => indexOf.get(productId),
    sources,
    vectorOf,
    placing: fitted.semantic && vectorOf && textPlacing(fitted.semantic, vectorOf),
    blend: fitted.blend,
    popularity: fitted.popularity,
    daily: fitted.daily,
    byPopularity,
  };
}

/** Bits that one pass of the radix sort below uses. */
const DIGIT_BITS = 11;
const TOP_DIGIT = 2 ** DIGIT_BITS - 1;

/**
 * Product indices by falling popularity, ties by index. The bits of floating-point numbers from 0 rise with the numbers, so a
 * radix sort serves without a comparison function.
 */
export function* byFallingPopularity(popularity: Float32Array): Steps<Uint32Array> {
  const bits = new Uint32Array(popularity.buffer, popularity.byteOffset, popularity.length);
  let order = Uint32Array.from(bits, (_, index) => index);
  let sorted = new Uint32Array(bits.length);
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    /** Where the next index with a digit goes, by how far the digit is below the top. */
    const places = new Uint32Array(TOP_DIGIT + 2);
    yield* inParts(bits.length, (from, to) => countDigits(bits, shift, places, from, to));
    for (let digit = 1; digit < places.length; digit++) places[digit]! += places[digit - 1]!;
    yield* inParts(bits.length, (from, to) => placeByDigit(bits, shift, order, places, sorted, from, to));
    [order, sorted] = [sorted, order];
  }
  return order;
}

function countDigits(bits: Uint32Array, shift: number, places: Uint32Array, from: number, to: number): void {
  for (let index = from; index < to; index++) places[TOP_DIGIT + 1 - ((bits[index]! >>> shift) & TOP_DIGIT)]!++;
}

function placeByDigit(
  bits: Uint32Array,
  shift: number,
  order: Uint32Array,
  places: Uint32Array,
  sorted: Uint32Array,
  from: number,
  to: number,
): void {
  for (let place = from; place < to; place++) {
    const index = order[place]!;
    sorted[places[TOP_DIGIT - ((bits[index]! >>> shift) & TOP_DIGIT)]!++] = index;
  }
}
