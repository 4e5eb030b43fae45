import { expect, it } from "vitest";
import { embedAll, fitEmbedder } from "../../../src/learning/text/embedder.js";
import { nearest } from "../../../src/learning/text/nearest.js";
import { type CatalogueName, readCatalogue, type SharedProduct } from "../../fixtures/shared-catalogue.js";
import { describeWithSharedData } from "../../fixtures/shared-data.js";

describeWithSharedData("catalogue")("embedder on real catalogues", () => {
  /** Share of the five nearest that are of the same class, over every fourth product. */
  function sameClass(name: CatalogueName, classOf: (product: SharedProduct) => string, count: number): number {
    const products = readCatalogue(name)!.slice(0, count);
    const texts = products.map(({ title, description, brand }) => ({ title, description, brand, categories: [] }));
    const { vectors, rows, dimensions } = embedAll(
      fitEmbedder(texts, { seed: 1, dimensions: [{ upTo: 1500, dimensions: 128 }] }),
      texts,
    );
    let same = 0;
    let all = 0;
    for (let v = 0; v < rows.length; v += 4) {
      const near = nearest(vectors, dimensions, vectors.subarray(v * dimensions, (v + 1) * dimensions), 6);
      for (const other of near.indices) {
        if (other === v) continue;
        all++;
        if (classOf(products[rows[other]!]!) === classOf(products[rows[v]!]!)) same++;
      }
    }
    return same / all;
  }

  it("the built-in embedder finds products of the same group on flipkart_1050 in more than 0.85 of all cases", () => {
    expect(sameClass("flipkart_1050", (p) => p.category[0] ?? "", 1050)).toBeGreaterThan(0.85);
  });

  it("the built-in embedder finds products of the same type among 1,500 of myntra in more than 0.75 of all cases", () => {
    expect(sameClass("myntra", (p) => p.category.at(-1) ?? "", 1500)).toBeGreaterThan(0.75);
  });
});
