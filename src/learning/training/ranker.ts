import type { AlgorithmFacts } from "../../domain/model.js";
import type { Judgement } from "../rank/judgement.js";
import { treeCount } from "../rank/trees/forest.js";
import { embeddingFor, type ForestOrigin, learnRanker, RANKER_BUDGET } from "../rank/visits/learn-ranker.js";
import type { Ranker } from "../rank/visits/ranker.js";
import { fitRankerSources } from "../rank/visits/ranker-sources.js";
import { shippedForest } from "../rank/visits/shipped-forest.js";
import type { SessionNeighbours } from "../sources/sessions/session-neighbours.js";
import type { Dataset } from "./dataset.js";

export interface FittedRanker {
  /** Undefined when there was too little to learn from, or session neighbours alone do as well. */
  readonly ranker: Ranker | undefined;
  /** False when its trees learned nothing from these visits. */
  readonly isLearned: boolean;
  /** With the judgement of the ranker beside that of session neighbours, on a part of the newest sessions. */
  readonly facts: AlgorithmFacts;
}

/** Smallest share of non-order interactions; below it, sessions do not predict the next view. */
const LEAST_VISITS = 0.1;

/** As the facts of a model hold it. */
const ORIGINS = { shipped: 1, own: 2, shipped_and_own: 3 } as const satisfies Record<ForestOrigin, number>;

/**
 * Learns the order of what sessions propose; `neighbours` are those of all sessions. The products of an order come in
 * no order of time: where there is hardly anything else, next steps are chance and nothing is learned. A shop with too few
 * steps is served by the shipped forest.
 */
export function fitRanker(data: Dataset, neighbours: SessionNeighbours, seed: number): FittedRanker {
  const met = data.meetings.productIndices.length;
  const visited = met - data.baskets.items.length;
  if (visited < LEAST_VISITS * met) {
    const reason = `${visited} of ${met} interactions are no orders, which have no steps to learn from`;
    return { ranker: undefined, isLearned: false, facts: { name: "ranker", included: false, reason, facts: {} } };
  }
  const visits = {
    sessions: data.sessions,
    runs: data.sessionRuns,
    endedAt: data.sessionEndedAt,
    previous: data.previousSession,
  };
  const { forest, origin, reason, judged, questions } = learnRanker(
    visits,
    neighbours.productCount,
    neighbours.params,
    seed,
    RANKER_BUDGET,
    shippedForest(),
  );
  const numbers = (prefix: string, { hitRate, reciprocalRank }: Judgement) => ({
    [`${prefix}hit_rate_20`]: hitRate,
    [`${prefix}reciprocal_rank_20`]: reciprocalRank,
  });
  return {
    ranker: forest && { forest, sources: fitRankerSources(visits, neighbours, seed, embeddingFor(questions)) },
    isLearned: forest !== undefined && origin !== "shipped",
    facts: {
      name: "ranker",
      included: forest !== undefined,
      reason,
      facts: {
        steps: questions,
        ...(forest && { trees: treeCount(forest), forest: ORIGINS[origin] }),
        ...(judged && { ...numbers("", judged.ranker), ...numbers("neighbours_", judged.neighbours) }),
      },
    },
  };
}
