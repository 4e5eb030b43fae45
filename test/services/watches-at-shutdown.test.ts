import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, it, onTestFinished } from "vitest";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import { ModelService } from "../../src/gen/aisle/v1/model_service_pb.js";
import { OperationState } from "../../src/gen/aisle/v1/operation_pb.js";
import { OperationService } from "../../src/gen/aisle/v1/operation_service_pb.js";
import { SubscriptionService } from "../../src/gen/aisle/v1/subscription_service_pb.js";
import { wireAisle } from "../fixtures/aisle.js";
import { emptyStore } from "../fixtures/store.js";
import { createGate, openListener } from "./wire/rpc-fixture.js";

const appId = "shop";

/** A server with an app whose training goes on until the test ends. */
async function openShop() {
  const stop = createGate();
  onTestFinished(() => stop.open());
  const { routes } = wireAisle(await emptyStore(Date.now), {
    runTraining: async (_, onProgress) => {
      onProgress({ stage: "read", progress: 0.1 });
      await stop.opened;
      throw new Error("the test has ended");
    },
  });
  const listener = await openListener({ routes });
  const transport = createGrpcTransport({ baseUrl: listener.url });
  await createClient(AppService, transport).createApp({ app: { appId } });
  const event = { actionType: "product_view", products: [{ productId: "p1" }] };
  await createClient(EventService, transport).recordEvent({ appId, event });
  const { operation } = await createClient(ModelService, transport).trainModel({ appId });
  return { listener, transport, operationId: operation?.operationId ?? "" };
}

it("WatchEvents, WatchSubscriptions and WatchOperation end with UNAVAILABLE when the server begins to stop", async () => {
  const { listener, transport, operationId } = await openShop();
  const streams: AsyncIterable<unknown>[] = [
    createClient(EventService, transport).watchEvents({ appId }),
    createClient(SubscriptionService, transport).watchSubscriptions({ appId }),
    createClient(OperationService, transport).watchOperation({ appId, operationId }),
  ];
  const watches = streams.map((stream) => stream[Symbol.asyncIterator]());
  for (const watch of watches) expect(await watch.next()).toMatchObject({ done: false });
  const ends = watches.map((watch) => expect(watch.next()).rejects.toMatchObject({ code: Code.Unavailable }));
  await listener.close(60_000);
  await Promise.all(ends);
});

it("WaitOperation answers the operation as it is when the server begins to stop", async () => {
  const { listener, transport, operationId } = await openShop();
  const operations = createClient(OperationService, transport);
  const waited = operations.waitOperation({ appId, operationId, timeout: { seconds: 300n } });
  await operations.getOperation({ appId, operationId });
  await listener.close(60_000);
  expect((await waited).operation).toMatchObject({ operationId, state: OperationState.RUNNING });
});
