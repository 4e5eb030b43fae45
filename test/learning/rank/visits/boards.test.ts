import { describe, expect, it } from "vitest";
import type { ItemGraph } from "../../../../src/learning/common/item-graph.js";
import { rowOf } from "../../../../src/learning/common/rows.js";
import { createItemScores } from "../../../../src/learning/rank/visits/item-scores.js";
import { createNeighbourVotes } from "../../../../src/learning/rank/visits/neighbour-votes.js";
import { queryOf, questionsFrom } from "../../../../src/learning/rank/visits/questions.js";
import { fitRankerSources, type RankerSources } from "../../../../src/learning/rank/visits/ranker-sources.js";
import { type ScoreBoard, Slots, scoreAt } from "../../../../src/learning/rank/visits/score-board.js";
import { fitSessionNeighbours, SESSION_PRESETS } from "../../../../src/learning/sources/sessions/session-neighbours.js";
import { PRODUCTS, walks } from "./simulated-visits.js";

const VISITS = walks(300, 1);
const FRESH = walks(20, 2);
const QUERIES = [...questionsFrom(FRESH, 0)].map((question) => queryOf(FRESH, question).items);

function sources(preset: keyof typeof SESSION_PRESETS, k: number): RankerSources {
  const params = { ...SESSION_PRESETS[preset], k };
  return fitRankerSources(VISITS, fitSessionNeighbours(VISITS, PRODUCTS, params), 7);
}

class Sums extends Map<number, number> {
  add(product: number, score: number): void {
    if (score > 0) this.set(product, (this.get(product) ?? 0) + score);
  }
}

function expectBoard(board: ScoreBoard, slots: Slots, expected: ReadonlyMap<number, number>): void {
  for (let slot = 0; slot < slots.count; slot++)
    expect(scoreAt(board, slot)).toBeCloseTo(expected.get(slots.products[slot]!) ?? 0, 9);
  for (const product of expected.keys()) expect(slots.products.subarray(0, slots.count)).toContain(product);
}

/** The newest different items, newest first, and the steps since each. */
function newestOf(items: Uint32Array): { readonly item: number; readonly since: number }[] {
  const distinct = [...new Set([...items].reverse())];
  return distinct.map((item) => ({ item, since: items.length - 1 - items.lastIndexOf(item) }));
}

function votesOf({ neighbours: model }: RankerSources, items: Uint32Array) {
  const { params, sessions, sessionWeights, postings, postingOffsets, similarityIdf, scoreIdf } = model;
  const query = newestOf(items).map(({ item, since }) => ({ item, weight: Math.exp(-since / params.queryDecay) }));
  const overlaps = new Sums();
  for (const { item, weight } of query)
    for (const session of postings.subarray(postingOffsets[item], postingOffsets[item + 1]))
      overlaps.add(session, weight * similarityIdf[item]!);
  const similar = [...overlaps].map(([session, overlap]) => ({
    session,
    overlap,
    similarity: overlap ** params.sharpness * sessionWeights[session]!,
  }));
  similar.sort((a, b) => b.similarity - a.similarity || b.session - a.session);
  const [close, plain, next, holders, shared] = [new Sums(), new Sums(), new Sums(), new Sums(), new Sums()];
  const chosen = similar.slice(0, params.k);
  for (const { session, overlap, similarity } of chosen) {
    const held = rowOf(sessions, session);
    const anchor = query.find(({ item }) => held.includes(item));
    if (anchor === undefined) throw new Error("a neighbour shares nothing");
    const anchorAt = held.lastIndexOf(anchor.item);
    const vote = similarity * anchor.weight ** params.anchorPower;
    for (const [at, item] of held.entries()) {
      const decay = Math.exp(-(Math.abs(at - anchorAt) - 1) / params.neighbourDecay);
      const closeness = item === anchor.item ? params.repeat : at > anchorAt ? decay : params.before * decay;
      close.add(item, vote * closeness * scoreIdf[item]!);
      plain.add(item, similarity);
      holders.add(item, 1);
      if (overlap > anchor.weight * similarityIdf[anchor.item]! * 1.0001) shared.add(item, similarity);
    }
    if (anchorAt + 1 < held.length) next.add(held[anchorAt + 1]!, vote);
  }
  return { count: chosen.length, close, plain, next, holders, shared };
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

function scoresOf({ near, next }: RankerSources, items: Uint32Array) {
  const [nearSum, nearMost, nearCount] = [new Sums(), new Sums(), new Sums()];
  const newest = newestOf(items).slice(0, 12);
  for (const [place, { item }] of newest.entries()) {
    for (const { to, weight } of edgesOf(near, item)) {
      nearSum.add(to, 0.75 ** place * weight);
      nearMost.set(to, Math.max(nearMost.get(to) ?? 0, weight));
      nearCount.add(to, 1);
    }
  }
  const from = (graph: ItemGraph, place: number) =>
    new Map(newest.slice(place, place + 1).flatMap(({ item }) => edgesOf(graph, item).map((e) => [e.to, e.weight])));
  const walk = step(near, nearSum, 60, 40, 0.3);
  const longWalk = step(near, walk, 80, 20, 0);
  return {
    ...{ nearLast: from(near, 0), nearSum, nearMost, nearCount, walk, longWalk },
    nextOfLast: from(next, 0),
  };
}

describe.each(["browsing", "quick", "returning"] as const)("score boards (%s)", (preset) => {
  // With 500 neighbours all sessions met are, with 20 the most similar ones.
  it.each([500, 20])("hold the votes of %s neighbours that a plain count gives", (k) => {
    const its = sources(preset, k);
    const slots = new Slots(PRODUCTS);
    const votes = createNeighbourVotes(its.neighbours, slots);
    for (const items of QUERIES) {
      votes.clear();
      slots.clear();
      const count = votes.ask(items);
      const { count: expected, ...boards } = votesOf(its, items);
      expect(count).toBe(expected);
      for (const name of ["close", "plain", "next", "holders", "shared"] as const)
        expectBoard(votes[name], slots, boards[name]);
    }
  });

  it("hold the item graph scores that a plain sum and a plain walk give", () => {
    const its = sources(preset, 500);
    const slots = new Slots(PRODUCTS);
    const scores = createItemScores(its, slots);
    for (const items of QUERIES) {
      scores.clear();
      slots.clear();
      scores.ask(items);
      const boards = scoresOf(its, items);
      for (const name of ["nearLast", "nearSum", "nearMost", "nearCount", "walk", "longWalk", "nextOfLast"] as const)
        expectBoard(scores[name], slots, boards[name]);
    }
  });
});
