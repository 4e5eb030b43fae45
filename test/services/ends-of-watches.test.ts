import { type CallOptions, Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, it, onTestFinished } from "vitest";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import { ModelService } from "../../src/gen/aisle/v1/model_service_pb.js";
import { OperationState } from "../../src/gen/aisle/v1/operation_pb.js";
import { OperationService } from "../../src/gen/aisle/v1/operation_service_pb.js";
import { SubscriptionService } from "../../src/gen/aisle/v1/subscription_service_pb.js";
import { createCallMetrics } from "../../src/services/telemetry/rpc-metrics.js";
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
  const ended: string[] = [];
  const metrics = {
    count: (_: string, labels: Readonly<Record<string, string>> = {}) =>
      void ended.push(`${labels.method?.replace(/.*\//, "")} ${labels.code}`),
    observe: () => {},
  };
  const listener = await openListener({ routes, interceptors: [createCallMetrics({ metrics, now: Date.now })] });
  const transport = createGrpcTransport({ baseUrl: listener.url });
  await createClient(AppService, transport).createApp({ app: { appId } });
  const event = { actionType: "product_view", products: [{ productId: "p1" }] };
  await createClient(EventService, transport).recordEvent({ appId, event });
  const { operation } = await createClient(ModelService, transport).trainModel({ appId });
  const operationId = operation?.operationId ?? "";
  const watch = (options: CallOptions): readonly AsyncIterable<unknown>[] => [
    createClient(EventService, transport).watchEvents({ appId }, options),
    createClient(SubscriptionService, transport).watchSubscriptions({ appId }, options),
    createClient(OperationService, transport).watchOperation({ appId, operationId }, options),
  ];
  const endsOfWatches = () => ended.filter((end) => end.startsWith("Watch")).sort();
  return { listener, transport, operationId, watch, endsOfWatches };
}

/** Reads a stream to its end. */
async function read(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

it("WatchEvents, WatchSubscriptions and WatchOperation end with UNAVAILABLE when the server begins to stop", async () => {
  const { listener, watch: open } = await openShop();
  const watches = open({}).map((stream) => stream[Symbol.asyncIterator]());
  for (const watch of watches) expect(await watch.next()).toMatchObject({ done: false });
  const ends = watches.map((watch) => expect(watch.next()).rejects.toMatchObject({ code: Code.Unavailable }));
  await listener.close(60_000);
  await Promise.all(ends);
});

it("WatchEvents, WatchSubscriptions and WatchOperation end with DEADLINE_EXCEEDED at the deadline of the call", async () => {
  const { watch, endsOfWatches } = await openShop();
  // The header alone: a client with a timer of its own may give up first.
  const ends = watch({ headers: { "grpc-timeout": "500m" } }).map((stream) =>
    expect(read(stream)).rejects.toMatchObject({ code: Code.DeadlineExceeded }),
  );
  await Promise.all(ends);
  await expect
    .poll(endsOfWatches)
    .toEqual([
      "WatchEvents deadline_exceeded",
      "WatchOperation deadline_exceeded",
      "WatchSubscriptions deadline_exceeded",
    ]);
});

it("WatchEvents, WatchSubscriptions and WatchOperation end with CANCELLED when the caller leaves", async () => {
  const { watch, endsOfWatches } = await openShop();
  const caller = new AbortController();
  const watches = watch({ signal: caller.signal }).map((stream) => stream[Symbol.asyncIterator]());
  for (const one of watches) expect(await one.next()).toMatchObject({ done: false });
  const ends = watches.map((one) => expect(one.next()).rejects.toMatchObject({ code: Code.Canceled }));
  caller.abort();
  await Promise.all(ends);
  await expect
    .poll(endsOfWatches)
    .toEqual(["WatchEvents canceled", "WatchOperation canceled", "WatchSubscriptions canceled"]);
});

it("a watch whose caller resets it by an error of its own ends with CANCELLED", async () => {
  const { listener, operationId, endsOfWatches } = await openShop();
  const transport = createGrpcTransport({ baseUrl: listener.url });
  const stream = createClient(OperationService, transport).watchOperation({ appId, operationId }, { timeoutMs: 300 });
  await expect(read(stream)).rejects.toMatchObject({ code: Code.DeadlineExceeded });
  await expect.poll(endsOfWatches).toEqual([expect.stringMatching(/^WatchOperation (canceled|deadline_exceeded)$/)]);
});

it("WaitOperation answers the operation as it is when the server begins to stop", async () => {
  const { listener, transport, operationId } = await openShop();
  const operations = createClient(OperationService, transport);
  const waited = operations.waitOperation({ appId, operationId, timeout: { seconds: 300n } });
  await operations.getOperation({ appId, operationId });
  await listener.close(60_000);
  expect((await waited).operation).toMatchObject({ operationId, state: OperationState.RUNNING });
});
