import { describe, expect, it } from "vitest";
import { Unavailable } from "../../../src/domain/errors.js";
import { embedTexts, sentenceOf } from "../../../src/learning/training/text-embedding.js";

/** Gives a text its length and 1; fails from the call `failFrom` on; `special` are texts with vectors of their own. */
function fake(options: { failFrom?: number; name?: string; special?: Record<string, number[]> } = {}) {
  const asked: string[][] = [];
  return {
    asked,
    name: options.name ?? "fake",
    embed: async (texts: readonly string[]) => {
      asked.push([...texts]);
      if (asked.length >= (options.failFrom ?? Number.POSITIVE_INFINITY)) throw new Unavailable("it is out");
      return texts.map((text) => Float32Array.from(options.special?.[text] ?? [text.length, 1]));
    },
    close: async () => undefined,
  };
}

const quiet = () => undefined;
const many = Array.from({ length: 100 }, (_, i) => `text ${i}`);

describe("the input of a sentence model", () => {
  const text = { title: "Tent", description: "", brand: "", categories: [] };

  it("is title, brand, categories and description without markup", () => {
    const whole = { title: "Tent", brand: "Acme", categories: ["Camp", "Tents"], description: "<p>For\n two</p>" };
    expect(sentenceOf(whole)).toBe("Tent. Acme. Camp, Tents. For two");
    expect(sentenceOf({ ...whole, title: "ACME tent" })).toBe("ACME tent. Camp, Tents. For two");
    expect(sentenceOf({ ...text, title: "" })).toBe("");
  });

  it("is cut at 2,000 characters, not within one", () => {
    const long = sentenceOf({ ...text, title: `${"a".repeat(1999)}\u{1F3D5}` });
    expect(long).toBe("a".repeat(1999));
  });
});

describe("the embedding of texts", () => {
  it("embeds each text once and returns unit vectors in order", async () => {
    const its = fake();
    const { vectors, dimensions, missing, failure } = await embedTexts(
      ["tea", "", "tea", "tent"],
      its,
      undefined,
      quiet,
    );
    expect(its.asked).toEqual([["tea", "tent"]]);
    expect([...vectors[0]!]).toEqual([Math.fround(3 / Math.hypot(3, 1)), Math.fround(1 / Math.hypot(3, 1))]);
    expect(vectors[2]).toEqual(vectors[0]);
    expect(vectors[1]).toBeUndefined();
    expect([dimensions, missing, failure]).toEqual([2, 0, ""]);
  });

  it("embeds only changed texts again, and returns the same bits", async () => {
    const { kept, vectors } = await embedTexts(many, fake(), undefined, quiet);
    const its = fake();
    const second = await embedTexts([...many.slice(1), "another"], its, kept, quiet);
    expect(its.asked).toEqual([["another"]]);
    expect(second.vectors.slice(0, -1)).toEqual(vectors.slice(1));
    expect(second.kept.vectors).toHaveLength(2 * many.length);
  });

  it("uses no vectors of another model", async () => {
    const { kept } = await embedTexts(many, fake(), undefined, quiet);
    const its = fake({ name: "other" });
    await embedTexts(many, its, kept, quiet);
    expect(its.asked.flat()).toEqual(many);
  });

  it("starts again when the vectors of a model change their length", async () => {
    const { kept } = await embedTexts(many, fake(), undefined, quiet);
    const wide = { ...fake(), embed: async (texts: readonly string[]) => texts.map(() => Float32Array.of(0, 0, 2)) };
    const { dimensions, missing, vectors } = await embedTexts([...many, "another"], wide, kept, quiet);
    expect([dimensions, missing]).toEqual([3, 0]);
    expect([...vectors[0]!]).toEqual([0, 0, 1]);
  });

  it("keeps the vectors from before a failure, and continues from there the next time", async () => {
    const { missing, failure, kept } = await embedTexts(many, fake({ failFrom: 2 }), undefined, quiet);
    expect([missing, failure]).toEqual([36, "it is out"]);
    const its = fake();
    expect((await embedTexts(many, its, kept, quiet)).missing).toBe(0);
    expect(its.asked.flat()).toEqual(many.slice(64));
  });

  it.each([
    ["zeros", [0, 0]],
    ["NaN", [Number.NaN, 1]],
    ["infinity", [Number.POSITIVE_INFINITY, 1]],
  ])("treats a vector with %s as absent", async (_, vector) => {
    const its = fake({ special: { tent: vector } });
    const { vectors, missing, failure } = await embedTexts(["tea", "tent"], its, undefined, quiet);
    expect(vectors[1]).toBeUndefined();
    expect([missing, failure]).toEqual([1, ""]);
  });

  it("rejects vectors of different lengths", async () => {
    const its = fake({ special: { tent: [1, 2, 3] } });
    const { failure } = await embedTexts(["tea", "tent"], its, undefined, quiet);
    expect(failure).toBe("the embedder's vectors differ in length");
  });

  it("passes on errors that are not the embedder's", async () => {
    const broken = { ...fake(), embed: () => Promise.reject(new TypeError("a mistake of ours")) };
    await expect(embedTexts(["tea"], broken, undefined, quiet)).rejects.toThrow(TypeError);
  });
});
