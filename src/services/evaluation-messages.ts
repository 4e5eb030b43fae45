import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AlgorithmFacts } from "../domain/model.js";
import { type EvaluatedTaskSchema, type EvaluationSchema, RankingKind } from "../gen/aisle/v1/evaluation_pb.js";
import type { ModelAlgorithmSchema } from "../gen/aisle/v1/model_pb.js";
import type { EvaluatedTask, Evaluation, RankingKind as Kind } from "../learning/evaluation/report.js";
import { timestampOf } from "./common-messages.js";

const KINDS: Readonly<Record<Kind, RankingKind>> = {
  answer: RankingKind.ANSWER,
  source: RankingKind.SOURCE,
  baseline: RankingKind.BASELINE,
};

export function evaluationMessage(evaluation: Evaluation): MessageInitShape<typeof EvaluationSchema> {
  return {
    cutOffTime: timestampOf(evaluation.cutOff),
    seed: evaluation.seed,
    dataCounts: Object.fromEntries(Object.entries(evaluation.dataCounts).map(([name, count]) => [name, BigInt(count)])),
    tasks: evaluation.tasks.map(taskMessage),
    algorithms: evaluation.algorithms.map(algorithmMessage),
  };
}

export function algorithmMessage(algorithm: AlgorithmFacts): MessageInitShape<typeof ModelAlgorithmSchema> {
  return { ...algorithm, facts: { ...algorithm.facts } };
}

function taskMessage({
  rankings,
  name,
  queries,
  possible,
  reason,
}: EvaluatedTask): MessageInitShape<typeof EvaluatedTaskSchema> {
  return {
    name,
    queryCount: queries,
    possibleQueryCount: possible,
    reason,
    rankings: rankings.map(({ name, kind, figures, byHistory }) => ({
      name,
      kind: KINDS[kind],
      figures: { ...figures },
      histories: byHistory.map((part) => ({
        minLength: part.least,
        maxLength: part.most,
        queryCount: part.queries,
        figures: { ...part.figures },
      })),
    })),
  };
}
