import type { CallOptions, Client } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ProductCard } from "../gen/aisle/v1/product_card_pb.js";
import type { RecommendationService, RecommendResponse } from "../gen/aisle/v1/recommendation_service_pb.js";
import type { Origins } from "./cors.js";
import { Refused, TEXT } from "./errors.js";
import { parseJson } from "./json-body.js";
import { toRecommendRequest } from "./recommend-request.js";
import { sendJson } from "./rest-server.js";
import { createCrawlerTest, signalsOf } from "./sender.js";

export interface RecommendDependencies {
  readonly recommendations: Pick<Client<typeof RecommendationService>, "recommend">;
  readonly origins: Origins;
  readonly callOptions: CallOptions | undefined;
}

/** POST /recommend: the visitor's recommendations. The body is JSON, whatever its content type says. */
export function createRecommend({ recommendations, origins, callOptions }: RecommendDependencies) {
  const isCrawler = createCrawlerTest();
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const body = request.body;
    const asked = toRecommendRequest(parseJson(Buffer.isBuffer(body) ? body.toString("utf8") : ""));
    const { origin } = request.headers;
    if (origin !== undefined && !(await origins.allows(asked.appId, origin)))
      throw new Refused(403, TEXT.originNotAllowed);
    const signals = signalsOf(request.headers);
    if (signals !== undefined) asked.signals = signals;
    asked.bot = isCrawler(request.headers["user-agent"] ?? "");
    const response = await recommendations.recommend(asked, callOptions);
    sendJson(reply, 200, recommendAnswer(response, asked.trackClicks));
  };
}

/** The JSON of an answer: exactly these four names, a fifth on request, and six texts for each product. */
function recommendAnswer(response: RecommendResponse, hasId: boolean): string {
  const { version, trackerProduct, recommended, alternative, requestId } = response;
  return JSON.stringify({
    ...(hasId && { recommendationId: requestId }),
    version,
    trackerProduct: trackerProduct === undefined ? null : product(trackerProduct),
    recommended: recommended.map(product),
    alternative: alternative.map(product),
  });
}

function product({ productId, title, imageUrl, url, price, categoryId }: ProductCard) {
  return { productId, title, imageUrl, url, price: price?.amount ?? "", categoryId };
}
