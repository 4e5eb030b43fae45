/** Calls of the demo shop that `bench/grpc.ts` makes. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { create, type DescMethodUnary, type MessageInitShape, toBinary, toJsonString } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import { RecommendationService } from "../../src/gen/aisle/v1/recommendation_service_pb.js";
import { SubscriptionService } from "../../src/gen/aisle/v1/subscription_service_pb.js";
import { DEMO_APP_ID as appId } from "../../src/server/demo/catalogue.js";

const VISITORS = 500;
const PRODUCTS = ["lark-1", "lark-2", "fell-house-4"];
const MODEL_WITHIN_MS = 120_000;

export interface MeasuredCall {
  readonly method: DescMethodUnary;
  /** Path of a file with a JSON array of requests, sent in turn. */
  readonly data: string;
  /** The encoded answer to the first request. */
  readonly answer: Uint8Array;
}

/** Writes requests into `directory` and asks the server at `url` each first one, once its demo shop has a model. */
export async function demoCalls(url: string, directory: string): Promise<readonly MeasuredCall[]> {
  const transport = createGrpcTransport({ baseUrl: url });
  const events = createClient(EventService, transport);
  const subscriptions = createClient(SubscriptionService, transport);
  const recommendations = createClient(RecommendationService, transport);
  const visitor = (n: number) => ({ fingerprintId: `grpc-bench-${n % VISITORS}` });
  const product = (n: number) => PRODUCTS[n % PRODUCTS.length] ?? "";
  const viewOf = (n: number) => ({
    appId,
    event: { actionType: "product_view", visitor: visitor(n), products: [{ productId: product(n) }] },
  });
  const statusOf = (n: number) => ({ appId, visitor: visitor(n) });
  const pageOf = (n: number) => ({ appId, visitor: visitor(n + VISITORS), currentProductIds: [product(n)] });
  const deadline = performance.now() + MODEL_WITHIN_MS;
  while ((await recommendations.recommend(pageOf(0)).catch(() => undefined))?.modelId === "")
    if (performance.now() > deadline) throw new Error("the demo shop got no model");
  const { recordEvent } = EventService.method;
  const { getStatus } = SubscriptionService.method;
  const { recommend } = RecommendationService.method;
  return Promise.all([
    measured(recordEvent, viewOf, toBinary(recordEvent.output, await events.recordEvent(viewOf(0)))),
    measured(getStatus, statusOf, toBinary(getStatus.output, await subscriptions.getStatus(statusOf(0)))),
    measured(recommend, pageOf, toBinary(recommend.output, await recommendations.recommend(pageOf(0)))),
  ]);

  async function measured<M extends DescMethodUnary>(
    method: M,
    request: (n: number) => MessageInitShape<M["input"]>,
    answer: Uint8Array,
  ): Promise<MeasuredCall> {
    const texts = Array.from({ length: VISITORS }, (_, n) =>
      toJsonString(method.input, create(method.input, request(n))),
    );
    const data = join(directory, `${method.name}.json`);
    await writeFile(data, `[${texts.join(",")}]`);
    return { method, data, answer };
  }
}
