/**
 * Similar products by text: the built-in embedder, a sentence model and both, beside TF-IDF and BM25; and what HNSW finds.
 *
 *     npm run bench -- semantic [myntra flipkart_1050 gift_cards adidas] [--embedder onnx:PATH] [--json FILE]
 *
 * NDCG@10 over the ten products nearest to each. Relevant are the products of the same class (myntra: the type of
 * product; flipkart_1050: the group; adidas: the whole path) or, for gift_cards, those of `also_view`. The class is no
 * part of the text. Of a larger catalogue 3,500 products, evenly spread, are taken.
 *
 * The embedder's parameters were chosen on another 3,500 products of myntra (between those taken here), on adidas, and by the
 * two smaller catalogues not getting worse; no class was ever fitted to.
 *
 * `--embedder` is what `aisle serve` takes: `onnx:PATH`, or the address of a service (its key in AISLE_EMBEDDER_KEY). Its
 * texts are asked for as a training asks for them, and again with what was kept, which must ask for none.
 *
 * HNSW: share of the ten nearest that it finds with the parameters of training, over 500 products of the whole catalogue,
 * and how wide it searches (0: all vectors are looked at).
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { TextEmbedder } from "../src/adapters/embedder.js";
import { hnswIndexes } from "../src/adapters/hnsw/vector-indexes.js";
import { type Embedded, embedAll, fitEmbedder, type ProductText } from "../src/learning/text/embedder.js";
import { joinVectors } from "../src/learning/text/embedder-join.js";
import { nearest } from "../src/learning/text/nearest.js";
import { drawToNeighbours } from "../src/learning/text/text-neighbours.js";
import { VECTOR_INDEX } from "../src/learning/training/semantic.js";
import { embedTexts, sentenceOf } from "../src/learning/training/text-embedding.js";
import { textEmbedding } from "../src/server/open-embedder.js";
import { type EmbedderLocation, readEmbedderLocation } from "../src/server/settings/embedder-location.js";
import { type CatalogueName, readCatalogue, type SharedProduct } from "../test/fixtures/shared-catalogue.js";
import { byBm25, byTfIdf, type NearestTo } from "./text-baselines.js";

const SAMPLE = 3500;
const PROBES = 500;
const SEED = 1;
const NAMES: readonly CatalogueName[] = ["myntra", "flipkart_1050", "gift_cards", "adidas"];

interface Judged {
  readonly text: ProductText;
  /** Indices of the relevant products, itself not among them. */
  readonly relevant: ReadonlySet<number>;
}

function textOf({ title, description, brand }: SharedProduct): ProductText {
  return { title, description, brand, categories: [] };
}

function judged(name: CatalogueName, all: readonly SharedProduct[]): Judged[] {
  const every = Math.max(1, all.length / SAMPLE);
  const products = Array.from({ length: Math.min(all.length, SAMPLE) }, (_, i) => all[Math.floor(i * every)]!);
  const classOf = (product: SharedProduct) => {
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
    return { text: textOf(product), relevant };
  });
}

