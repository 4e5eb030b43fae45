import type { FrameConfiguration, FrameSource, PageKind } from "../domain/frame.js";
import { blendHistoryOf, blendPageOf, type SourceWeights, sourceWeights } from "../model/blend-weights.js";
import type { List, ServingModel, SourceQuery } from "../model/source.js";
import type { Metrics } from "../ports/metrics.js";
import { askSource, mostPopular, type Narrowing } from "./ask-source.js";
import type { WeightedCandidates } from "./blend.js";

/** Where an app has too little to learn weights from, `recommended` completes: what is bought together leads. */
const BROWSING: SourceWeights = { collaborative: 0.5, cart: 1, association_rules: 0.5, semantic: 0, popularity: 0 };
const WITH_CART: SourceWeights = { collaborative: 0.2, cart: 1, association_rules: 0.1, semantic: 0, popularity: 0 };
/** On the first page of a shop: the visitor's taste, and what is popular. */
const TASTE: SourceWeights = { collaborative: 1, cart: 0, association_rules: 0.2, semantic: 0, popularity: 0.2 };
const ALTERNATIVES: SourceWeights = { semantic: 1, collaborative: 0.6, association_rules: 0, cart: 0, popularity: 0 };

/** What others than a source with a learned order count: they fill its end. */
const FILLING = 1e-4;

/** How much each source counts, and whether its scores or the places it gives. */
export interface ListWeights {
  readonly weights: SourceWeights;
  readonly by: "score" | "place";
}

/** The weights a frame gives its sources; undefined when they are chosen for the visitor. */
export function weightsOfFrame({ sources }: Pick<FrameConfiguration, "sources">): ListWeights | undefined {
  if (sources.length === 0) return undefined;
  const weigh = (name: FrameSource) => sources.find(({ source }) => source === name)?.weight ?? 0;
  return { weights: sourceWeights(weigh), by: "score" };
}

/**
 * Weights learned from the app's own newest visits and orders where there are some. A customer's next order has an order
 * of its own, learned or not; `alternative` has weights that are the same for all apps, as nothing tells what was wanted.
 */
export function weightsOf(list: List, query: SourceQuery, model: ServingModel, kind: PageKind = ""): ListWeights {
  if (list === "alternative") return { weights: ALTERNATIVES, by: "score" };
  const learned = query.purchases ? undefined : model.blend?.[blendPageOf(query)];
  if (learned !== undefined) return { weights: learned[blendHistoryOf(query)], by: "place" };
  const weights = query.hasCart ? WITH_CART : kind === "home" ? TASTE : BROWSING;
  const leading = model.sources.find((source) => source.isLearned?.(query))?.name;
  if (leading === undefined) return { weights, by: "score" };
  const weigh = (name: keyof SourceWeights) => (name === leading ? 1 : weights[name] * FILLING);
  return {
    weights: sourceWeights(weigh),
    by: "score",
  };
}

/**
 * What each source that counts proposes, `k` products at most. A source that fails is left out and counted. Sources
 * without weight are not asked; with `to` only what passes is proposed: what the others leave empty is filled by popularity.
 */
export function propose(
  model: ServingModel,
  query: SourceQuery,
  list: List,
  k: number,
  metrics: Metrics,
  { weights, by }: ListWeights = weightsOf(list, query, model),
  to?: Narrowing | undefined,
): WeightedCandidates[] {
  const proposals: WeightedCandidates[] = [];
  for (const source of model.sources) {
    const weight = weights[source.name];
    if (weight === 0) continue;
    try {
      const candidates = askSource(source, query, list, k, to);
      proposals.push({ source: source.name, weight, by, candidates });
    } catch {
      metrics.count("recommend_source_failures", { source: source.name });
    }
  }
  if (weights.popularity > 0) {
    const candidates = mostPopular(model, k, to);
    proposals.push({ source: "popularity", weight: weights.popularity, by, candidates });
  }
  return proposals;
}
