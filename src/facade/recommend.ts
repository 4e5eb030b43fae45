import type { CallOptions, Client } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ProductCard } from "../gen/aisle/v1/product_card_pb.js";
import type {
  RecommendationService,
  RecommendRequest,
  RecommendResponse,
} from "../gen/aisle/v1/recommendation_service_pb.js";
import type { Origins } from "./cors.js";
import { Refused, TEXT } from "./errors.js";
import { parseJson } from "./json-body.js";
import { toRecommendPageRequest, toRecommendRequest, wantsCurrency } from "./recommend-request.js";
import { sendJson } from "./rest-server.js";
import { createCrawlerTest, signalsOf } from "./sender.js";

export interface RecommendDependencies {
  readonly recommendations: Pick<Client<typeof RecommendationService>, "recommend" | "recommendPage">;
  readonly origins: Origins;
  readonly callOptions: CallOptions | undefined;
}

/**
 * POST /recommend: the visitor's recommendations. POST /recommend_page: those of several frames of a page, which share no
 * product. The body is JSON, whatever its content type says.
 */
export function createRecommend({ recommendations, origins, callOptions }: RecommendDependencies) {
  const isCrawler = createCrawlerTest();
  const admit = async ({ headers }: FastifyRequest, asked: RecommendRequest): Promise<void> => {
    const { origin } = headers;
    if (origin !== undefined && !(await origins.allows(asked.appId, origin)))
      throw new Refused(403, TEXT.originNotAllowed);
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
      const answer = { ...contextOf(response, product), ...listsOf(response, product) };
      sendJson(reply, 200, JSON.stringify({ ...idOf(asked, response), ...answer }));
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
      sendJson(reply, 200, JSON.stringify({ ...contextOf(response.frames[0], product), frames }));
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
