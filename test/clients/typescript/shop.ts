// A shop's server in TypeScript: creates an app, records orders, trains, asks for recommendations, meets two errors.
import { readFileSync } from "node:fs";
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { AppService } from "./gen/aisle/v1/app_service_pb.js";
import { EventService } from "./gen/aisle/v1/event_service_pb.js";
import { ModelService } from "./gen/aisle/v1/model_service_pb.js";
import { RecommendationService } from "./gen/aisle/v1/recommendation_service_pb.js";
import { BadRequestSchema, ErrorInfoSchema } from "./gen/google/rpc/error_details_pb.js";

const { AISLE_SERVER = "http://127.0.0.1:8081", AISLE_TOKEN, AISLE_CA } = process.env;

const withToken: Interceptor = (next) => (request) => {
  if (AISLE_TOKEN) request.header.set("authorization", `Bearer ${AISLE_TOKEN}`);
  return next(request);
};
const transport = createGrpcTransport({
  baseUrl: AISLE_SERVER,
  interceptors: [withToken],
  ...(AISLE_CA ? { nodeOptions: { ca: readFileSync(AISLE_CA) } } : {}),
});
const apps = createClient(AppService, transport);
const events = createClient(EventService, transport);
const models = createClient(ModelService, transport);
const recommendations = createClient(RecommendationService, transport);

const { app } = await apps.createApp({ app: { displayName: "Tea shop" } });
const appId = app?.appId ?? "";
console.log(`app: ${appId}`);

// A stream of batches: of two kinds of customers, one buys a pot with its tea, the other a brush with its paint.
async function* batches() {
  for (const pair of [
    ["tea", "pot"],
    ["paint", "brush"],
  ]) {
    const orders = Array.from({ length: 20 }, (_, i) => ({
      actionType: "order",
      visitor: { clientId: `${pair[0]}-${i}` },
      order: { orderId: `${pair[0]}-${i}` },
      products: pair.map((productId) => ({ productId })),
    }));
    yield { appId, events: orders, idempotencyKeys: orders.map(({ order }) => order.orderId) };
  }
}
const { accepted } = await events.recordEvents(batches());
console.log(`recorded: ${accepted}`);

// A stream of answers: each stage of the training as it begins, the model at last.
for await (const { model } of models.trainModel({ appId })) if (model) console.log("trained: yes");

const answer = await recommendations.recommend({ appId, currentProductIds: ["tea"], recommendedCount: 1 });
console.log(`with tea: ${answer.recommended.map(({ productId }) => productId).join(", ")}`);

/** Prints the code of what the call is refused with, and its typed details. */
async function refused(call: Promise<unknown>) {
  try {
    await call;
  } catch (cause) {
    const error = ConnectError.from(cause);
    const reasons = error.findDetails(ErrorInfoSchema).map(({ reason }) => reason);
    const fields = error.findDetails(BadRequestSchema).flatMap(({ fieldViolations }) => fieldViolations);
    console.log(`refused: ${Code[error.code]}`, ...reasons, ...fields.map(({ field, reason }) => `${field} ${reason}`));
  }
}
await refused(recommendations.recommend({ appId: "nobody" }));
await refused(events.recordEvent({ appId, event: {} }));
