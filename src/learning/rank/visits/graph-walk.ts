/**
 * A random walk from the products of a visit over the graph of products met together: the products near the newest ones
 * (each older one counting three quarters of the one after it), then two and three steps (known as P3 and beyond: Cooper,
 * Lee, Radinsky, Siantos: Random walks in recommender systems, WWW 2014). The walk keeps the heaviest products of each
 * step, which bounds its cost to some 4,000 additions.
 */
import type { ItemGraph } from "../../common/item-graph.js";
import { BestOfBoard } from "./best-of-board.js";
import { ScoreBoard, type Slots } from "./score-board.js";

export interface GraphWalk {
  /** Where one step leads, where two do, and where three do. */
  readonly near: ScoreBoard;
  readonly walk: ScoreBoard;
  readonly longWalk: ScoreBoard;
  /** The best of `walk`, from which the third step starts. */
  readonly best: BestOfBoard;
  /** Adds to the boards for a visit, oldest product first. The boards are by the slots they were made with. */
  ask(items: Uint32Array): void;
  /** Empties the boards; before the slots are. */
  clear(): void;
}

const MAX_ITEMS = 12;
const FADE = 0.75;
/** Products a step of the walk starts from, and edges followed from each. */
const SECOND_STEP = { from: 60, edges: 40 } as const;
const THIRD_STEP = { from: 80, edges: 20 } as const;
/** What a product counts for the walk that was reached by one step already. */
const STAY = 0.3;

export function createGraphWalk({ edges: rows, weights }: ItemGraph, productCount: number, slots: Slots): GraphWalk {
  const { items: edges, offsets } = rows;
  const near = new ScoreBoard(productCount);
  const walk = new ScoreBoard(productCount);
  const longWalk = new ScoreBoard(productCount);
  const nearest = new BestOfBoard(slots, SECOND_STEP.from);
  const best = new BestOfBoard(slots, THIRD_STEP.from);
  const seen: number[] = [];
  // By product a step starts from: its edges, the sum of their weights, the first of them.
  const begins = new Uint32Array(THIRD_STEP.from);
  const ends = new Uint32Array(THIRD_STEP.from);
  const sums = new Float64Array(THIRD_STEP.from);
  const firsts = new Uint32Array(THIRD_STEP.from);

  /** Adds the products near one of the visit. */
  function addNear(item: number, weight: number): void {
    const end = offsets[item + 1]!;
    for (let e = offsets[item]!; e < end; e++) near.values[slots.of(edges[e]!)]! += weight * weights[e]!;
  }

  /** Reads the edges of all products a step starts from, so that memory is waited for once, not for each of them. */
  function lookUp({ slots: from, count }: BestOfBoard, followed: number): void {
    for (let i = 0; i < count; i++) {
      const product = slots.products[from[i]!]!;
      const begin = offsets[product]!;
      const end = Math.min(offsets[product + 1]!, begin + followed);
      let sum = 0;
      for (let e = begin; e < end; e++) sum += weights[e]!;
      begins[i] = begin;
      ends[i] = end;
      sums[i] = sum;
      firsts[i] = edges[begin]!;
    }
  }

  /** One step of the walk from the heaviest products, whose weights are divided by their sum. */
  function step(from: BestOfBoard, followed: number, { values }: ScoreBoard, stay: number): void {
    lookUp(from, followed);
    let total = 0;
    for (let i = 0; i < from.count; i++) total += from.scores[i]!;
    for (let i = 0; i < from.count; i++) {
      const weight = from.scores[i]! / total;
      const sum = sums[i]!;
      const end = ends[i]!;
      values[from.slots[i]!]! += stay * weight;
      for (let e = begins[i]!; e < end; e++) values[slots.of(edges[e]!)]! += (weight * weights[e]!) / sum;
    }
  }

  return {
    near,
    walk,
    longWalk,
    best,
    ask(items) {
      seen.length = 0;
      let weight = 1;
      for (let at = items.length - 1; at >= 0 && seen.length < MAX_ITEMS; at--) {
        const item = items[at]!;
        if (seen.includes(item)) continue;
        seen.push(item);
        addNear(item, weight);
        weight *= FADE;
      }
      nearest.find(near);
      step(nearest, SECOND_STEP.edges, walk, STAY);
      best.find(walk);
      step(best, THIRD_STEP.edges, longWalk, 0);
    },
    clear() {
      for (const board of [near, walk, longWalk]) board.clear(slots.count);
    },
  };
}
