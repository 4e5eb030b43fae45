import { describe, expect, it } from "vitest";
import { rowsFrom } from "../../../src/learning/common/rows.js";
import {
  decodeEmbedder,
  embedText,
  encodeEmbedder,
  fitEmbedder,
  type ProductText,
} from "../../../src/learning/text/embedder.js";
import { learnFromVisits } from "../../../src/learning/text/visit-embedding.js";

const product = (title: string): ProductText => ({ title, description: "", brand: "", categories: [] });
const numbered = (name: string) =>
  Array.from({ length: 8 }, (_, i) => product(`${name} no${i} ${i % 2 ? "red" : "blue"}`));
// Visitors look at cups with saucers, and at hooks with ladders. No word says so.
const SHOP = ["cup", "saucer", "hook", "ladder"].flatMap(numbered);
const pairs = (first: number, second: number) =>
  Array.from({ length: 8 }, (_, i) => [first * 8 + i, second * 8 + ((i + 3) % 8), first * 8 + ((i + 1) % 8)]);
const VISITS = rowsFrom([...pairs(0, 1), ...pairs(2, 3)]);

const PLAIN = fitEmbedder(SHOP, { seed: 1 });
const likeness = (embedder: typeof PLAIN, a: string, b: string) => {
  const [one, other] = [a, b].map((title) => embedText(embedder, product(title)) ?? new Float32Array(0));
  return one!.reduce((sum, value, d) => sum + value * other![d]!, 0);
};

describe("an embedder taught by visits", () => {
  const taught = learnFromVisits(PLAIN, SHOP, VISITS, { seed: 1 });

  it("puts a new product nearer to what is met beside its kind, though they share no word", () => {
    expect(taught).toBeDefined();
    const saucer = likeness(taught!, "cup green", "saucer no1");
    expect(saucer).toBeGreaterThan(likeness(taught!, "cup green", "ladder no1") + 0.3);
    expect(likeness(PLAIN, "cup green", "saucer no1")).toBeLessThan(saucer - 0.3);
  });

  it("still puts products of one kind together", () => {
    expect(likeness(taught!, "cup green", "cup no1")).toBeGreaterThan(likeness(taught!, "cup green", "hook no1") + 0.3);
  });

  it("is kept in a snapshot as every embedder is", () => {
    const kept = decodeEmbedder(encodeEmbedder(taught!));
    expect(embedText(kept, product("cup green"))).toEqual(embedText(taught!, product("cup green")));
  });

  it("is the same for the same visits", () => {
    expect(learnFromVisits(PLAIN, SHOP, VISITS, { seed: 1 })?.projection).toEqual(taught?.projection);
  });

  it("is none where no visit met two products", () => {
    expect(learnFromVisits(PLAIN, SHOP, rowsFrom([[1], [2]]), { seed: 1 })).toBeUndefined();
  });
});
