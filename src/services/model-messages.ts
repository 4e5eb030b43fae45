import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AlgorithmFacts, TrainingReason as StoredReason } from "../domain/model.js";
import {
  Algorithm,
  type ModelAlgorithmSchema,
  type ModelDataCountsSchema,
  type PredictionQualitySchema,
  TrainingReason,
} from "../gen/aisle/v1/model_pb.js";
import { RecommendationSource } from "../gen/aisle/v1/recommendation_reason_pb.js";
import { enumWords } from "./enum-words.js";

const ALGORITHMS = enumWords<Algorithm>(Algorithm);

const BLENDED_SOURCES = [
  ["collaborative", RecommendationSource.COLLABORATIVE],
  ["cart", RecommendationSource.CART],
  ["association_rules", RecommendationSource.ASSOCIATION_RULES],
  ["semantic", RecommendationSource.SEMANTIC],
  ["popularity", RecommendationSource.POPULARITY],
] as const;

const TRAINING_REASONS = enumWords<TrainingReason>(TrainingReason);

type Facts = AlgorithmFacts["facts"];

export function trainingReasonOf(reason: StoredReason): TrainingReason {
  return TRAINING_REASONS.get(reason) ?? TrainingReason.UNSPECIFIED;
}

export function dataCountsMessage(counts: Facts): MessageInitShape<typeof ModelDataCountsSchema> {
  return {
    products: whole(counts.products),
    visitors: whole(counts.visitors),
    sessions: whole(counts.sessions),
    orders: whole(counts.orders),
    interactions: whole(counts.interactions),
    events: whole(counts.events),
  };
}

export function algorithmMessage(algorithm: AlgorithmFacts): MessageInitShape<typeof ModelAlgorithmSchema> {
  return {
    algorithm: ALGORITHMS.get(algorithm.name) ?? Algorithm.UNSPECIFIED,
    included: algorithm.included,
    reason: algorithm.reason,
    facts: Object.keys(algorithm.facts).length === 0 ? { case: undefined } : factsMessage(algorithm),
  };
}

/** The stored figures of an algorithm, by names of its own, as its message. */
function factsMessage({
  name,
  facts,
}: AlgorithmFacts): NonNullable<MessageInitShape<typeof ModelAlgorithmSchema>["facts"]> {
  const { dimensions = 0, trees = 0 } = facts;
  switch (name) {
    case "association_rules":
      return { case: "associationRules", value: { rules: whole(facts.rules) } };
    case "cart_complements":
      return { case: "cartComplements", value: { baskets: whole(facts.baskets) } };
    case "cart_ranking":
      return {
        case: "cartRanking",
        value: { cart: cartOrder(facts, "cart_"), customer: cartOrder(facts, "customer_") },
      };
    case "session_neighbours":
      return { case: "sessionNeighbours", value: { sessions: whole(facts.sessions), judged: quality(facts) } };
    case "ranker": {
      const judged = { judged: quality(facts), sessionNeighbours: quality(facts, "neighbours_") };
      return { case: "ranker", value: { steps: whole(facts.steps), trees, forest: facts.forest ?? 0, ...judged } };
    }
    case "semantic": {
      const { index_recall_10: indexRecall = 0, index_search_width: indexSearchWidth = 0 } = facts;
      return {
        case: "semantic",
        value: { products: whole(facts.products), dimensions, indexRecall, indexSearchWidth },
      };
    }
    case "text_embedder":
      return {
        case: "textEmbedder",
        value: { texts: whole(facts.texts), missingTexts: whole(facts.texts_missing), dimensions },
      };
    case "popularity":
      return { case: "popularity", value: { interactions: whole(facts.interactions) } };
    default:
      return { case: "blend", value: blendMessage(facts) };
  }
}

function blendMessage(facts: Facts) {
  return {
    questions: whole(facts.questions),
    judged: quality(facts),
    sources: BLENDED_SOURCES.filter(([name]) => `${name}_hit_rate_20` in facts).map(([name, source]) => ({
      source,
      judged: quality(facts, `${name}_`),
      weightOne: facts[`weight_one_${name}`] ?? 0,
      weightFew: facts[`weight_few_${name}`] ?? 0,
      weightMany: facts[`weight_many_${name}`] ?? 0,
    })),
  };
}

function cartOrder(facts: Facts, prefix: string) {
  return {
    questions: whole(facts[`${prefix}questions`]),
    trees: facts[`${prefix}trees`] ?? 0,
    judged: quality(facts, prefix),
    bestSource: quality(facts, `${prefix}best_source_`),
  };
}

/** Undefined when it was not judged. */
function quality(facts: Facts, prefix = ""): MessageInitShape<typeof PredictionQualitySchema> | undefined {
  const hitRate = facts[`${prefix}hit_rate_20`];
  return hitRate === undefined ? undefined : { hitRate, reciprocalRank: facts[`${prefix}reciprocal_rank_20`] ?? 0 };
}

function whole(count = 0): bigint {
  return BigInt(Math.round(count));
}
