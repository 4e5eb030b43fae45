import { type MessageInitShape, ScalarType } from "@bufbuild/protobuf";
import type { ContextValues, ServiceImpl } from "@connectrpc/connect";
import { check, checkAll, InvalidArgument } from "../domain/errors.js";
import type { ReadyListKind } from "../domain/frame.js";
import type { InteractionType } from "../domain/interaction.js";
import type { Product } from "../domain/product.js";
import { InteractionType as InteractionTypeMessage, type ProductInteraction } from "../gen/aisle/v1/interaction_pb.js";
import type { ProductCardSchema } from "../gen/aisle/v1/product_card_pb.js";
import {
  type ProductReasonSchema,
  ReasonCountsSchema,
  RecommendationSource,
} from "../gen/aisle/v1/recommendation_reason_pb.js";
import type {
  BatchRecommendResultSchema,
  RecommendationService,
  RecommendRequest,
  RecommendResponseSchema,
} from "../gen/aisle/v1/recommendation_service_pb.js";
import type { SourceName } from "../learning/sources/source.js";
import type { AnswerUse, AnswerVisitor, IdentifiedAnswer } from "../recommend/answer-visitor.js";
import type { FindProducts } from "../recommend/find-products.js";
import type { ClientInteraction, Reason, RecommendQuery, SourceShare } from "../recommend/request/query.js";
import { CALLER } from "./access/authorization.js";
import type { Scope } from "./access/method-scopes.js";
import { moneyMessage, msOf, signalsOf, visitorIdsOf } from "./common-messages.js";
import { type ContactRecommendationDependencies, recommendForContacts } from "./contact-recommendations.js";
import { guarded, guardedStream, type ReportInternal, reported, statusOf } from "./errors/errors.js";
import { filterOf } from "./filter-messages.js";
import { readFrame } from "./frame-messages.js";
import { boostMessage } from "./frame-rule-messages.js";
import { inNamesOfCaller } from "./json/json-names.js";
import { requireApp } from "./require-app.js";

const TYPES: Readonly<Partial<Record<InteractionTypeMessage, InteractionType>>> = {
  [InteractionTypeMessage.PRODUCT_VIEW]: "product_view",
  [InteractionTypeMessage.ADD_TO_CART]: "add_to_cart",
  [InteractionTypeMessage.ORDER]: "order",
};

const SOURCES: Readonly<Record<SourceName | ReadyListKind, RecommendationSource>> = {
  association_rules: RecommendationSource.ASSOCIATION_RULES,
  semantic: RecommendationSource.SEMANTIC,
  collaborative: RecommendationSource.COLLABORATIVE,
  cart: RecommendationSource.CART,
  popularity: RecommendationSource.POPULARITY,
  recently_viewed: RecommendationSource.RECENTLY_VIEWED,
  buy_again: RecommendationSource.BUY_AGAIN,
  new_arrivals: RecommendationSource.NEW_ARRIVALS,
  trending: RecommendationSource.TRENDING,
  bestsellers: RecommendationSource.BESTSELLERS,
};

/** Scopes of tokens whose recommendations are shown to visitors. */
const WRITERS: readonly Scope[] = ["storefront", "write", "admin"];

const MAX_BATCH_REQUESTS = 100;

/** Characters of a text to find products by, and products found. */
const MAX_TEXT = 1000;
const MAX_FOUND = 100;
const DEFAULT_FOUND = 20;

/** Maximum frame interactions, newest first. */
const MAX_FRAME_INTERACTIONS = 1000;

export interface RecommendationServiceDependencies extends ContactRecommendationDependencies {
  readonly answer: AnswerVisitor;
  readonly findProducts: FindProducts;
  readonly report: ReportInternal;
}

export function createRecommendationService(
  deps: RecommendationServiceDependencies,
): ServiceImpl<typeof RecommendationService> {
  const { report } = deps;
  const answerOf = async (request: RecommendRequest, use: AnswerUse) =>
    responseMessage(await deps.answer.one(queryOf(request), use));
  return {
    recommend: guarded(report, async (request, { values }) => answerOf(request, useOf(request, values))),

    batchRecommend: guarded(report, async ({ appId, requests }, { values }) => {
      checkAll(
        check(appId !== "", "app_id", "missing"),
        check(requests.length > 0, "requests", "missing"),
        check(requests.length <= MAX_BATCH_REQUESTS, "requests", "invalid", `at most ${MAX_BATCH_REQUESTS}`),
        ...requests.map((request, i) =>
          check(["", appId].includes(request.appId), `requests[${i}].app_id`, "invalid", "none, or that of the batch"),
        ),
      );
      await requireApp(deps.apps, appId);
      const results: MessageInitShape<typeof BatchRecommendResultSchema>[] = [];
      for (const request of requests) {
        try {
          const response = await answerOf({ ...request, appId }, useOf(request, values));
          results.push({ result: { case: "response", value: response } });
        } catch (error) {
          const named = inNamesOfCaller(reported(report, error), values);
          results.push({ result: { case: "error", value: statusOf(named) } });
        }
      }
      return { results };
    }),

    recommendForContacts: guardedStream(report, (request, { values }) =>
      recommendForContacts(deps, request, values, async (one, contactId) =>
        responseMessage(await deps.answer.one({ ...queryOf(one), contactId }, "preview")),
      ),
    ),

    findProducts: guarded(report, async ({ appId, text, productCount, includeUnavailable }) => {
      checkAll(
        check(appId !== "", "app_id", "missing"),
        check(text.trim() !== "", "text", "missing"),
        check(text.length <= MAX_TEXT, "text", "invalid", `at most ${MAX_TEXT} characters`),
        check(productCount >= 0 && productCount <= MAX_FOUND, "product_count", "invalid", `0 to ${MAX_FOUND}`),
      );
      await requireApp(deps.apps, appId);
      const count = productCount === 0 ? DEFAULT_FOUND : productCount;
      const { found, modelId } = await deps.findProducts({ appId, text, count, includeUnavailable });
      const products = found.map(({ product, similarity }) => ({ product: cardMessage(product), similarity }));
      return { products, modelId };
    }),

    explainRecommendation: guarded(report, async ({ request, frameConfiguration }) => {
      if (request === undefined) throw new InvalidArgument("request", "missing");
      const frame = frameConfiguration && { ...readFrame(frameConfiguration, 0), version: 0, experimentAt: 0 };
      const answer = await deps.answer.explain(queryOf(request), frame);
      return {
        response: responseMessage(answer),
        recommendedReasons: answer.recommendedReasons.map(reasonMessage),
        alternativeReasons: answer.alternativeReasons.map(reasonMessage),
      };
    }),
    recommendPage: guarded(report, async ({ request, frameIds }, { values }) => {
      if (request === undefined) throw new InvalidArgument("request", "missing");
      if (request.frameId !== "")
        throw new InvalidArgument("request.frame_id", "invalid", "none: frame_ids names the frames");
      const answers = await deps.answer.page(queryOf(request), frameIds, useOf(request, values));
      return { frames: answers.map((answer) => responseMessage(answer)) };
    }),
  };
}

