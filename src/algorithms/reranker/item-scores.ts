/**
 * What the item graphs say of a visit: of its last product, of its newest products together (each older one counting
 * three quarters of the one after it), and of two and three steps of a random walk that begins there (with what is
 * known as P3 and beyond: Cooper, Lee, Radinsky, Siantos: Random walks in recommender systems, WWW 2014). A walk keeps
 * the heaviest products of each step, which bounds its cost to some 4,000 additions.
 */
import type { ItemGraph } from "../item-graph.js";
import { createTopK } from "../top-k.js";
import type { RankerSources } from "./ranker-sources.js";
import { ScoreBoard, type Slots } from "./score-board.js";

export interface ItemScores {
  readonly nearLast: ScoreBoard;
  readonly nearSum: ScoreBoard;
  /** The heaviest edge from any product of the visit. */
  readonly nearMost: ScoreBoard;
  /** How many products of the visit have an edge to it. */
  readonly nearCount: ScoreBoard;
  readonly followsLast: ScoreBoard;
  readonly followsSum: ScoreBoard;
  /** Of the product met before the last. */
  readonly followsSecond: ScoreBoard;
  readonly walk: ScoreBoard;
  readonly longWalk: ScoreBoard;
  /** Fills the boards for a visit, oldest product first. The boards are by the slots they were made with. */
  ask(items: Uint32Array): void;
}

const MAX_ITEMS = 12;
const FADE = 0.75;
/** Products a step of the walk starts from, and edges followed from each. */
const FIRST_STEP = { from: 60, edges: 40 } as const;
const SECOND_STEP = { from: 80, edges: 20 } as const;
/** What a product counts for the walk that was reached by one step already. */
const STAY = 0.3;

export function createItemScores({ near, following, neighbours }: RankerSources, slots: Slots): ItemScores {
  const board = () => new ScoreBoard(neighbours.productCount);
  const its = {
    nearLast: board(),
    nearSum: board(),
    nearMost: board(),
    nearCount: board(),
    followsLast: board(),
    followsSum: board(),
    followsSecond: board(),
    walk: board(),
    longWalk: board(),
  };
  const top = createTopK();
  const seen: number[] = [];

  /** One step of the walk from the heaviest products of a board, whose weights are divided by `total`. */
  function step(
    from: ScoreBoard,
    size: { readonly from: number; readonly edges: number },
    to: ScoreBoard,
    stay: number,
  ) {
    top.reset(size.from);
    for (let t = 0; t < from.count; t++) {
      const slot = from.touched[t]!;
      top.offer(slots.products[slot]!, from.values[slot]!);
    }
    let total = 0;
    for (let i = 0; i < top.size(); i++) total += top.scoreAt(i);
    for (let i = 0; i < top.size(); i++) {
      const product = top.indexAt(i);
      const weight = top.scoreAt(i) / total;
      if (stay > 0) to.add(slots.of(product), stay * weight);
      const begin = near.edges.offsets[product]!;
      const end = Math.min(near.edges.offsets[product + 1]!, begin + size.edges);
      let sum = 0;
      for (let e = begin; e < end; e++) sum += near.weights[e]!;
      for (let e = begin; e < end; e++) to.add(slots.of(near.edges.items[e]!), (weight * near.weights[e]!) / sum);
    }
  }

  /** What is met around a product of the visit, the newest one or an older one. */
  function addNear(item: number, weight: number, isLast: boolean) {
    const { items, offsets } = near.edges;
    for (let e = offsets[item]!; e < offsets[item + 1]!; e++) {
      const slot = slots.of(items[e]!);
      const edge = near.weights[e]!;
      its.nearSum.add(slot, weight * edge);
      if (isLast) its.nearLast.add(slot, edge);
      its.nearMost.raise(slot, edge);
      its.nearCount.add(slot, 1);
    }
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
        addEdges(following, item, weight, slots, its.followsSum);
        if (seen.length === 1) addEdges(following, item, 1, slots, its.followsLast);
        if (seen.length === 2) addEdges(following, item, 1, slots, its.followsSecond);
        weight *= FADE;
      }
      step(its.nearSum, FIRST_STEP, its.walk, STAY);
      step(its.walk, SECOND_STEP, its.longWalk, 0);
    },
  };
}

/** Adds a product's edges, times `weight`, to a board. */
export function addEdges(
  { edges, weights }: ItemGraph,
  product: number,
  weight: number,
  slots: Slots,
  to: ScoreBoard,
): void {
  const end = edges.offsets[product + 1]!;
  for (let e = edges.offsets[product]!; e < end; e++) to.add(slots.of(edges.items[e]!), weight * weights[e]!);
}
