import { expect, it } from "vitest";
import type { ItemGraph } from "../../../../src/learning/common/item-graph.js";
import { rowOf } from "../../../../src/learning/common/rows.js";
import { createGraphWalk } from "../../../../src/learning/rank/visits/graph-walk.js";
import { queryOf, questionsFrom } from "../../../../src/learning/rank/visits/questions.js";
import { fitRankerSources } from "../../../../src/learning/rank/visits/ranker-sources.js";
import { type ScoreBoard, Slots } from "../../../../src/learning/rank/visits/score-board.js";
import { fitSessionNeighbours } from "../../../../src/learning/sources/sessions/session-neighbours.js";
import { PRODUCTS, walks } from "./simulated-visits.js";

const VISITS = walks(300, 1);
const FRESH = walks(20, 2);
const QUERIES = [...questionsFrom(FRESH, 0)].map((question) => queryOf(FRESH, question).items);

class Sums extends Map<number, number> {
  add(product: number, score: number): void {
    if (score > 0) this.set(product, (this.get(product) ?? 0) + score);
  }
}

function expectBoard(board: ScoreBoard, slots: Slots, expected: ReadonlyMap<number, number>): void {
  for (let slot = 0; slot < slots.count; slot++)
    expect(board.values[slot]).toBeCloseTo(expected.get(slots.products[slot]!) ?? 0, 9);
  for (const product of expected.keys()) expect(slots.products.subarray(0, slots.count)).toContain(product);
}

const edgesOf = ({ edges, weights }: ItemGraph, product: number) =>
  [...rowOf(edges, product)].map((to, e) => ({ to, weight: weights[edges.offsets[product]! + e]! }));

function step(graph: ItemGraph, from: ReadonlyMap<number, number>, size: number, edges: number, stay: number): Sums {
  const heaviest = [...from].sort(([a, x], [b, y]) => y - x || b - a).slice(0, size);
  const total = heaviest.reduce((sum, [, weight]) => sum + weight, 0);
  const to = new Sums();
  for (const [product, weight] of heaviest) {
    const followed = edgesOf(graph, product).slice(0, edges);
    const sum = followed.reduce((all, edge) => all + edge.weight, 0);
    to.add(product, (stay * weight) / total);
    for (const edge of followed) to.add(edge.to, ((weight / total) * edge.weight) / sum);
  }
  return to;
}

/** By plain sums, from the newest different items. */
function walked(near: ItemGraph, items: Uint32Array) {
  const newest = [...new Set([...items].reverse())].slice(0, 12);
  const from = new Sums();
  for (const [place, item] of newest.entries())
    for (const { to, weight } of edgesOf(near, item)) from.add(to, 0.75 ** place * weight);
  const walk = step(near, from, 60, 40, 0.3);
  return { near: from, walk, longWalk: step(near, walk, 80, 20, 0) };
}

it("a walk over the graph gives the scores of a plain one, in one step, in two and in three", () => {
  const { near } = fitRankerSources(VISITS, fitSessionNeighbours(VISITS, PRODUCTS), 7);
  const slots = new Slots(PRODUCTS);
  const { near: nearest, walk, longWalk, ask, clear } = createGraphWalk(near, PRODUCTS, slots);
  for (const items of QUERIES) {
    clear();
    slots.clear();
    ask(items);
    const expected = walked(near, items);
    expectBoard(nearest, slots, expected.near);
    expectBoard(walk, slots, expected.walk);
    expectBoard(longWalk, slots, expected.longWalk);
  }
});
