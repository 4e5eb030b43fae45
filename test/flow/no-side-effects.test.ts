import type { DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../../src/gen/aisle/v1/catalog_service_pb.js";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import { HookService } from "../../src/gen/aisle/v1/hook_service_pb.js";
import { ModelService } from "../../src/gen/aisle/v1/model_service_pb.js";
import { PrivacyService } from "../../src/gen/aisle/v1/privacy_service_pb.js";
import { RecommendationService } from "../../src/gen/aisle/v1/recommendation_service_pb.js";
import { SubscriptionService } from "../../src/gen/aisle/v1/subscription_service_pb.js";
import { directoryBytes } from "../fixtures/directory-bytes.js";
import { appId, openFullShop, visitor } from "./full-shop.js";

const SERVICES: Record<string, DescService> = {
  apps: AppService,
  catalog: CatalogService,
  events: EventService,
  hooks: HookService,
  models: ModelService,
  privacy: PrivacyService,
  recommendations: RecommendationService,
  subscriptions: SubscriptionService,
};

/** Every method that the contract says has no side effects. */
const METHODS = Object.entries(SERVICES).flatMap(([client, { methods }]) =>
  methods
    .filter(({ idempotency }) => idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS)
    .map(({ localName }) => [client, localName] as const),
);

it("the store is the same to the byte after each call that has no side effects, and after previews", async () => {
  const shop = await openFullShop();
  const requests: Record<string, object> = {
    getFrameConfiguration: { frameId: "home" },
    listFrameVersions: { frameId: "home" },
    getFrameReport: { frameId: "home" },
    getProduct: { product: { case: "productId", value: "p1" } },
    batchGetProducts: { productIds: ["p1"] },
    getProductGroup: { groupId: "gifts" },
    getFeed: { feedId: "f" },
    getVisitor: { visitor },
    getEvent: { eventId: shop.eventId },
    getOrder: { orderId: "o1" },
    getContact: { contact: { case: "email", value: "ann@example.com" } },
    getLink: { token: shop.token },
    getStatus: { visitor },
    exportVisitor: { person: { visitor } },
    findProducts: { text: "p1" },
    recommendForContacts: { request: { appId, frameId: "home" }, contacts: ["ann@example.com"] },
    explainRecommendation: { request: { appId, visitor, frameId: "home" } },
  };
  const request = { appId, visitor, frameId: "home", preview: true };
  const calls = [
    ...METHODS.map(([client, method]) => [client, method, { appId, ...requests[method] }] as const),
    ["recommendations", "recommend", request],
    ["recommendations", "recommendPage", { request: { ...request, frameId: "" }, frameIds: ["home"] }],
    ["recommendations", "batchRecommend", { appId, requests: [request] }],
  ] as const;
  const clients: Record<string, object> = shop.rpc;
  const before = await directoryBytes(shop.directory);
  for (const [client, method, message] of calls) {
    const call: unknown = Reflect.get(clients[client] ?? {}, method);
    if (typeof call !== "function") throw new Error(`${client} has no ${method}`);
    await drained(call(message), ENDLESS.has(method));
    await shop.writeFrameCounts();
    expect(await directoryBytes(shop.directory), method).toBe(before);
  }
});

it("Recommend writes that ids belong to one visitor, and what a frame showed", async () => {
  const { rpc, directory, writeFrameCounts } = await openFullShop();
  const before = await directoryBytes(directory);
  await rpc.recommendations.recommend({ appId, visitor, frameId: "home" });
  await writeFrameCounts();
  expect(await directoryBytes(directory)).not.toBe(before);
});

/** Streams that end with their caller. */
const ENDLESS: ReadonlySet<string> = new Set(["watchEvents", "watchSubscriptions"]);

async function drained(answer: unknown, isEndless: boolean): Promise<void> {
  if (!isStream(answer)) {
    await answer;
    return;
  }
  for await (const _ of answer) if (isEndless) break;
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}
