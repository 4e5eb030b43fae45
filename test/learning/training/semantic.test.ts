import { describe, expect, it } from "vitest";
import { hnswIndexes } from "../../../src/adapters/hnsw/vector-indexes.js";
import { DataDamaged, NotFound, Unavailable } from "../../../src/domain/errors.js";
import type { Product } from "../../../src/domain/product.js";
import { type Rows, rowsFrom } from "../../../src/learning/common/rows.js";
import { encodeContainer } from "../../../src/learning/snapshot/container.js";
import { encodeTextVectors, readTextVectors, TEXT_VECTORS } from "../../../src/learning/snapshot/text-vectors.js";
import { placeText, productText, semanticSource } from "../../../src/learning/sources/texts.js";
import { learnSemantic, type TextEmbedding } from "../../../src/learning/training/semantic.js";
import { bareProduct } from "../../fixtures/bare-product.js";

const product = (title: string) => bareProduct(title, { title });

// A shop of tents and teapots. "Zelt" shares no word with the tents: only a model that knows German puts it there.
const SHOP = ["Dome tent", "Tunnel tent", "Ridge tent", "Glass teapot", "Iron teapot", "Clay teapot", "Zelt"].map(
  product,
);
const meaning = (text: string) => (/tent|Zelt/.test(text) ? Float32Array.of(2, 0.2) : Float32Array.of(0.1, 1));

function embedding(failFor: (text: string) => boolean = () => false) {
  const asked: string[] = [];
  let closed = 0;
  const its: TextEmbedding = {
    open: async () => ({
      name: "polyglot",
      embed: async (texts) => {
        if (texts.some(failFor)) throw new Unavailable("it is out");
        asked.push(...texts);
        return texts.map(meaning);
      },
      close: async () => void closed++,
    }),
    kept: async () => undefined,
  };
  return { its, asked, closed: () => closed };
}

const learn = (products: readonly Product[], its?: TextEmbedding, visits?: Rows) =>
  learnSemantic(products.map(productText), {
    vectorIndexes: hnswIndexes(),
    seed: 1,
    embedding: its,
    visits,
    onProgress: () => undefined,
  });

