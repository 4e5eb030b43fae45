import { describe, expect, it } from "vitest";
import {
  decodeEmbedder,
  embedAll,
  embedText,
  encodeEmbedder,
  fitEmbedder,
  type ProductText,
} from "../../../src/learning/text/embedder.js";
import { nearest } from "../../../src/learning/text/nearest.js";
import { TEXT_FEATURES } from "../../../src/learning/text/text-features.js";

const product = (title: string, description = ""): ProductText => ({ title, description, brand: "", categories: [] });
// A shop of tents and teapots; the titles of a kind share no word with those of the other.
const SHOP = [
  product("Dome tent for two", "A light tent for the mountains, with poles"),
  product("Tunnel tent for four", "A roomy tent for camp sites, with poles"),
  product("Ridge tent", "The classic shape; poles of steel, for camp sites"),
  product("Glass teapot", "Brews leaf tea and shows it; one litre"),
  product("Iron teapot", "Keeps leaf tea hot for an hour; one litre"),
  product("Teapot with warmer", "Porcelain, for leaf tea, with a candle"),
];
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, d) => sum + value * b[d]!, 0);

describe("the built-in embedder", () => {
  const embedder = fitEmbedder(SHOP, { seed: 1 });

  it("puts products of one kind nearer to each other than to the other kind", () => {
    const { vectors, rows, dimensions } = embedAll(embedder, SHOP);
    expect([...rows]).toEqual([0, 1, 2, 3, 4, 5]);
    for (let r = 0; r < 6; r++) {
      const near = nearest(vectors, dimensions, vectors.subarray(r * dimensions, (r + 1) * dimensions), 3);
      expect([...near.indices].sort()).toEqual(r < 3 ? [0, 1, 2] : [3, 4, 5]);
    }
  });

  it("places texts it has not seen, also with a typing error", () => {
    const { vectors, dimensions } = embedAll(embedder, SHOP);
    const query = embedText(embedder, product("teapott"))!;
    expect(nearest(vectors, dimensions, query, 1).indices[0]).toBeGreaterThanOrEqual(3);
  });

  it("gives vectors of length 1", () => {
    for (const text of SHOP) expect(dot(embedText(embedder, text)!, embedText(embedder, text)!)).toBeCloseTo(1, 5);
  });

  it("returns no vector for a text of unknown words, and leaves it out of many", () => {
    expect(embedText(embedder, product(""))).toBeUndefined();
    expect(embedText(embedder, product("qqqq", "<br>&nbsp;"))).toBeUndefined();
    const { rows, vectors, dimensions } = embedAll(embedder, [product(""), SHOP[0]!, product("qqqq"), SHOP[3]!]);
    expect([...rows]).toEqual([1, 3]);
    expect(vectors).toHaveLength(2 * dimensions);
  });

  it("returns the same vector for a text alone and among others", () => {
    const { vectors, dimensions } = embedAll(embedder, SHOP);
    expect(embedText(embedder, SHOP[4]!)).toEqual(vectors.slice(4 * dimensions, 5 * dimensions));
  });

  it("removes most of what all texts share, so that unlike products are not near", () => {
    const texts = SHOP.map((text) => ({ ...text, description: `${text.description}. Order online, free delivery` }));
    const similarity = (params: { centring: number }) => {
      const fitted = fitEmbedder(texts, { seed: 1, features: { ...TEXT_FEATURES, maxDocumentShare: 1 }, ...params });
      return dot(embedText(fitted, texts[0]!)!, embedText(fitted, texts[3]!)!);
    };
    expect(similarity({ centring: 0 })).toBeGreaterThan(0.1);
    expect(similarity({ centring: 0.85 })).toBeLessThan(0);
  });

  it("has vectors for a shop of two texts", () => {
    const texts = ["Dome tent", "Teapot"].flatMap((title) => Array.from({ length: 4 }, () => product(title)));
    const { rows } = embedAll(fitEmbedder(texts, { seed: 1, centring: 0.85 }), texts);
    expect(rows).toHaveLength(8);
  });

  it.each([
    ["no texts", []],
    ["empty texts", [product(""), product("")]],
    ["texts that share nothing", [product("abc"), product("xyz")]],
  ])("learns nothing from %s and returns no vectors", (_, texts) => {
    const empty = fitEmbedder(texts, { seed: 1 });
    expect(embedAll(empty, texts).rows).toHaveLength(0);
    expect(embedText(empty, product("abc"))).toBeUndefined();
  });

  it("gives the same bytes for the same texts and seed", () => {
    expect(encodeEmbedder(fitEmbedder(SHOP, { seed: 1 }))).toEqual(encodeEmbedder(embedder));
  });

  it("answers the same after decoding", () => {
    const decoded = decodeEmbedder(encodeEmbedder(embedder));
    const asked = [...SHOP, product("Zelt für zwei", "tent"), product("")];
    expect(embedAll(decoded, asked)).toEqual(embedAll(embedder, asked));
  });

  it("encodes terms of any script", () => {
    const texts = [product("Größe 防水帐篷"), product("Größe 防水帐篷 \u{20BB7}")];
    const fitted = fitEmbedder([...texts, ...texts, ...SHOP], { seed: 1 });
    expect(fitted.vocabulary.terms).toContain("größe");
    expect(decodeEmbedder(encodeEmbedder(fitted)).vocabulary.terms).toEqual(fitted.vocabulary.terms);
  });

  it("rejects sections of another format or with a part missing", () => {
    const section = encodeEmbedder(embedder);
    expect(() => decodeEmbedder({ ...section, formatNumber: 9 })).toThrow(/format 9/);
    const { termBytes: _, ...arrays } = section.arrays;
    expect(() => decodeEmbedder({ ...section, arrays })).toThrow(/terms/);
    const { projection: __, ...others } = section.arrays;
    expect(() => decodeEmbedder({ ...section, arrays: others })).toThrow(/weights/);
    const { centre: ____, ...uncentred } = section.arrays;
    expect(() => decodeEmbedder({ ...section, arrays: uncentred })).toThrow(/centre/);
    const { dimensions: ___, ...numbers } = section.numbers;
    expect(() => decodeEmbedder({ ...section, numbers })).toThrow(/dimensions/);
  });

  it("learns from a sample of many texts and places them all", () => {
    const many = Array.from({ length: 5 }, () => SHOP).flat();
    const fitted = fitEmbedder(many, { seed: 1, fitTexts: 10, dimensions: [{ upTo: 30, dimensions: 4 }] });
    expect(fitted.dimensions).toBeLessThanOrEqual(4);
    expect(embedAll(fitted, many).rows).toHaveLength(many.length);
  });
});
