import type { FastifyReply, FastifyRequest } from "fastify";
import type { ProductCard } from "../gen/aisle/v1/product_card_pb.js";
import type { RecommendRequest, RecommendResponse } from "../gen/aisle/v1/recommendation_service_pb.js";
import { parseJson } from "./json-body.js";
import type { OperationParts } from "./operations.js";
import { toRecommendPageRequest, toRecommendRequest, wantsCurrency } from "./recommend-request.js";
import { signalsOf } from "./sender.js";

/**
 * POST /recommend: the visitor's recommendations. POST /recommend_page: those of several frames of a page, which share no
 * product. The body is JSON, whatever its content type says.
 */
export function createRecommend({ recommendations, origins, isCrawler, callOptions }: OperationParts) {
  const admit = async ({ headers }: FastifyRequest, asked: RecommendRequest): Promise<void> => {
    await origins.check(asked.appId, headers.origin);
    const signals = signalsOf(headers);
    if (signals !== undefined) asked.signals = signals;
    asked.bot = isCrawler(headers["user-agent"] ?? "");
  };
  return {
    one: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const body = bodyOf(request);
      const asked = toRecommendRequest(body);
      await admit(request, asked);
      const response = await recommendations.recommend(asked, callOptions);
      const product = productOf(body);
      reply.send({ ...idOf(asked, response), ...contextOf(response, product), ...listsOf(response, product) });
    },
    page: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const body = bodyOf(request);
      const asked = toRecommendPageRequest(body);
      await admit(request, asked.request);
      const response = await recommendations.recommendPage(asked, callOptions);
      const product = productOf(body);
      const frames = response.frames.map((frame) => ({
        frameId: frame.frameId,
        ...idOf(asked.request, frame),
        ...listsOf(frame, product),
      }));
      reply.send({ ...contextOf(response.frames[0], product), frames });
    },
  };
}

function bodyOf({ body }: FastifyRequest): unknown {
  return parseJson(Buffer.isBuffer(body) ? body.toString("utf8") : "");
}

/** The documented answer has no id: only a request that asks for it gets one. */
function idOf({ trackClicks }: RecommendRequest, { requestId }: RecommendResponse) {
  return trackClicks && { recommendationId: requestId };
}

type ToProduct = typeof sixTexts;

function contextOf(response: RecommendResponse | undefined, toProduct: ToProduct) {
  const card = response?.currentProduct;
  return { version: response?.version ?? "", trackerProduct: card === undefined ? null : toProduct(card) };
}

function listsOf({ recommended, alternative }: RecommendResponse, toProduct: ToProduct) {
  return { recommended: recommended.map(toProduct), alternative: alternative.map(toProduct) };
}

function productOf(body: unknown): ToProduct {
  return wantsCurrency(body) ? withCurrency : sixTexts;
}

/** Exactly six texts. */
function sixTexts({ productId, title, imageUrl, url, price, categoryId }: ProductCard) {
  return { productId, title, imageUrl, url, price: price?.amount ?? "", categoryId };
}

function withCurrency(card: ProductCard) {
  return { ...sixTexts(card), currency: card.price?.currency ?? "" };
}