describe("the semantic part of a training", () => {
  it("reports the dimensions of its vectors and the recall of its index", async () => {
    const { facts, semantic, textVectors } = await learn(SHOP);
    expect(semantic?.textDimensions).toBe(0);
    expect(textVectors).toBeUndefined();
    expect(facts).toEqual([
      {
        name: "semantic",
        included: true,
        reason: "",
        facts: {
          products: 6,
          dimensions: semantic?.index.dimensions,
          index_recall_10: 1,
          index_search_width: 0,
        },
      },
    ]);
  });

  it("has more dimensions when visits teach it, and the same when they relate no products", async () => {
    const dimensions = async (visits?: Rows) => (await learn(SHOP, undefined, visits)).semantic?.index.dimensions;
    const plain = (await dimensions()) ?? 0;
    const related = await dimensions(
      rowsFrom([
        [0, 3],
        [1, 4],
        [2, 5],
        [0, 4],
        [1, 5],
      ]),
    );
    expect(related).toBeGreaterThan(plain);
    expect(await dimensions(rowsFrom([[0], [3]]))).toBe(plain);
  });

  it("joins the vectors of a text model with its own, so that it finds similar texts without a shared word", async () => {
    const { its, closed } = embedding();
    const { facts, semantic } = await learn(SHOP, its);
    expect(facts[0]).toEqual({
      name: "text_embedder",
      included: true,
      reason: "",
      facts: { texts: 7, texts_missing: 0, dimensions: 2 },
    });
    expect(semantic?.textDimensions).toBe(2);
    const near = semanticSource(semantic!, SHOP.length).alternatives(
      {
        session: { items: new Uint32Array(0), weights: new Float32Array(0), runs: new Uint32Array(0) },
        antecedents: new Uint32Array(0),
        basket: new Uint32Array(0),
        hasCart: false,
        anchor: Uint32Array.of(6),
      },
      3,
    );
    expect([...near.indices].sort()).toEqual([0, 1, 2]);
    expect(closed()).toBe(1);
  });

  it("returns the same vectors whether texts were embedded or cached", async () => {
    const first = await learn(SHOP, embedding().its);
    const again = embedding();
    const second = await learn(SHOP, { ...again.its, kept: async () => first.textVectors });
    expect(again.asked).toEqual([]);
    expect(second.semantic?.vectors).toEqual(first.semantic?.vectors);
    expect(second.facts).toEqual(first.facts);
    expect(second.textVectors).toEqual(first.textVectors);
  });

  it("uses the built-in embedder alone, and gives the reason, when the text model fails", async () => {
    const plain = await learn(SHOP);
    const { its, closed } = embedding(() => true);
    const { facts, semantic } = await learn(SHOP, its);
    expect(facts[0]).toEqual({ name: "text_embedder", included: false, reason: "it is out", facts: {} });
    expect(semantic?.vectors).toEqual(plain.semantic?.vectors);
    expect(closed()).toBe(1);
  });

  it("uses the built-in embedder when the text model cannot be opened or returns no vectors", async () => {
    const missing = await learn(SHOP, {
      open: () => Promise.reject(new NotFound("model")),
      kept: async () => undefined,
    });
    expect(missing.facts[0]).toMatchObject({ included: false, reason: "There is no such model" });
    expect(missing.semantic?.textDimensions).toBe(0);
    const zeros = async () => ({
      name: "zeros",
      embed: async (texts: readonly string[]) => texts.map(() => new Float32Array(2)),
      close: async () => undefined,
    });
    const empty = await learn(SHOP, { open: zeros, kept: async () => undefined });
    expect(empty.facts[0]).toMatchObject({ included: false, reason: "it returns vectors for too few texts" });
  });

  it("keeps the vectors from before a failure of the text model for the next training", async () => {
    const shop = Array.from({ length: 100 }, (_, i) => product(`${["Tent", "Teapot", "Lamp"][i % 3]} number ${i}`));
    const { textVectors, facts } = await learn(shop, embedding((text) => text.endsWith(" 99")).its);
    expect(facts[0]).toMatchObject({ included: false, reason: "it is out" });
    const next = embedding();
    await learn(shop, { ...next.its, kept: async () => textVectors });
    expect(next.asked).toHaveLength(36);
  });

  it("keeps cached vectors while the text model cannot be opened", async () => {
    const { textVectors } = await learn(SHOP, embedding().its);
    const away = { open: () => Promise.reject(new Unavailable("it is away")), kept: async () => textVectors };
    expect((await learn(SHOP, away)).textVectors).toEqual(textVectors);
  });

  it("embeds all texts again when the snapshot with the cache is damaged", async () => {
    const { its, asked } = embedding();
    const { facts } = await learn(SHOP, { ...its, kept: () => Promise.reject(new DataDamaged("flipped")) });
    expect(facts[0]).toMatchObject({ included: true });
    expect(asked).toHaveLength(7);
  });

  it("still uses the text model when one text in a hundred has no vector", async () => {
    const shop = Array.from({ length: 129 }, (_, i) => product(`${["Tent", "Teapot", "Lamp"][i % 3]} number ${i}`));
    const { facts, semantic } = await learn(shop, embedding((text) => text.endsWith(" 128")).its);
    expect(facts[0]).toMatchObject({ included: true, facts: { texts: 128, texts_missing: 1 } });
    expect(semantic?.rows).toHaveLength(129);
  });
});

describe("a text newer than the model", () => {
  const text = { title: "Pyramid tent", description: "", brand: "", categories: [] };

  it("is placed near its kind by the built-in embedder, with and without a text model", async () => {
    for (const its of [undefined, embedding().its]) {
      const { semantic } = await learn(SHOP, its);
      const vector = placeText(semantic!, text)!;
      const found = semantic!.index.search(vector, 3);
      expect(Array.from(found.indices, (row) => semantic!.rows[row]!).sort()).toEqual([0, 1, 2]);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
  });

  it("has no vector when none of its words is known", async () => {
    const { semantic } = await learn(SHOP);
    expect(placeText(semantic!, { ...text, title: "qqqq" })).toBeUndefined();
  });
});

describe("the text vectors of a snapshot", () => {
  const manifest = { formatNumber: 1, cutOff: 0, seed: 1, dataCounts: {}, algorithms: [] };
  const kept = {
    name: "polyglot",
    dimensions: 2,
    hashes: Uint8Array.from({ length: 32 }, (_, i) => i),
    vectors: Float32Array.of(1, 0, 0, 1),
  };

  it("are the same after decoding", () => {
    const sections = new Map([[TEXT_VECTORS, encodeTextVectors(kept)]]);
    expect(readTextVectors(encodeContainer({ manifest, sections }))).toEqual(kept);
  });

  it("are absent in a snapshot without them or with another format", () => {
    expect(readTextVectors(encodeContainer({ manifest, sections: new Map() }))).toBeUndefined();
    const sections = new Map([[TEXT_VECTORS, { ...encodeTextVectors(kept), formatNumber: 9 }]]);
    expect(readTextVectors(encodeContainer({ manifest, sections }))).toBeUndefined();
  });

  it("are rejected when they do not fit together", () => {
    const sections = new Map([[TEXT_VECTORS, encodeTextVectors({ ...kept, dimensions: 3 })]]);
    expect(() => readTextVectors(encodeContainer({ manifest, sections }))).toThrow("do not fit");
  });
});
