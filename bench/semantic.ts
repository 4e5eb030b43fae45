/**
 * Similar products by text: the embedder, beside TF-IDF without it.
 *
 *     npx tsx bench/semantic.ts [myntra flipkart_1050 gift_cards adidas]
 *
 * NDCG@10 over the ten products nearest to each. Relevant are the products of the same class (myntra: the type of
 * product; flipkart_1050: the group; adidas: the whole path) or, for gift_cards, those of `also_view`. The class is no
 * part of the text. Of a larger catalogue 3,500 products, evenly spread, are taken.
 */
import { embedAll, fitEmbedder, type ProductText } from "../src/algorithms/embedder.js";
import { nearest } from "../src/algorithms/nearest.js";
import { fitVocabulary, textRows } from "../src/algorithms/text-features.js";
import { createTopK } from "../src/algorithms/top-k.js";
import { type CatalogueName, readCatalogue } from "../test/fixtures/shared-catalogue.js";

const SAMPLE = 3500;
const NAMES: readonly CatalogueName[] = ["myntra", "flipkart_1050", "gift_cards", "adidas"];

interface Judged {
  readonly text: ProductText;
  /** Indices of the relevant products, itself not among them. */
  readonly relevant: ReadonlySet<number>;
}

function judged(name: CatalogueName): Judged[] | undefined {
  const all = readCatalogue(name);
  if (all === undefined) return undefined;
  const every = Math.max(1, all.length / SAMPLE);
  const products = Array.from({ length: Math.min(all.length, SAMPLE) }, (_, i) => all[Math.floor(i * every)]!);
  const classOf = (product: (typeof products)[number]) => {
    if (name === "myntra") return product.category.at(-1) ?? "";
    return name === "flipkart_1050" ? (product.category[0] ?? "") : product.category.join("/");
  };
  const indexOf = new Map(products.map((product, index) => [product.id, index]));
  const classes = new Map<string, number[]>();
  for (const [index, product] of products.entries()) {
    const members = classes.get(classOf(product)) ?? [];
    members.push(index);
    classes.set(classOf(product), members);
  }
  return products.map((product, index) => {
    const viewed = product.also_view.map((id) => indexOf.get(id)).filter((other) => other !== undefined);
    const relevant = new Set(name === "gift_cards" ? viewed : classes.get(classOf(product)));
    relevant.delete(index);
    const { title, description, brand } = product;
    return { text: { title, description, brand, categories: [] }, relevant };
  });
}

function ndcg(products: readonly Judged[], nearestTo: (index: number) => readonly number[]): number {
  let sum = 0;
  let count = 0;
  for (const [index, { relevant }] of products.entries()) {
    if (relevant.size === 0) continue;
    let gained = 0;
    let ideal = 0;
    const found = nearestTo(index);
    for (let rank = 0; rank < 10; rank++) {
      const discount = 1 / Math.log2(rank + 2);
      const other = found[rank];
      if (other !== undefined && relevant.has(other)) gained += discount;
      if (rank < relevant.size) ideal += discount;
    }
    sum += gained / ideal;
    count++;
  }
  return sum / count;
}

function byTfIdf(texts: readonly ProductText[]): (index: number) => number[] {
  const vocabulary = fitVocabulary(texts);
  const { offsets, columns, values } = textRows(vocabulary, texts);
  const byColumn: { row: number; value: number }[][] = vocabulary.terms.map(() => []);
  for (let row = 0; row < texts.length; row++) {
    for (let at = offsets[row]!; at < offsets[row + 1]!; at++)
      byColumn[columns[at]!]!.push({ row, value: values[at]! });
  }
  const sums = new Float64Array(texts.length);
  const best = createTopK();
  return (index) => {
    sums.fill(0);
    for (let at = offsets[index]!; at < offsets[index + 1]!; at++) {
      for (const { row, value } of byColumn[columns[at]!]!) sums[row]! += value * values[at]!;
    }
    best.reset(10);
    for (const [row, sum] of sums.entries()) if (row !== index && sum > 0) best.offer(row, sum);
    return [...best.take().indices];
  };
}

function byEmbedder(texts: readonly ProductText[]): (index: number) => number[] {
  const { vectors, rows, dimensions } = embedAll(fitEmbedder(texts, { seed: 1 }), texts);
  const vectorOf = new Map(Array.from(rows, (row, v) => [row, v]));
  return (index) => {
    const v = vectorOf.get(index);
    if (v === undefined) return [];
    const near = nearest(vectors, dimensions, vectors.subarray(v * dimensions, (v + 1) * dimensions), 11);
    return Array.from(near.indices, (other) => rows[other]!).filter((other) => other !== index);
  };
}

const asked = process.argv.slice(2);
console.log(["".padEnd(16), "products", "TF-IDF", "embedder", "seconds"].join("  "));
for (const name of NAMES) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const products = judged(name);
  if (products === undefined) continue;
  const texts = products.map((product) => product.text);
  const plain = ndcg(products, byTfIdf(texts));
  const begun = performance.now();
  const embedded = byEmbedder(texts);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const figures = [
    String(products.length).padStart(8),
    plain.toFixed(4),
    ndcg(products, embedded).toFixed(4).padEnd(8),
  ];
  console.log([name.padEnd(16), ...figures, seconds].join("  "));
}
