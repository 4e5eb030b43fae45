import { expect, it } from "vitest";
import { decodeIndex, HNSW } from "../../../src/adapters/hnsw/format.js";
import { hnswIndexes } from "../../../src/adapters/hnsw/vector-indexes.js";
import { embedAll, fitEmbedder } from "../../../src/learning/text/embedder.js";
import { VECTOR_INDEX } from "../../../src/learning/training/semantic.js";
import { type CatalogueName, readCatalogue } from "../../fixtures/shared-catalogue.js";
import { describeWithSharedData } from "../../fixtures/shared-data.js";
import { recallAt10 } from "./recall.js";

const PARAMS = { ...VECTOR_INDEX, seed: 7 };
const graphs = hnswIndexes({ exactUpTo: 0 });

describeWithSharedData("catalogue")("hnsw on real catalogues", () => {
  // The embedder's own number of dimensions, but for myntra, where half of them save half a minute.
  it.each<[CatalogueName, number, number]>([
    ["adidas", 845, 256],
    ["flipkart_1050", 1050, 256],
    ["gift_cards", 1547, 256],
    ["myntra", 12_491, 128],
  ])(
    "an hnsw index finds at least 0.99 of the ten nearest on %s without a wider search, also after it is reopened",
    (name, count, wanted) => {
      const texts = readCatalogue(name)!.map(({ title, description, brand, category }) => ({
        title,
        description,
        brand,
        categories: category,
      }));
      expect(texts).toHaveLength(count);
      const { vectors, dimensions } = embedAll(
        fitEmbedder(texts, { seed: 1, dimensions: [{ upTo: count, dimensions: wanted }] }),
        texts,
      );
      const index = graphs.build(vectors, dimensions, PARAMS);
      const bytes = index.encode();
      const { facts } = decodeIndex(bytes);
      expect([facts.kind, facts.efSearch]).toEqual([HNSW, PARAMS.efSearch]);
      expect(recallAt10(index, vectors, 200)).toBeGreaterThanOrEqual(0.99);
      expect(recallAt10(graphs.open(bytes, vectors), vectors, 200)).toBeGreaterThanOrEqual(0.99);
    },
    120_000,
  );
});
