import type { Metrics } from "../../adapters/metrics.js";
import type { ReportFailure } from "../../adapters/report-failure.js";
import { bareApp } from "../../domain/app.js";
import { DEFAULT_FRAME, DEFAULT_FRAME_ID, type FrameConfiguration } from "../../domain/frame.js";
import type { ShownList } from "../../domain/frame-exposure.js";
import { sourceQuery } from "../../recommend/gather/source-query.js";
import type { Catalog } from "../../recommend/products/catalog.js";
import { createRecommender } from "../../recommend/recommend.js";
import { BLANK_QUERY, type RecommendQuery } from "../../recommend/request/query.js";
import { visitorContext } from "../../recommend/request/visitor-context.js";
import type { ServingModel, Source, SourceQuery } from "../sources/source.js";
import type { Question } from "./questions.js";
import type { RankingKind } from "./report.js";

/** A question in the form of each kind of ranking. */
export interface Asked {
  readonly question: Question;
  readonly query: SourceQuery;
  /** Product indices of what the visitor did, oldest first. */
  readonly items: Uint32Array;
}

/** Ranks products. Calls must not overlap. */
export interface Ranking {
  readonly name: string;
  readonly kind: RankingKind;
  /** Up to `k` product indices, best first; the same for the same question. */
  answer(asked: Asked, k: number): ArrayLike<number>;
}

/** An evaluation counts no metrics. */
const NO_METRICS: Metrics = { count() {}, observe() {} };

/** Without one of its sources, an evaluation would measure another recommender. */
const failing: ReportFailure = (_, error) => {
  throw error;
};

export function ask(question: Question, model: ServingModel): Asked {
  const context = visitorContext(clientSteps(question), [], () => undefined, question.now);
  const current = question.current === undefined ? [] : [question.current];
  const items = question.steps.map(({ productId }) => model.indexOf(productId)).filter((index) => index !== undefined);
  return { question, query: sourceQuery(context, current, model, question.now), items: Uint32Array.from(items) };
}

/** A source alone, as it proposes for one of the lists. */
export function sourceRanking(source: Source, list: "recommended" | "alternative"): Ranking {
  return {
    name: source.name,
    kind: "source",
    answer: ({ query }, k) =>
      (list === "recommended" ? source.complements(query, k) : source.alternatives(query, k)).indices,
  };
}

export interface Lists {
  readonly recommended: readonly number[];
  readonly alternative: readonly number[];
}

/** The visitor's earlier interactions with the frame, and its uses. */
interface Before {
  readonly uses: readonly number[];
  readonly shownLists: readonly ShownList[];
}

const NOTHING: Before = { uses: [], shownLists: [] };

/** Answers of the service itself to a visitor it knows nothing else of. `frame`: what differs from the default one. */
export function createAnswers(model: ServingModel, catalog: Catalog) {
  const recommend = createRecommender({ metrics: NO_METRICS, reportFailure: failing });
  return (question: Question, frame: Partial<FrameConfiguration>, before: Before = NOTHING): Lists => {
    const answer = recommend(
      {
        query: {
          ...recommendQuery(question),
          frameInteractions: before.uses.map((at) => ({ frameId: DEFAULT_FRAME_ID, at })),
        },
        shownLists: before.shownLists,
        frame: { ...DEFAULT_FRAME, ...frame },
        known: [],
        catalog,
        model,
        version: "",
        filters: [],
        app: bareApp("", 0),
        now: question.now,
      },
      false,
    );
    const indices = (products: readonly { readonly productId: string }[]) =>
      products.map(({ productId }) => model.indexOf(productId)).filter((index) => index !== undefined);
    return { recommended: indices(answer.recommended), alternative: indices(answer.alternative) };
  };
}

/**
 * One list of the service's answers. `recommended` may hold viewed products: visitors come back to them, and the tasks about
 * new products remove them from all rankings alike. With `includeBought` it may hold bought products.
 */
export function answerRanking(
  answers: ReturnType<typeof createAnswers>,
  list: keyof Lists,
  includeBought = false,
): Ranking {
  return {
    name: list,
    kind: "answer",
    answer: ({ question }, k) =>
      list === "recommended"
        ? answers(question, { recommendedCount: k, alternativeCount: 0, includeViewed: true, includeBought })
            .recommended
        : answers(question, { recommendedCount: 0, alternativeCount: k }).alternative,
  };
}

function clientSteps({ steps }: Question) {
  return steps.map((step) => ({ ...step, sku: "" }));
}

function recommendQuery(question: Question): RecommendQuery {
  return {
    ...BLANK_QUERY,
    interactions: clientSteps(question),
    currentProductIds: question.current === undefined ? [] : [question.current],
  };
}