function ndcg(products: readonly Judged[], nearestTo: NearestTo): number {
  let sum = 0;
  let count = 0;
  for (const [index, { relevant }] of products.entries()) {
    if (relevant.size === 0) continue;
    let gained = 0;
    let ideal = 0;
    const found = nearestTo(index, 10);
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

const NO_MODELS = { list: async () => [], read: async () => undefined };

/** The vectors of a training with the built-in embedder alone. */
function embedded(texts: readonly ProductText[]): Embedded {
  return drawToNeighbours(embedAll(fitEmbedder(texts, { seed: SEED }), texts));
}

function byVectors({ vectors, rows, dimensions }: Embedded): NearestTo {
  const vectorOf = new Map(Array.from(rows, (row, v) => [row, v]));
  return (index, k) => {
    const v = vectorOf.get(index);
    if (v === undefined) return [];
    const near = nearest(vectors, dimensions, vectors.subarray(v * dimensions, (v + 1) * dimensions), k + 1);
    return Array.from(near.indices, (other) => rows[other]!).filter((other) => other !== index);
  };
}

/** Share of the ten nearest that the index of a training finds; a vector as near as the last counts. */
function hnswRecall({ vectors, dimensions }: Embedded) {
  const index = hnswIndexes().build(vectors, dimensions, { ...VECTOR_INDEX, seed: SEED });
  const count = vectors.length / dimensions;
  let found = 0;
  let wanted = 0;
  for (let p = 0; p < Math.min(PROBES, count); p++) {
    const v = Math.floor((p * count) / Math.min(PROBES, count));
    const query = vectors.subarray(v * dimensions, (v + 1) * dimensions);
    const exact = nearest(vectors, dimensions, query, 10).scores;
    wanted += exact.length;
    found += index.search(query, 10).similarities.filter((similarity) => similarity >= exact.at(-1)! - 1e-5).length;
  }
  return { recall: found / wanted, efSearch: index.efSearch };
}

interface Figures {
  readonly catalogue: string;
  readonly products: number;
  readonly ndcg10: Readonly<Record<string, number>>;
  readonly fitSeconds: number;
  readonly textModel: TextModelFigures | undefined;
  readonly hnsw: { readonly products: number; readonly recall: number; readonly efSearch: number };
}

interface TextModelFigures {
  readonly texts: number;
  readonly msPerText: number;
  readonly askedAgain: number;
}

/** The texts by a model, as a training asks for them, and how many the next training would ask for. */
async function byTextModel(texts: readonly ProductText[], model: TextEmbedder) {
  const sentences = texts.map(sentenceOf);
  const begun = performance.now();
  const { vectors, dimensions, failure, kept } = await embedTexts(sentences, model, undefined, () => undefined);
  const ms = performance.now() - begun;
  if (failure !== "") throw new Error(failure);
  let askedAgain = 0;
  const counting: TextEmbedder = {
    ...model,
    embed: async (batch) => {
      askedAgain += batch.length;
      return model.embed(batch);
    },
  };
  await embedTexts(sentences, counting, kept, () => undefined);
  const asked = new Set(sentences.filter((text) => text !== "")).size;
  return { vectors, dimensions, figures: { texts: asked, msPerText: ms / asked, askedAgain } };
}

async function measure(
  name: CatalogueName,
  all: readonly SharedProduct[],
  location: EmbedderLocation,
): Promise<Figures> {
  const products = judged(name, all);
  const texts = products.map(({ text }) => text);
  const plain = texts.map(({ title, description }) => `${title} ${description}`);
  const figures: Record<string, number> = {
    "TF-IDF": ndcg(products, byTfIdf(plain)),
    BM25: ndcg(products, byBm25(plain)),
  };
  const own = embedded(texts);
  figures["built-in"] = ndcg(products, byVectors(own));
  const model = await textEmbedding(location, "", NO_MODELS)?.open();
  const asked = model && (await byTextModel(texts, model));
  await model?.close();
  if (asked !== undefined) {
    const { vectors, dimensions } = asked;
    const nothing = { vectors: new Float32Array(0), rows: new Uint32Array(0), dimensions: 0 };
    figures.model = ndcg(products, byVectors(joinVectors(vectors, dimensions, nothing)));
    figures.both = ndcg(products, byVectors(joinVectors(vectors, dimensions, own)));
  }
  const begun = process.cpuUsage();
  const whole = embedded(all.map(textOf));
  const { user, system } = process.cpuUsage(begun);
  const hnsw = { products: whole.rows.length, ...hnswRecall(whole) };
  return {
    catalogue: name,
    products: products.length,
    ndcg10: figures,
    fitSeconds: (user + system) / 1e6,
    textModel: asked?.figures,
    hnsw,
  };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { embedder: { type: "string", default: "builtin" }, json: { type: "string" } },
});
const key = { key: process.env.AISLE_EMBEDDER_KEY, readKeyFile: undefined };
const location = readEmbedderLocation(values.embedder, key);
const measured: Figures[] = [];
for (const name of NAMES) {
  const all = positionals.length > 0 && !positionals.includes(name) ? undefined : readCatalogue(name);
  if (all === undefined) continue;
  const figures = await measure(name, all, location);
  const cells = Object.entries(figures.ndcg10).map(([way, value]) => `${way} ${value.toFixed(4)}`);
  const { products, recall, efSearch } = figures.hnsw;
  console.log(`${name.padEnd(14)} NDCG@10 of ${figures.products}:  ${cells.join("  ")}`);
  console.log(
    `${"".padEnd(14)} all ${products}:  HNSW recall@10 ${recall.toFixed(4)}, width ${efSearch}; ${figures.fitSeconds.toFixed(1)} s of CPU to fit and embed`,
  );
  if (figures.textModel !== undefined) {
    const { texts, msPerText, askedAgain } = figures.textModel;
    console.log(`${"".padEnd(14)} model: ${texts} texts, ${msPerText.toFixed(1)} ms each; the next time ${askedAgain}`);
  }
  measured.push(figures);
}
if (measured.length === 0)
  console.log("No catalogue was found: set AISLE_SHARED_DATA to the folder of the shared data");
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ seed: SEED, catalogues: measured }, null, 2)}\n`);
