import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeItemGraph,
  encodeItemGraph,
  fitItemGraph,
  type ItemGraph,
  type ItemGraphParams,
} from "../../../src/learning/common/item-graph.js";
import { rowOf, rowsFrom } from "../../../src/learning/common/rows.js";

// The shop: tent 0, pegs 1, lamp 2. One visitor saw tent pegs lamp, another tent lamp.
const SESSIONS = rowsFrom([
  [0, 1, 2],
  [0, 2],
]);
const ONCE = Float32Array.of(1, 1);
const FOLLOWING: ItemGraphParams = { after: [1, 0.5], before: [], balance: 0, keep: 10 };

function edgesOf(graph: ItemGraph, product: number): (readonly [number, number])[] {
  const from = graph.edges.offsets[product]!;
  return [...rowOf(graph.edges, product)].map((to, e) => [to, graph.weights[from + e]!] as const);
}

describe("an item graph", () => {
  it("counts following steps by distance, as a share of the product's own steps", () => {
    const graph = fitItemGraph(SESSIONS, ONCE, 3, FOLLOWING);
    // After the tent: the lamp 1/2 + 1, the pegs 1, of two steps.
    expect([0, 1, 2].map((product) => edgesOf(graph, product))).toEqual([
      [
        [2, 0.75],
        [1, 0.5],
      ],
      [[2, 1]],
      [],
    ]);
  });

  it("weighs a session by its recency", () => {
    const graph = fitItemGraph(SESSIONS, Float32Array.of(3, 1), 3, FOLLOWING);
    expect(edgesOf(graph, 0)).toEqual([
      [1, 0.75],
      [2, 0.625],
    ]);
  });

  it("gives the same weight in both directions when kernels and balance are even", () => {
    const graph = fitItemGraph(SESSIONS, ONCE, 3, { after: [1, 0.5], before: [1, 0.5], balance: 0.5, keep: 10 });
    const weight = (from: number, to: number) => edgesOf(graph, from).find(([product]) => product === to)?.[1];
    expect(weight(0, 1)).toBeCloseTo(1 / Math.sqrt(2), 6);
    expect(weight(1, 0)).toBeCloseTo(1 / Math.sqrt(2), 6);
    expect(weight(0, 2)).toBeCloseTo(1.5 / 2, 6);
  });

  it("keeps the heaviest edges in falling order, none to the product itself, and answers the same when decoded", () => {
    const sessions = fc.array(fc.array(fc.nat(9), { maxLength: 12 }), { maxLength: 20 });
    fc.assert(
      fc.property(sessions, fc.integer({ min: 1, max: 4 }), (lists, keep) => {
        const recency = new Float32Array(lists.length).fill(1);
        const params = { ...FOLLOWING, before: [0.5], balance: 0.5 };
        const all = fitItemGraph(rowsFrom(lists), recency, 10, { ...params, keep: 100 });
        const cut = decodeItemGraph(encodeItemGraph(fitItemGraph(rowsFrom(lists), recency, 10, { ...params, keep })));
        for (let product = 0; product < 10; product++) {
          const edges = edgesOf(all, product);
          expect(edgesOf(cut, product)).toEqual(edges.slice(0, keep));
          expect(edges.map(([, weight]) => weight)).toEqual(edges.map(([, weight]) => weight).sort((a, b) => b - a));
          expect(edges.every(([to, weight]) => to !== product && weight > 0)).toBe(true);
        }
      }),
    );
  });

  it("rejects products out of range", () => {
    expect(() => fitItemGraph(SESSIONS, ONCE, 2, FOLLOWING)).toThrow(RangeError);
    const { arrays, ...rest } = encodeItemGraph(fitItemGraph(SESSIONS, ONCE, 3, FOLLOWING));
    expect(() => decodeItemGraph({ ...rest, arrays: { ...arrays, items: Uint32Array.of(2, 1, 9) } })).toThrow("fit");
    expect(() => decodeItemGraph({ ...rest, arrays: { ...arrays, weights: new Float32Array(1) } })).toThrow("fit");
  });
});
