/**
 * Teaches an embedder what the shop's own visitors relate: static embeddings of words and n-grams, trained on products
 * met near each other in visits. No weights from elsewhere; a new product is placed by its words.
 *
 *   B = leading directions of the graph of products met together (item-graph.ts), a unit vector for each product
 *   W = (X'X + lambda I)^-1 X'B        X: the texts' directions in the embedder's space
 *   projection of a term = [V, scale * V W]
 *
 * Content mapped to behaviour by ridge regression, as for cold starts in Gantner and others (ICDM 2010). The result is an
 * embedder like any other: its last numbers of a vector say which products' company a text would keep. `scale` makes
 * that part as long as `share` says, for a mean text, against the part of the text itself, which is 1.
 *
 * Time: products * dimensions^2, and for each of `rank` directions dimensions^3 / 6. Texts of more than `fitTexts` products are
 * spread evenly.
 */
import { fitItemGraph } from "../common/item-graph.js";
import { solvePositiveDefinite } from "../common/positive-definite.js";
import { createRandom } from "../common/random.js";
import { evenly, type Rows, rowCount } from "../common/rows.js";
import { type Embedder, embedAll, type ProductText, withCentre } from "./embedder.js";
import type { SparseRows } from "./text-features.js";
import { truncatedSvd } from "./truncated-svd.js";

export interface VisitEmbeddingParams {
  readonly seed: number;
  readonly rank: number;
  readonly lambda: number;
  readonly share: number;
  readonly fitTexts: number;
}

const DEFAULTS: Omit<VisitEmbeddingParams, "seed"> = { rank: 32, lambda: 3, share: 1, fitTexts: 20_000 };
/** Steps between two products of a visit that still belong together. */
const WINDOW = 5;
const EDGES = 50;
const OVERSAMPLING = 16;
const ITERATIONS = 2;

/** `visits` hold indices of `texts`. Undefined when visits relate no two products that have a text. */
export function learnFromVisits(
  embedder: Embedder,
  texts: readonly ProductText[],
  visits: Rows,
  params: Partial<VisitEmbeddingParams> & { readonly seed: number },
): Embedder | undefined {
  const { seed, rank, lambda, share, fitTexts } = { ...DEFAULTS, ...params };
  const { dimensions } = embedder;
  const company = companyOf(visits, texts.length, rank, seed);
  const plain = embedAll({ ...embedder, centre: new Float32Array(dimensions) }, texts);
  const related = Array.from(plain.rows.keys()).filter((v) => company.has(plain.rows[v]!));
  const taught = evenly(related, fitTexts).map((v) => ({
    x: plain.vectors.subarray(v * dimensions, (v + 1) * dimensions),
    b: company.of(plain.rows[v]!),
  }));
  if (taught.length === 0) return undefined;
  const weights = ridge(taught, dimensions, company.rank, lambda);
  let length = 0;
  for (const { x } of taught) length += Math.hypot(...times(x, weights, company.rank)) / taught.length;
  if (!(length > 1e-9)) return undefined;
  const whole = dimensions + company.rank;
  const terms = embedder.projection.length / dimensions;
  const projection = new Float32Array(terms * whole);
  for (let t = 0; t < terms; t++) {
    const term = embedder.projection.subarray(t * dimensions, (t + 1) * dimensions);
    projection.set(term, t * whole);
    const mapped = times(term, weights, company.rank);
    for (const [j, value] of mapped.entries()) projection[t * whole + dimensions + j] = (value * share) / length;
  }
  return withCentre({ ...embedder, dimensions: whole, projection }, texts);
}

/** A unit vector of each product that was met with others. */
function companyOf(visits: Rows, productCount: number, wanted: number, seed: number) {
  const near = Array.from({ length: WINDOW }, () => 1);
  const recency = new Float32Array(rowCount(visits)).fill(1);
  const graph = fitItemGraph(visits, recency, productCount, { after: near, before: near, balance: 0.5, keep: EDGES });
  const { rank, vectors } = truncatedSvd(
    withThemselves(graph.edges, graph.weights),
    { rank: wanted, oversampling: OVERSAMPLING, iterations: ITERATIONS },
    createRandom(seed),
  );
  const of = (product: number) => vectors.subarray(product * rank, (product + 1) * rank);
  const lengths = Float64Array.from({ length: productCount }, (_, product) => Math.hypot(...of(product)));
  return {
    rank,
    has: (product: number) => lengths[product]! > 1e-6,
    of: (product: number) => of(product).map((value) => value / lengths[product]!),
  };
}

/** The graph as a matrix, each product that has edges beside itself with weight 1. */
function withThemselves({ offsets, items }: Rows, weights: Float32Array): SparseRows {
  const columnCount = offsets.length - 1;
  const rows = Array.from({ length: columnCount }, (_, product) => {
    const [from, to] = [offsets[product]!, offsets[product + 1]!];
    const row = Array.from(items.subarray(from, to), (column, e) => ({ column, value: weights[from + e]! }));
    return (row.length > 0 ? [...row, { column: product, value: 1 }] : []).sort((a, b) => a.column - b.column);
  });
  const entries = rows.flat();
  const rowEnds = new Uint32Array(columnCount + 1);
  for (const [r, row] of rows.entries()) rowEnds[r + 1] = rowEnds[r]! + row.length;
  return {
    offsets: rowEnds,
    columns: Uint32Array.from(entries, ({ column }) => column),
    values: Float32Array.from(entries, ({ value }) => value),
    columnCount,
  };
}

/** W by rows of `rank`. */
function ridge(
  taught: readonly { readonly x: Float32Array; readonly b: Float64Array }[],
  dimensions: number,
  rank: number,
  lambda: number,
): Float64Array {
  const squares = new Float64Array(dimensions * dimensions);
  const products = Array.from({ length: rank }, () => new Float64Array(dimensions));
  for (let i = 0; i < dimensions; i++) squares[i * dimensions + i] = lambda;
  for (const { x, b } of taught)
    for (let i = 0; i < dimensions; i++) {
      const value = x[i]!;
      for (let j = 0; j <= i; j++) squares[i * dimensions + j]! += value * x[j]!;
      for (let k = 0; k < rank; k++) products[k]![i]! += value * b[k]!;
    }
  const weights = new Float64Array(dimensions * rank);
  for (const [k, column] of products.entries()) {
    solvePositiveDefinite(squares.slice(), column, dimensions);
    for (const [i, value] of column.entries()) weights[i * rank + k] = value;
  }
  return weights;
}

function times(x: Float32Array, weights: Float64Array, rank: number): Float64Array {
  const sums = new Float64Array(rank);
  for (const [i, value] of x.entries()) for (let k = 0; k < rank; k++) sums[k]! += value * weights[i * rank + k]!;
  return sums;
}
