/**
 * Several votes of the same session neighbours at once: finding neighbours costs most of a query, counting them in
 * another way costs little. Neighbours are those of `session-neighbours.ts`.
 */
import type { SessionNeighbours } from "../session-neighbours.js";
import { createTopK } from "../top-k.js";
import { createLowerBound } from "./lower-bound.js";
import { type ScoreBoard, ScoreTable, type Slots } from "./score-board.js";

export interface NeighbourVotes {
  /** By closeness to the anchor: the score of session neighbours. */
  readonly close: ScoreBoard;
  /** By similarity of the session alone. */
  readonly plain: ScoreBoard;
  /** By what stands right behind the anchor. */
  readonly next: ScoreBoard;
  /** How many neighbours hold the product. */
  readonly holders: ScoreBoard;
  /** Similarity of the neighbours that share two products or more with the query. */
  readonly shared: ScoreBoard;
  /**
   * Adds to the boards for a query, oldest item first; returns how many neighbours there are. The boards are by the
   * slots they were made with.
   */
  ask(items: Uint32Array): number;
  /** Empties the boards; before the slots are. */
  clear(): void;
}

/** Places in the table of votes: what every item of a neighbour is given lies together. */
const CLOSE = 0;
const PLAIN = 1;
const HOLDERS = 2;
const SHARED = 3;
const WIDTH = 4;

export function createNeighbourVotes(model: SessionNeighbours, slots: Slots): NeighbourVotes {
  const { params, sessions, sessionWeights, postings, postingOffsets, similarityIdf, scoreIdf, productCount } = model;
  const { offsets, items: held } = sessions;
  const { repeat, before, sharpness } = params;
  const table = new ScoreTable(productCount, WIDTH);
  const nextTable = new ScoreTable(productCount, 1);
  const votes = table.values;
  const nextVotes = nextTable.values;
  /** By session: its number among those met + 1; 0 for the others. */
  const numbers = new Uint32Array(sessionWeights.length);
  // Sessions that share something with the query, as they are met: what they share, their newest item of the query.
  const met = new Uint32Array(sessionWeights.length);
  const overlaps = new Float64Array(sessionWeights.length);
  const anchors = new Uint32Array(sessionWeights.length);
  const similarities = new Float64Array(sessionWeights.length);
  const halves = new Uint32Array(similarities.buffer);
  // Neighbours: their numbers among those met, and what they are read by.
  const chosen = new Uint32Array(params.k);
  const begins = new Uint32Array(params.k);
  const ends = new Uint32Array(params.k);
  const firsts = new Uint32Array(params.k);
  // By item of the query, newest first: the item, its weight, what sharing it alone adds up to, and that to the power
  // of the sharpness; what a neighbour anchored in it votes with.
  const asked = new Uint32Array(params.queryItems);
  const askedWeights = new Float64Array(params.queryItems);
  const lone = new Float64Array(params.queryItems);
  const loneSharp = new Float64Array(params.queryItems);
  const anchorWeights = new Float64Array(params.queryItems);
  const best = createTopK();
  const bound = createLowerBound();
  const decay = Float64Array.from({ length: params.sessionItems }, (_, d) => Math.exp(-d / params.neighbourDecay));
  const sharp = (overlap: number) => (sharpness === 1 ? overlap : overlap ** sharpness);

  function readQuery(items: Uint32Array): number {
    let count = 0;
    for (let at = items.length - 1; at >= 0 && count < asked.length; at--) {
      const item = items[at]!;
      if (item >= productCount || asked.subarray(0, count).includes(item)) continue;
      const weight = Math.exp(-(items.length - 1 - at) / params.queryDecay);
      asked[count] = item;
      askedWeights[count] = weight;
      lone[count] = weight * similarityIdf[item]!;
      loneSharp[count] = sharp(lone[count]!);
      anchorWeights[count++] = weight ** params.anchorPower;
    }
    return count;
  }

  /** Adds up what each session shares with the query; returns how many sessions share something. */
  function addOverlaps(queryLength: number): number {
    let count = 0;
    for (let q = 0; q < queryLength; q++) {
      const weight = lone[q]!;
      if (!(weight > 0)) continue;
      const end = postingOffsets[asked[q]! + 1]!;
      for (let at = postingOffsets[asked[q]!]!; at < end; at++) {
        const session = postings[at]!;
        const number = numbers[session]!;
        if (number !== 0) overlaps[number - 1]! += weight;
        else {
          met[count] = session;
          overlaps[count] = weight;
          anchors[count++] = q;
          numbers[session] = count;
        }
      }
    }
    return count;
  }

  /** Chooses the most similar sessions; returns how many. */
  function findNeighbours(metCount: number): number {
    for (let m = 0; m < metCount; m++) {
      const overlap = overlaps[m]!;
      const q = anchors[m]!;
      // Most sessions share one item alone, whose power is known.
      similarities[m] = (overlap === lone[q]! ? loneSharp[q]! : sharp(overlap)) * sessionWeights[met[m]!]!;
    }
    let count = 0;
    if (metCount <= params.k) {
      for (let m = 0; m < metCount; m++) if (similarities[m]! > 0) chosen[count++] = m;
      return count;
    }
    const least = bound.of(halves, 0, metCount, 1, params.k);
    best.reset(params.k);
    for (let m = 0; m < metCount; m++)
      if (similarities[m]! > 0 && similarities[m]! >= least) best.offer(met[m]!, similarities[m]!);
    for (; count < best.size(); count++) chosen[count] = numbers[best.indexAt(count)]! - 1;
    return count;
  }

  /** Where the items of the neighbours are, one after the other: so memory is waited for once, not for each of them. */
  function lookUp(count: number): void {
    for (let n = 0; n < count; n++) {
      const session = met[chosen[n]!]!;
      begins[n] = offsets[session]!;
      ends[n] = offsets[session + 1]!;
      firsts[n] = held[offsets[session]!]!;
    }
  }

  function countVotes(n: number): void {
    const number = chosen[n]!;
    const q = anchors[number]!;
    const anchor = asked[q]!;
    const end = ends[n]!;
    const similarity = similarities[number]!;
    let anchorAt = end - 1;
    while (held[anchorAt] !== anchor) anchorAt--;
    const vote = similarity * anchorWeights[q]!;
    const shared = overlaps[number]! > lone[q]! * 1.0001 ? similarity : 0;
    for (let at = begins[n]!; at < end; at++) {
      const item = held[at]!;
      const closeness =
        item === anchor ? repeat : at > anchorAt ? decay[at - anchorAt - 1]! : before * decay[anchorAt - at - 1]!;
      const place = slots.of(item) * WIDTH;
      votes[place + CLOSE]! += vote * closeness * scoreIdf[item]!;
      votes[place + PLAIN]! += similarity;
      votes[place + HOLDERS]! += 1;
      votes[place + SHARED]! += shared;
    }
    if (anchorAt + 1 < end) nextVotes[slots.of(held[anchorAt + 1]!)]! += vote;
  }

  return {
    close: table.board(CLOSE),
    plain: table.board(PLAIN),
    next: nextTable.board(0),
    holders: table.board(HOLDERS),
    shared: table.board(SHARED),
    ask(items) {
      const metCount = addOverlaps(readQuery(items));
      const count = findNeighbours(metCount);
      lookUp(count);
      for (let n = 0; n < count; n++) countVotes(n);
      for (let m = 0; m < metCount; m++) numbers[met[m]!] = 0;
      return count;
    },
    clear() {
      table.clear(slots.count);
      nextTable.clear(slots.count);
    },
  };
}
