/**
 * Several votes of the same session neighbours at once: finding neighbours costs most of a query, counting them in
 * another way costs little.
 */

import type { SessionNeighbours } from "../../sources/sessions/session-neighbours.js";
import { createNeighbourSearch } from "./neighbour-search.js";
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
  const { params, sessions, scoreIdf, productCount } = model;
  const { offsets, items: held } = sessions;
  const { repeat, before } = params;
  const table = new ScoreTable(productCount, WIDTH);
  const nextTable = new ScoreTable(productCount, 1);
  const votes = table.values;
  const nextVotes = nextTable.values;
  const neighbours = createNeighbourSearch(model);
  // Where the items of the neighbours begin and end, and the first of them.
  const begins = new Uint32Array(params.k);
  const ends = new Uint32Array(params.k);
  const firsts = new Uint32Array(params.k);
  const decay = Float64Array.from({ length: params.sessionItems }, (_, d) => Math.exp(-d / params.neighbourDecay));

  /** Reads the first item of all neighbours one after the other: so memory is waited for once, not for each of them. */
  function lookUp(count: number): void {
    for (let n = 0; n < count; n++) {
      const session = neighbours.sessions[n]!;
      begins[n] = offsets[session]!;
      ends[n] = offsets[session + 1]!;
      firsts[n] = held[offsets[session]!]!;
    }
  }

  function countVotes(n: number): void {
    const anchor = neighbours.anchors[n]!;
    const begin = begins[n]!;
    const end = ends[n]!;
    const similarity = neighbours.similarities[n]!;
    let anchorAt = end - 1;
    while (held[anchorAt] !== anchor) anchorAt--;
    const vote = similarity * neighbours.anchorWeights[n]!;
    const shared = neighbours.sharesMore[n] === 1 ? similarity : 0;
    for (let at = begin; at < end; at++) {
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
      const count = neighbours.find(items);
      lookUp(count);
      for (let n = 0; n < count; n++) countVotes(n);
      return count;
    },
    clear() {
      table.clear(slots.count);
      nextTable.clear(slots.count);
    },
  };
}
