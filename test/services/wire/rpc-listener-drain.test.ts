import { Agent, request as request1 } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { Code, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { AppService } from "../../../src/gen/aisle/v1/app_service_pb.js";
import {
  Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from "../../../src/gen/grpc/health/v1/health_pb.js";
import { createHealthState } from "../../../src/services/standard/health.js";
import { createFixtureRoutes, createGate, openListener } from "./rpc-fixture.js";

/** A listener whose GetApp waits for a gate. */
async function openGated() {
  const [getApp, getAppCalled] = [createGate(), createGate()];
  const listener = await openListener({ routes: createFixtureRoutes({ getApp, getAppCalled }) });
  return { listener, getApp, getAppCalled };
}

describe("closing the listener", () => {
  it.each([
    ["gRPC", (baseUrl: string) => createGrpcTransport({ baseUrl })],
    ["Connect over HTTP/1.1", (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ])("lets a call in flight finish over %s, and ends right after it", async (_, transport) => {
    const { listener, getApp, getAppCalled } = await openGated();
    const call = createClient(AppService, transport(listener.url)).getApp({});
    const answered = expect(call).rejects.toMatchObject({ code: Code.NotFound });
    await getAppCalled.opened;
    const closed = listener.close(60_000);
    getApp.open();
    await answered;
    await closed;
  });

  it("refuses new connections while a call is in flight", async () => {
    const { listener, getApp, getAppCalled } = await openGated();
    const call = createClient(AppService, createGrpcTransport({ baseUrl: listener.url })).getApp({});
    const answered = expect(call).rejects.toMatchObject({ code: Code.NotFound });
    await getAppCalled.opened;
    const closed = listener.close(60_000);
    const refused = await new Promise((resolve) => connect(listener.port, "127.0.0.1").on("error", resolve));
    expect(refused).toMatchObject({ code: "ECONNREFUSED" });
    getApp.open();
    await Promise.all([answered, closed]);
  });

  it("sends GOAWAY to HTTP/2 and closes kept-alive HTTP/1.1 and silent connections", async () => {
    const { listener } = await openGated();
    const session = connectHttp2(listener.url);
    const goaway = new Promise((resolve) => session.once("goaway", resolve));
    await new Promise((resolve) => session.once("remoteSettings", resolve));
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    await new Promise((resolve) => {
      request1({ agent, host: "127.0.0.1", port: listener.port, path: "/healthz" }, (answer) =>
        answer.resume().on("end", resolve),
      ).end();
    });
    const silent = connect(listener.port, "127.0.0.1");
    silent.on("error", () => {});
    await new Promise((resolve) => silent.once("connect", resolve));
    await listener.close(60_000);
    expect(await goaway).toBe(0);
  });

  it("sends GOAWAY at the announcement, finishes earlier calls, and still accepts connections", async () => {
    const { listener, getApp, getAppCalled } = await openGated();
    const session = connectHttp2(listener.url);
    const goaway = new Promise((resolve) => session.once("goaway", (code, last) => resolve([code, last])));
    const headers = { ":method": "POST", ":path": "/aisle.v1.AppService/GetApp", "content-type": "application/json" };
    const underWay = session.request(headers);
    underWay.resume().end("{}");
    const status = new Promise((resolve) => underWay.once("response", (answer) => resolve(answer[":status"])));
    await getAppCalled.opened;
    listener.announceClose();
    expect(await goaway).toEqual([0, 1]);
    const other = createClient(AppService, createGrpcTransport({ baseUrl: listener.url }));
    for (const appId of ["a", "b"]) expect((await other.createApp({ app: { appId } })).app?.appId).toBe(appId);
    getApp.open();
    expect(await status).toBe(404);
    await listener.close(60_000);
  });

  it("answers HTTP/1.1 with Connection: close after the announcement", async () => {
    const { listener, getApp, getAppCalled } = await openGated();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const ask = (path: string, body?: string) =>
      new Promise<string | undefined>((resolve) => {
        const method = body === undefined ? "GET" : "POST";
        const headers = body === undefined ? {} : { "content-type": "application/json" };
        request1({ agent, host: "127.0.0.1", port: listener.port, path, method, headers }, (answer) =>
          answer.resume().on("end", () => resolve(answer.headers.connection)),
        ).end(body);
      });
    expect(await ask("/healthz")).toBe("keep-alive");
    const underWay = ask("/aisle.v1.AppService/GetApp", "{}");
    await getAppCalled.opened;
    listener.announceClose();
    getApp.open();
    expect(await underWay).toBe("close");
    expect(await ask("/healthz")).toBe("close");
    await listener.close(60_000);
  });

  it("closes the remaining connections at its deadline", async () => {
    const { listener, getAppCalled } = await openGated();
    const call = createClient(AppService, createGrpcTransport({ baseUrl: listener.url })).getApp({});
    const failed = expect(call).rejects.toThrow();
    await getAppCalled.opened;
    await listener.close(10);
    await failed;
  });

  it("accepts a shorter deadline from a second call", async () => {
    const { listener, getAppCalled } = await openGated();
    const call = createClient(AppService, createGrpcTransport({ baseUrl: listener.url })).getApp({});
    const failed = expect(call).rejects.toThrow();
    await getAppCalled.opened;
    await Promise.all([listener.close(600_000), listener.close(10), failed]);
  });
});

describe("grpc.health.v1", () => {
  it("returns the status of the server, of each service and of all, and NOT_FOUND for others", async () => {
    const state = createHealthState();
    const { url } = await openListener({ health: state });
    const health = createClient(Health, createGrpcTransport({ baseUrl: url }));
    expect((await health.check({})).status).toBe(ServingStatus.NOT_SERVING);
    state.set(true);
    expect((await health.check({})).status).toBe(ServingStatus.SERVING);
    state.set(false, AppService.typeName);
    expect((await health.check({ service: AppService.typeName })).status).toBe(ServingStatus.NOT_SERVING);
    await expect(health.check({ service: "no.Such" })).rejects.toMatchObject({ code: Code.NotFound });
    const { statuses } = await health.list({});
    expect(Object.fromEntries(Object.entries(statuses).map(([name, { status }]) => [name, status]))).toMatchObject({
      "": ServingStatus.SERVING,
      "aisle.v1.AppService": ServingStatus.NOT_SERVING,
      "aisle.v1.EventService": ServingStatus.SERVING,
    });
  });

  it("shows a watcher each status, NOT_SERVING on drain, and then ends its stream", async () => {
    const state = createHealthState();
    const { url, close } = await openListener({ health: state });
    const client = createClient(Health, createGrpcTransport({ baseUrl: url }));
    const watch = client.watch({})[Symbol.asyncIterator]();
    const next = async () => (await watch.next()).value?.status;
    expect(await next()).toBe(ServingStatus.NOT_SERVING);
    state.set(true);
    expect(await next()).toBe(ServingStatus.SERVING);
    const closed = close(60_000);
    expect(await next()).toBe(ServingStatus.NOT_SERVING);
    await expect(next()).rejects.toMatchObject({ code: Code.Unavailable });
    await closed;
  });

  it("shows a watcher of an unknown service SERVICE_UNKNOWN, and its status once it is known", async () => {
    const state = createHealthState();
    const { url } = await openListener({ health: state });
    const client = createClient(Health, createGrpcTransport({ baseUrl: url }));
    const watch = client.watch({ service: "later.Service" })[Symbol.asyncIterator]();
    expect((await watch.next()).value?.status).toBe(ServingStatus.SERVICE_UNKNOWN);
    state.set(true, "later.Service");
    expect((await watch.next()).value?.status).toBe(ServingStatus.SERVING);
  });

  it("forgets a watcher that disconnects", async () => {
    const state = createHealthState();
    let listening = 0;
    const gone = createGate();
    const { url } = await openListener({
      health: {
        ...state,
        onChange(listener) {
          listening++;
          const stop = state.onChange(listener);
          return () => {
            stop();
            listening--;
            gone.open();
          };
        },
      },
    });
    const hangUp = new AbortController();
    const client = createClient(Health, createGrpcTransport({ baseUrl: url }));
    const watch = client.watch({}, { signal: hangUp.signal })[Symbol.asyncIterator]();
    await watch.next();
    expect(listening).toBe(1);
    const ended = expect(watch.next()).rejects.toMatchObject({ code: Code.Canceled });
    hangUp.abort();
    await Promise.all([ended, gone.opened]);
    expect(listening).toBe(0);
  });
});
