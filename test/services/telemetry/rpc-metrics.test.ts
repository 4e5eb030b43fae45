import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, it } from "vitest";
import { AppService } from "../../../src/gen/aisle/v1/app_service_pb.js";
import { EventService } from "../../../src/gen/aisle/v1/event_service_pb.js";
import { SubscriptionService } from "../../../src/gen/aisle/v1/subscription_service_pb.js";
import { createCallMetrics } from "../../../src/services/telemetry/rpc-metrics.js";
import { createFixtureRoutes, openListener } from "../wire/rpc-fixture.js";

async function openCounted() {
  const counted: string[] = [];
  const durations: number[] = [];
  let clock = 0;
  const metrics = {
    count: (name: string, labels: Readonly<Record<string, string>> = {}) =>
      void counted.push([name, labels.method, labels.code].join(" ")),
    observe: (_: string, ms: number) => void durations.push(ms),
  };
  const now = () => {
    clock += 5;
    return clock;
  };
  const fixture = createFixtureRoutes();
  const { url } = await openListener({
    interceptors: [createCallMetrics({ metrics, now })],
    routes(router) {
      fixture(router);
      router.rpc(AppService.method.deleteApp, () => {
        throw new TypeError("not a ConnectError");
      });
    },
  });
  return { counted, durations, wire: createGrpcTransport({ baseUrl: url }) };
}

it("RPC metrics count a call of each kind at its end, by method and code", async () => {
  const { counted, durations, wire } = await openCounted();
  const apps = createClient(AppService, wire);
  await apps.createApp({ app: { appId: "shop" } });
  await apps.createApp({ app: {} }).catch(() => {});
  await apps.deleteApp({}).catch(() => {});
  for await (const _ of createClient(SubscriptionService, wire).verifyLedger({}));
  await createClient(EventService, wire).recordEvents((async function* () {})());
  expect(counted).toEqual([
    "rpc_calls aisle.v1.AppService/CreateApp ok",
    "rpc_calls aisle.v1.AppService/CreateApp invalid_argument",
    "rpc_calls aisle.v1.AppService/DeleteApp internal",
    "rpc_calls aisle.v1.SubscriptionService/VerifyLedger ok",
    "rpc_calls aisle.v1.EventService/RecordEvents ok",
  ]);
  expect(durations).toEqual([5, 5, 5, 5, 5]);
});
