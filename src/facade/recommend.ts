import type { CallOptions, Client } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RecommendationService } from "../gen/aisle/v1/recommendation_service_pb.js";
import { sendJson } from "./answers.js";
import { Refused, TEXT } from "./errors.js";
import { parseJson } from "./json-body.js";
import type { Origins } from "./origins.js";
import { recommendAnswer } from "./recommend-answer.js";
import { toRecommendRequest } from "./recommend-request.js";
import { signalsOf } from "./signals.js";

export interface RecommendDependencies {
  readonly recommendations: Pick<Client<typeof RecommendationService>, "recommend">;
  readonly origins: Origins;
  readonly callOptions: CallOptions | undefined;
}

/** POST /recommend: what this visitor should see next. The body is JSON, whatever its content type says. */
export function createRecommend({ recommendations, origins, callOptions }: RecommendDependencies) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const body = request.body;
    const asked = toRecommendRequest(parseJson(Buffer.isBuffer(body) ? body.toString("utf8") : ""));
    const { origin } = request.headers;
    if (origin !== undefined && !(await origins.allows(asked.appId, origin)))
      throw new Refused(403, TEXT.originNotAllowed);
    const signals = signalsOf(request.headers);
    if (signals !== undefined) asked.signals = signals;
    const response = await recommendations.recommend(asked, callOptions);
    sendJson(reply, 200, recommendAnswer(response));
  };
}
