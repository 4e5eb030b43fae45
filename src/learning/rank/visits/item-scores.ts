/**
 * What the item graphs say of a visit: of its last product, of its newest products together (each older one counting
 * three quarters of the one after it), and of two and three steps of a random walk that begins there (with what is
 * known as P3 and beyond: Cooper, Lee, Radinsky, Siantos: Random walks in recommender systems, WWW 2014). A walk keeps
 * the heaviest products of each step, which bounds its cost to some 4,000 additions.
 */
import type { ItemGraph } from "../../common/item-graph.js";
import { BestOfBoard } from "./best-of-board.js";
import { createLowerBound } from "./lower-bound.js";
import type { RankerSources } from "./ranker-sources.js";
import { type ScoreBoard, ScoreTable, type Slots } from "./score-board.js";

export interface ItemScores {
  readonly nearLast: ScoreBoard;
  readonly nearSum: ScoreBoard;
  /** The heaviest edge from any product of the visit. */
  readonly nearMost: ScoreBoard;
  /** How many products of the visit have an edge to it. */
  readonly nearCount: ScoreBoard;
  /** Products that sessions have right after the last one. */
  readonly nextOfLast: ScoreBoard;
  readonly walk: ScoreBoard;
  readonly longWalk: ScoreBoard;
  /** Where the steps of the walk started from: the best of `nearSum` and of `walk`. */
  readonly bestNear: BestOfBoard;
  readonly bestWalk: BestOfBoard;
  /** Adds to the boards for a visit, oldest product first. The boards are by the slots they were made with. */
  ask(items: Uint32Array): void;
  /** Empties the boards; before the slots are. */
  clear(): void;
}

const MAX_ITEMS = 12;
const FADE = 0.75;
/** Products a step of the walk starts from, and edges followed from each. */
const FIRST_STEP = { from: 60, edges: 40 } as const;
const SECOND_STEP = { from: 80, edges: 20 } as const;
/** What a product counts for the walk that was reached by one step already. */
const STAY = 0.3;

/** Places in the table of what is near. */
const SUM = 0;
const MOST = 1;
const COUNT = 2;
const LAST = 3;
const WIDTH = 4;

export function createItemScores({ near, next, neighbours }: RankerSources, slots: Slots): ItemScores {
  const { items: nearItems, offsets: nearOffsets } = near.edges;
  const nearWeights = near.weights;
  const nearTable = new ScoreTable(neighbours.productCount, WIDTH);
  const nearScores = nearTable.values;
  const tables = [nearTable];
  const board = () => {
    const table = new ScoreTable(neighbours.productCount, 1);
    tables.push(table);
    return table.board(0);
  };
  const its = {
    nearLast: nearTable.board(LAST),
    nearSum: nearTable.board(SUM),
    nearMost: nearTable.board(MOST),
    nearCount: nearTable.board(COUNT),
    nextOfLast: board(),
    walk: board(),
    longWalk: board(),
    bestNear: new BestOfBoard(slots, FIRST_STEP.from, createLowerBound()),
    bestWalk: new BestOfBoard(slots, SECOND_STEP.from, createLowerBound()),
  };
  const seen: number[] = [];
  // By product a step starts from: its edges, the sum of their weights, the first of them.
  const begins = new Uint32Array(SECOND_STEP.from);
  const ends = new Uint32Array(SECOND_STEP.from);
  const sums = new Float64Array(SECOND_STEP.from);
  const firsts = new Uint32Array(SECOND_STEP.from);

  /** Reads the edges of all products a step starts from, so that memory is waited for once, not for each of them. */
  function lookUp({ slots: from, count }: BestOfBoard, edges: number): void {
    for (let i = 0; i < count; i++) {
      const product = slots.products[from[i]!]!;
      const begin = nearOffsets[product]!;
      const end = Math.min(nearOffsets[product + 1]!, begin + edges);
      let sum = 0;
      for (let e = begin; e < end; e++) sum += nearWeights[e]!;
      begins[i] = begin;
      ends[i] = end;
      sums[i] = sum;
      firsts[i] = nearItems[begin]!;
    }
  }

  /** One step of the walk from the heaviest products, whose weights are divided by their sum. */
  function step(from: BestOfBoard, edges: number, { values }: ScoreBoard, stay: number): void {
    lookUp(from, edges);
    let total = 0;
    for (let i = 0; i < from.count; i++) total += from.scores[i]!;
    for (let i = 0; i < from.count; i++) {
      const weight = from.scores[i]! / total;
      const sum = sums[i]!;
      const end = ends[i]!;
      values[from.slots[i]!]! += stay * weight;
      for (let e = begins[i]!; e < end; e++) values[slots.of(nearItems[e]!)]! += (weight * nearWeights[e]!) / sum;
    }
  }

  /** Adds the products near one of the visit; `isLast` for its newest product. */
  function addNear(item: number, weight: number, isLast: boolean): void {
    const end = nearOffsets[item + 1]!;
    for (let e = nearOffsets[item]!; e < end; e++) {
      const place = slots.of(nearItems[e]!) * WIDTH;
      const edge = nearWeights[e]!;
      nearScores[place + SUM]! += weight * edge;
      if (edge > nearScores[place + MOST]!) nearScores[place + MOST] = edge;
      nearScores[place + COUNT]! += 1;
      if (isLast) nearScores[place + LAST] = edge;
    }
  }

  /** Adds a product's edges. */
  function addEdges({ edges, weights }: ItemGraph, product: number, { values }: ScoreBoard): void {
    const { items, offsets } = edges;
    const end = offsets[product + 1]!;
    for (let e = offsets[product]!; e < end; e++) values[slots.of(items[e]!)]! += weights[e]!;
  }

  return {
    ...its,
    ask(items) {
      seen.length = 0;
      let weight = 1;
      for (let at = items.length - 1; at >= 0 && seen.length < MAX_ITEMS; at--) {
        const item = items[at]!;
        if (seen.includes(item)) continue;
        seen.push(item);
        addNear(item, weight, seen.length === 1);
        if (seen.length === 1) addEdges(next, item, its.nextOfLast);
        weight *= FADE;
      }
      its.bestNear.find(its.nearSum);
      step(its.bestNear, FIRST_STEP.edges, its.walk, STAY);
      its.bestWalk.find(its.walk);
      step(its.bestWalk, SECOND_STEP.edges, its.longWalk, 0);
    },
    clear() {
      for (const table of tables) table.clear(slots.count);
    },
  };
}
