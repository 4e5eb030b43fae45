import { treeCount } from "../algorithms/gradient-boosting/forest.js";
import { type Judgement, learnRanker } from "../algorithms/reranker/learn-ranker.js";
import type { Ranker } from "../algorithms/reranker/ranker.js";
import { fitRankerSources } from "../algorithms/reranker/ranker-sources.js";
import type { SessionNeighbours } from "../algorithms/session-neighbours.js";
import type { AlgorithmFacts } from "../domain/model.js";
import type { Dataset } from "./dataset.js";

export interface FittedRanker {
  /** Undefined when there was too little to learn from, or session neighbours alone do as well. */
  readonly ranker: Ranker | undefined;
  /** With the judgement of the ranker beside that of session neighbours, on a part of the newest sessions. */
  readonly facts: AlgorithmFacts;
}

/** Learns the order of what sessions propose; `neighbours` are those of all sessions. */
export function fitRanker(data: Dataset, neighbours: SessionNeighbours, seed: number): FittedRanker {
  const visits = {
    sessions: data.sessions,
    runs: data.sessionRuns,
    endedAt: data.sessionEndedAt,
    previous: data.previousSession,
  };
  const { forest, reason, judged, questions } = learnRanker(visits, neighbours.productCount, neighbours.params, seed);
  const numbers = (prefix: string, { hitRate, reciprocalRank }: Judgement) => ({
    [`${prefix}hit_rate_20`]: hitRate,
    [`${prefix}reciprocal_rank_20`]: reciprocalRank,
  });
  return {
    ranker: forest && { forest, sources: fitRankerSources(visits, neighbours, seed) },
    facts: {
      name: "ranker",
      included: forest !== undefined,
      reason,
      facts: {
        steps: questions,
        ...(forest && { trees: treeCount(forest) }),
        ...(judged && { ...numbers("", judged.ranker), ...numbers("neighbours_", judged.neighbours) }),
      },
    },
  };
}