/** Crawlers, and tokens that may change nothing, get previews. */
function useOf({ preview, bot }: RecommendRequest, values: ContextValues): AnswerUse {
  const { token } = values.get(CALLER);
  const mayWrite = token === undefined || WRITERS.some((scope) => token.scopes.has(scope));
  return preview || bot || !mayWrite ? "preview" : "show";
}

function queryOf(request: RecommendRequest): RecommendQuery {
  return {
    appId: request.appId,
    visitor: visitorIdsOf(request.visitor),
    signals: signalsOf(request.signals),
    interactions: interactionsOf(request.interactions),
    frameInteractions: request.frameInteractions
      .slice(-MAX_FRAME_INTERACTIONS)
      .map((use) => ({ frameId: use.frameId, at: msOf(use.interactionTime) ?? 0 })),
    currentProductIds: request.currentProductIds,
    currentSkus: request.currentSkus,
    currentCategoryIds: request.currentCategoryIds,
    frameId: request.frameId,
    filter: filterOf(request.filter),
    sentLists: request.sentLists && { ...request.sentLists, anyGroup: request.sentLists.anyGroupIds },
    clientVersion: request.clientVersion,
    recommendedCount: request.recommendedCount ?? null,
    alternativeCount: request.alternativeCount ?? null,
    contactId: "",
    tracksClicks: request.trackClicks,
  };
}

/** Throws one InvalidArgument with the violations of all interactions. */
function interactionsOf(interactions: readonly ProductInteraction[]): ClientInteraction[] {
  try {
    return interactions.map(interactionOf);
  } catch (error) {
    checkAll(...interactions.map((interaction, i) => () => void interactionOf(interaction, i)));
    throw error;
  }
}

function interactionOf(interaction: ProductInteraction, index: number): ClientInteraction {
  const type = TYPES[interaction.type];
  if (type === undefined)
    throw new InvalidArgument(`interactions[${index}].type`, "invalid", "PRODUCT_VIEW, ADD_TO_CART or ORDER");
  const at = msOf(interaction.interactionTime);
  if (at === null) throw new InvalidArgument(`interactions[${index}].interaction_time`, "missing");
  return { type, productId: interaction.productId, sku: interaction.sku, at };
}

function responseMessage(answer: IdentifiedAnswer): MessageInitShape<typeof RecommendResponseSchema> {
  return {
    version: answer.version,
    currentProduct: answer.trackerProduct === null ? undefined : trackerMessage(answer.trackerProduct),
    recommended: answer.recommended.map(cardMessage),
    alternative: answer.alternative.map(cardMessage),
    requestId: answer.requestId,
    frameId: answer.frameId,
    variant: answer.variant,
    modelId: answer.modelId,
    missingIds: [...answer.missingIds],
    explored: answer.explored.map((product) => ({ ...product })),
  };
}

function cardMessage(product: Product): MessageInitShape<typeof ProductCardSchema> {
  return {
    productId: product.productId,
    title: product.title,
    imageUrl: product.imageUrl,
    url: product.url,
    price: moneyMessage(product.price),
    categoryId: product.categories.at(-1)?.categoryId ?? "",
  };
}

function trackerMessage({
  productId,
  known,
}: NonNullable<IdentifiedAnswer["trackerProduct"]>): MessageInitShape<typeof ProductCardSchema> {
  return known === undefined ? { productId } : cardMessage(known);
}

function reasonMessage(reason: Reason): MessageInitShape<typeof ProductReasonSchema> {
  return {
    productId: reason.productId,
    score: reason.score,
    pinned: reason.isPinned,
    boosts: reason.boosts.map(boostMessage),
    explorationProbability: reason.exploration,
    sources: reason.shares.map((share) => ({
      source: SOURCES[share.source],
      score: share.score,
      rank: share.rank,
      causeProductIds: [...share.becauseOf],
      counts: countsMessage(share.counts),
    })),
  };
}

/** Counts have the names of the fields; whole ones may come from sums of floats. */
function countsMessage(counts: SourceShare["counts"]): MessageInitShape<typeof ReasonCountsSchema> {
  return Object.fromEntries(
    ReasonCountsSchema.fields.flatMap(({ name, localName, scalar }) => {
      const value = counts[name];
      if (value === undefined) return [];
      return [[localName, scalar === ScalarType.INT32 ? Math.round(value) : value]];
    }),
  );
}
