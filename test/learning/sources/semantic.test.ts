import { describe, expect, it } from "vitest";
import { hnswIndexes } from "../../../src/adapters/hnsw/vector-indexes.js";
import type { SourceQuery } from "../../../src/learning/sources/source.js";
import { semanticSource } from "../../../src/learning/sources/texts.js";
import { embedAll, fitEmbedder } from "../../../src/learning/text/embedder.js";

const text = (title: string) => ({ title, description: "", brand: "", categories: [] });
// Products 0 to 2 are tents, 3 to 5 teapots; 6 has no text.
const SHOP = ["Dome tent", "Tunnel tent", "Ridge tent", "Glass teapot", "Iron teapot", "Clay teapot", ""].map(text);
const embedder = fitEmbedder(SHOP, { seed: 1 });
const { vectors, rows, dimensions } = embedAll(embedder, SHOP);
const index = hnswIndexes().build(vectors, dimensions, { m: 16, efConstruction: 50, efSearch: 50, seed: 1 });
const source = semanticSource({ embedder, textDimensions: 0, rows, vectors, index }, SHOP.length);

const query = (anchor: number[], ...unseen: string[]): SourceQuery => ({
  session: { items: new Uint32Array(0), weights: new Float32Array(0), runs: new Uint32Array(0) },
  antecedents: new Uint32Array(0),
  basket: new Uint32Array(0),
  hasCart: false,
  anchor: Uint32Array.from(anchor),
  unseen: unseen.map(text),
});
const ask = (...args: Parameters<typeof query>) => [...source.alternatives(query(...args), 2).indices].sort();

describe("the semantic source", () => {
  it("proposes products similar to the anchors, not the anchors", () => {
    expect(ask([0])).toEqual([1, 2]);
    expect(ask([3, 4])).toContain(5);
  });

  it("proposes nothing for products without a text, and for none", () => {
    expect(ask([6])).toEqual([]);
    expect(ask([])).toEqual([]);
  });

  it("proposes products similar to a product newer than the model, whatever was viewed before", () => {
    for (const found of [ask([], "Pyramid tent"), ask([3], "Pyramid tent")])
      expect(found.every((product) => product < 3)).toBe(true);
  });

  it("uses the anchors when no word of a new product's text is known", () => {
    expect(ask([0], "qqqq")).toEqual([1, 2]);
  });

  it("searches once for both lists of an answer", () => {
    let searches = 0;
    const counting = {
      ...index,
      search: (...args: Parameters<typeof index.search>) => {
        searches++;
        return index.search(...args);
      },
    };
    const counted = semanticSource({ embedder, textDimensions: 0, rows, vectors, index: counting }, SHOP.length);
    const asked = query([0]);
    expect(counted.complements(asked, 2)).toEqual(counted.alternatives(asked, 2));
    expect(searches).toBe(1);
    counted.alternatives(query([3]), 2);
    counted.alternatives(asked, 3);
    expect(searches).toBe(3);
  });

  it("names the nearest anchor and the similarity, for a new product the similarity alone", () => {
    const [first] = source.explain(query([0, 3]), "alternative", 1)!.becauseOf;
    expect(first).toBe(0);
    const why = source.explain(query([3], "Pyramid tent"), "alternative", 1)!;
    expect(why.becauseOf).toEqual([]);
    expect(why.counts.similarity).toBeGreaterThan(0.5);
    expect(source.explain(query([0]), "alternative", 6)).toBeUndefined();
  });
});
