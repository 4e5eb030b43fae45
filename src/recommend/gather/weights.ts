/** How much each source counts in a list. */
import type { FrameConfiguration, FrameSource, PageKind } from "../../domain/frame.js";
import {
  blendHistoryOf,
  blendPageOf,
  type SourceWeights,
  sourceWeights,
} from "../../learning/sources/blend-weights.js";
import type { List, ServingModel, SourceQuery } from "../../learning/sources/source.js";

/** Without learned weights, `recommended` completes the visit: products bought together lead. */
const BROWSING: SourceWeights = { collaborative: 0.5, cart: 1, association_rules: 0.5, semantic: 0, popularity: 0 };
const WITH_CART: SourceWeights = { collaborative: 0.2, cart: 1, association_rules: 0.1, semantic: 0, popularity: 0 };
/** On a home page: similar visits lead, and popular products join. */
const TASTE: SourceWeights = { collaborative: 1, cart: 0, association_rules: 0.2, semantic: 0, popularity: 0.2 };
const ALTERNATIVES: SourceWeights = { semantic: 1, collaborative: 0.6, association_rules: 0, cart: 0, popularity: 0 };

/** Weight of the other sources beside one with a learned order: they only fill the end of the list. */
const FILLING = 1e-4;

/** How much each source counts in one list, and whether its scores or its ranks are weighed. */
export interface ListWeights {
  readonly weights: SourceWeights;
  readonly by: "score" | "place";
}

/** The weights that a frame sets; undefined when it names no sources. */
export function weightsOfFrame({ sources }: Pick<FrameConfiguration, "sources">): ListWeights | undefined {
  if (sources.length === 0) return undefined;
  const weigh = (name: FrameSource) => sources.find(({ source }) => source === name)?.weight ?? 0;
  return { weights: sourceWeights(weigh), by: "score" };
}

/**
 * The weights of a list where the frame names no sources. `recommended` uses weights learned from the newest visits and
 * orders of the app, where there are any; a customer's next order has a learned order instead. `alternative` has the same
 * weights for all apps, because no event tells which substitute a visitor wanted.
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
