/** The figures of a quality run in the form of `aisle evaluate`, so that the same picture is drawn of them. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { evaluationPicture } from "../src/cli/evaluation-chart.js";
import { EvaluationSchema, EvaluationTask, Ranking, RankingKind } from "../src/gen/aisle/v1/evaluation_pb.js";
import { HISTORY_PARTS } from "../src/learning/evaluation/figures.js";
import { enumWords } from "../src/services/enum-words.js";

/** A question's outcome: place of the answer from 0, -1 for none, and how many steps were known. */
export interface Outcome {
  readonly place: number;
  readonly length: number;
}

export interface QualityRun {
  readonly title: string;
  readonly counts: { readonly products: number; readonly learned: number; readonly judged: number };
  /** By task of `aisle evaluate` and by row; the last row is the service's own answer. */
  readonly tasks: Readonly<Record<string, readonly (readonly [string, readonly Outcome[]])[]>>;
}

const TASKS = enumWords<EvaluationTask>(EvaluationTask);
const RANKINGS = enumWords<Ranking>(Ranking);
const DEPTH = 20;

export function qualityPicture({ title, counts, tasks }: QualityRun): string {
  const evaluation: MessageInitShape<typeof EvaluationSchema> = {
    dataCounts: {
      products: BigInt(counts.products),
      learnedVisits: BigInt(counts.learned),
      judgedVisits: BigInt(counts.judged),
    },
    tasks: Object.entries(tasks).map(([name, rows]) => ({
      task: TASKS.get(name) ?? EvaluationTask.UNSPECIFIED,
      queryCount: rows[0]?.[1].length ?? 0,
      possibleQueryCount: rows[0]?.[1].length ?? 0,
      rankings: rows.map(([row, outcomes], i) => ({
        ranking: RANKINGS.get(row) ?? Ranking.UNSPECIFIED,
        kind: i === rows.length - 1 ? RankingKind.ANSWER : RankingKind.BASELINE,
        figures: figuresOf(outcomes),
        histories: HISTORY_PARTS.map((part, p) => {
          const most = HISTORY_PARTS[p + 1]?.least ?? Number.POSITIVE_INFINITY;
          const inPart = outcomes.filter(({ length }) => length >= part.least && length < most);
          return {
            minLength: part.least,
            maxLength: part.most,
            queryCount: inPart.length,
            figures: figuresOf(inPart),
          };
        }).filter(({ queryCount }) => queryCount > 0),
      })),
    })),
  };
  return evaluationPicture(create(EvaluationSchema, evaluation), title);
}

function figuresOf(outcomes: readonly Outcome[]) {
  const hits = outcomes.filter(({ place }) => place >= 0 && place < DEPTH);
  const asked = Math.max(1, outcomes.length);
  return {
    hitRate: hits.length / asked,
    reciprocalRank: hits.reduce((sum, { place }) => sum + 1 / (place + 1), 0) / asked,
  };
}
