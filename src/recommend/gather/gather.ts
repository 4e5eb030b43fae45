/**
 * Gathers candidates from the sources of a model. Few of a source's best candidates pass a narrow filter. The source is
 * then asked for more candidates, or searches only the products that pass.
 */
import type { Metrics } from "../../adapters/metrics.js";
import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Candidates } from "../../learning/common/candidates.js";
import type { List, ServingModel, Source, SourceName, SourceQuery } from "../../learning/sources/source.js";
import type { Shelf } from "../products/catalog.js";
import type { PassingFilter } from "../products/filter.js";
import { type ListWeights, weightsOf } from "./weights.js";

/** What one source proposes for one list, and how much it counts there. */
export interface WeightedCandidates {
  readonly source: SourceName;
  readonly weight: number;
  /** Weight the candidate's score, as a share of the best one, or its rank. */
  readonly by: "score" | "place";
  readonly candidates: Candidates;
}

/**
 * Gathers at most `k` candidates from each source that has a weight, and from popularity. A source that throws is left out,
 * counted and reported.
 */
export function gather(
  model: ServingModel,
  query: SourceQuery,
  list: List,
  k: number,
  { metrics, reportFailure }: { readonly metrics: Metrics; readonly reportFailure: ReportFailure },
  { weights, by }: ListWeights = weightsOf(list, query, model),
  narrowing?: Narrowing | undefined,
): WeightedCandidates[] {
  const gathered: WeightedCandidates[] = [];
  for (const source of model.sources) {
    const weight = weights[source.name];
    if (weight === 0) continue;
    try {
      const candidates = askSource(source, query, list, k, narrowing);
      gathered.push({ source: source.name, weight, by, candidates });
    } catch (error) {
      metrics.count("recommend_source_failures", { source: source.name });
      reportFailure("candidates", error);
    }
  }
  if (weights.popularity > 0) {
    const candidates = mostPopular(model, k, narrowing);
    gathered.push({ source: "popularity", weight: weights.popularity, by, candidates });
  }
  return gathered;
}

/** Candidates that should pass when a source searches all products. */
const PASSING_OF_ALL = 100;
/** Limit when a source searches all products: its time grows with the number of candidates. */
const MOST_OF_ALL = 2000;
/** Limit when a source searches the few products that pass. */
const MOST_OF_FEW = 5000;
/**
 * Share of the candidates that the search by text is asked for. Its time grows with their number, and lists next to never
 * show the rest. (With 200 instead of 100, 96.1 % of 3,000 `alternative` lists and 99.3 % of their products stay the same,
 * and all `recommended` lists; 50,000 products.)
 */
const SIMILAR_ENOUGH = 0.5;

/** What a filter means for the sources of a model. */
export interface Narrowing {
  readonly passes: (productIndex: number) => boolean;
  /** All products that pass, by rising index; undefined when they are too many to list. */
  readonly among: Uint32Array | undefined;
  /** About one in this many candidates passes. */
  readonly oneOf: number;
}

export function narrowingOf(filter: PassingFilter | undefined, shelf: Shelf): Narrowing | undefined {
  const { model, catalog } = shelf;
  if (filter === undefined || model === undefined) return undefined;
  const few = filter.few();
  if (few === undefined) {
    const passes = (index: number) => {
      const product = shelf.product(index);
      return product !== undefined && filter.passes(product);
    };
    return { passes, among: undefined, oneOf: Math.max(1, catalog.size / Math.max(1, filter.atMost)) };
  }
  const { among, has } = few.indices(model);
  return { passes: has, among, oneOf: 1 };
}

/** The `k` best that pass. */
export function askSource(
  source: Source,
  query: SourceQuery,
  list: List,
  k: number,
  narrowing: Narrowing | undefined,
): Candidates {
  const asked =
    narrowing === undefined
      ? Math.ceil(source.name === "semantic" ? k * SIMILAR_ENOUGH : k)
      : narrowing.among
        ? MOST_OF_FEW
        : Math.max(k, Math.min(MOST_OF_ALL, Math.ceil(Math.min(k, PASSING_OF_ALL) * narrowing.oneOf)));
  const found = list === "recommended" ? source.complements(query, asked) : source.alternatives(query, asked);
  return narrowing === undefined ? found : kept(found, k, narrowing.passes);
}

/** The `k` most popular that pass. */
function mostPopular(
  { byPopularity, popularity }: Pick<ServingModel, "byPopularity" | "popularity">,
  k: number,
  narrowing: Narrowing | undefined,
): Candidates {
  const scoresOf = (indices: Uint32Array) => Float64Array.from(indices, (product) => popularity[product]!);
  if (narrowing?.among !== undefined) {
    const indices = narrowing.among
      .slice()
      .sort((a, b) => popularity[b]! - popularity[a]! || a - b)
      .subarray(0, k);
    return { indices, scores: scoresOf(indices) };
  }
  if (narrowing === undefined)
    return { indices: byPopularity.subarray(0, k), scores: scoresOf(byPopularity.subarray(0, k)) };
  const found: number[] = [];
  for (const index of byPopularity) {
    if (found.length === k) break;
    if (narrowing.passes(index)) found.push(index);
  }
  const indices = Uint32Array.from(found);
  return { indices, scores: scoresOf(indices) };
}

function kept({ indices, scores }: Candidates, k: number, passes: (index: number) => boolean): Candidates {
  const places: number[] = [];
  for (let i = 0; i < indices.length && places.length < k; i++) if (passes(indices[i]!)) places.push(i);
  return {
    indices: Uint32Array.from(places, (i) => indices[i]!),
    scores: Float64Array.from(places, (i) => scores[i]!),
  };
}
