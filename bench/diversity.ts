/**
 * Diversity within a list: what it does to likeness and to places, and what it costs.
 *
 *     npm run bench -- diversity [myntra flipkart_1050 gift_cards adidas]
 *
 * Candidates are the 100 products nearest by text to each of 300: lists as alike as a shop can have. For each setting:
 * mean cosine over all pairs of the first 20; mean place, from 0, that these had by score; microseconds that taking
 * 20 of the 100 costs, median and, undisturbed by what else runs, the tenth of 100.
 */
import { performance } from "node:perf_hooks";
import type { Product } from "../src/domain/product.js";
import { embedAll, fitEmbedder } from "../src/learning/text/embedder.js";
import { nearest } from "../src/learning/text/nearest.js";
import { arrangement, MOST_ARRANGED } from "../src/recommend/diversity.js";
import { bareProduct } from "../test/fixtures/bare-product.js";
import { type CatalogueName, readCatalogue } from "../test/fixtures/shared-catalogue.js";

const NAMES: readonly CatalogueName[] = ["myntra", "flipkart_1050", "gift_cards", "adidas"];
const SETTINGS = [0, 0.1, 0.2, 0.3, 0.5, 0.7, 1];
const QUERIES = 300;
const SHOWN = 20;

function measure(name: CatalogueName, texts: Parameters<typeof embedAll>[1]): void {
  const { vectors, rows, dimensions } = embedAll(fitEmbedder(texts, { seed: 1 }), texts);
  const vector = (v: number) => vectors.subarray(v * dimensions, (v + 1) * dimensions);
  const products = Array.from(rows, (_, v) => bareProduct(String(v)));
  const vectorOf = ({ productId }: Product) => vector(Number(productId));
  const queries = Math.min(QUERIES, rows.length);
  const lists = Array.from({ length: queries }, (_, q) => {
    const near = nearest(vectors, dimensions, vector(Math.floor((q * rows.length) / queries)), MOST_ARRANGED);
    return Array.from(near.indices, (v) => products[v]!);
  });
  console.log(`${name}: ${rows.length} products, ${dimensions} dimensions`);
  for (const diversity of SETTINGS) {
    const arranged = arrangement({ diversity, count: SHOWN, vectorOf });
    let alike = 0;
    let places = 0;
    const times: number[] = [];
    for (const list of [...lists, ...lists]) {
      const begun = performance.now();
      const shown = (arranged?.arrange([list], SHOWN) ?? list).slice(0, SHOWN);
      times.push(1000 * (performance.now() - begun));
      const placeOf = new Map(list.map((product, place) => [product, place]));
      for (const [i, product] of shown.entries()) {
        places += placeOf.get(product)!;
        for (const before of shown.slice(0, i)) alike += dot(vectorOf(product), vectorOf(before));
      }
    }
    const pairs = times.length * ((SHOWN * (SHOWN - 1)) / 2);
    // The first pass over the lists is there to warm up.
    const timed = times.slice(lists.length).sort((a, b) => a - b);
    const at = (share: number) => timed[Math.floor(share * (timed.length - 1))]!.toFixed(0);
    console.log(
      `  diversity ${diversity.toFixed(1)}  cosine of pairs ${(alike / pairs).toFixed(3)}` +
        `  place ${(places / times.length / SHOWN).toFixed(1).padStart(4)}  ${at(0.5)} µs, p10 ${at(0.1)} µs`,
    );
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, d) => sum + value * b[d]!, 0);
}

for (const name of NAMES) {
  const all = process.argv.length > 2 && !process.argv.includes(name) ? undefined : readCatalogue(name);
  if (all === undefined) continue;
  measure(
    name,
    all.map(({ title, description, brand, category }) => ({ title, description, brand, categories: category })),
  );
}
