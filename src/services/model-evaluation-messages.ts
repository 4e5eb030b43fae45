import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AlgorithmFacts } from "../domain/model.js";
import { EvaluatedPage, type ModelEvaluationSchema } from "../gen/aisle/v1/model_pb.js";

const PAGES: readonly (readonly [algorithm: string, EvaluatedPage])[] = [
  ["blend_browsing", EvaluatedPage.BROWSING],
  ["blend_browsing_with_cart", EvaluatedPage.BROWSING_WITH_CART],
  ["blend_cart", EvaluatedPage.CART],
];

/** What the training found when it judged the model; a model of an earlier release has none. */
export function modelEvaluations(
  algorithms: readonly AlgorithmFacts[],
): MessageInitShape<typeof ModelEvaluationSchema>[] {
  return PAGES.flatMap(([algorithm, page]) => {
    const facts = algorithms.find(({ name, included }) => included && name === algorithm)?.facts;
    const value = facts?.popularity_gain;
    if (facts === undefined || value === undefined) return [];
    const { popularity_gain_low: low = 0, popularity_gain_high: high = 0 } = facts;
    return {
      page,
      questionCount: facts.questions ?? 0,
      hitRate: facts.hit_rate_20 ?? 0,
      popularityHitRate: facts.popularity_hit_rate_20 ?? 0,
      gain: { value, low, high },
    };
  });
}
