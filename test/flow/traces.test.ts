import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startCollector } from "../fixtures/otlp-collector.js";
import { freePort, rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

const event = (facadeUrl: string, headers: Record<string, string> = {}) =>
  fetch(`${facadeUrl}/trace`, {
    method: "POST",
    headers,
    body: new URLSearchParams({
      app_id: "shop",
      action_type: "product_view",
      product_ids: "marker-product",
      fp_ccid: "marker-visitor",
      email: "marker@shop.example",
    }),
  });

describe("traces of a server", () => {
  it("continue from the facade's process to the services, and contain no request data", async () => {
    const collector = await startCollector(onTestFinished);
    const env = { AISLE_OTLP_ENDPOINT: collector.url };
    const directory = await temporaryDirectory();
    const services = await startServer({ directory, env, flags: ["--role", "services"] });
    await rpcClients(services.rpcUrl).apps.createApp({ app: { appId: "shop" } });
    const facade = await startServer({
      defaults: false,
      flags: ["--role", "facade", "--facade-port", "0", "--rpc-url", services.rpcUrl],
      env,
    });
    const answer = await event(facade.facadeUrl, { traceparent: `00-${TRACE_ID}-${CALLER}-01` });
    expect(answer.status).toBe(200);
    expect(await facade.end("SIGTERM")).toBe(0);
    expect(await services.end("SIGTERM")).toBe(0);

    const spans = collector.spans.filter(({ traceId }) => traceId === TRACE_ID);
    const chain: string[] = [];
    for (let parent = CALLER; ; ) {
      const next = spans.find(({ parentId }) => parentId === parent);
      if (next === undefined) break;
      chain.push(next.name);
      parent = next.spanId;
    }
    expect(chain).toEqual([
      "POST /trace",
      "aisle.v1.EventService/RecordEvent",
      "aisle.v1.EventService/RecordEvent",
      "intake record",
      "store commit",
    ]);
    expect(spans).toHaveLength(chain.length);
    expect(new Set(collector.paths)).toEqual(new Set(["/v1/traces"]));
    expect(collector.bytes()).not.toMatch(/marker|shop/);
  });

  it("are made and sent only when Aisle's own setting asks for them", async () => {
    const collector = await startCollector(onTestFinished);
    const directory = await temporaryDirectory();
    const server = await startServer({ directory, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
    await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
    expect((await event(server.facadeUrl, { traceparent: `00-${TRACE_ID}-${CALLER}-01` })).status).toBe(200);
    expect(await server.end("SIGTERM")).toBe(0);
    expect(collector.paths).toEqual([]);
  });

  it("fail or delay no request when the collector is down", async () => {
    const directory = await temporaryDirectory();
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    const server = await startServer({ directory, flags: ["--otlp-endpoint", endpoint] });
    await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
    const statuses = await Promise.all(Array.from({ length: 300 }, async () => (await event(server.facadeUrl)).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await vi.waitFor(
      async () => {
        const metrics = await (await fetch(`${server.rpcUrl}/metrics`)).text();
        expect(metrics).toMatch(/aisle_trace_spans_total\{outcome="lost"\} [1-9]/);
      },
      { interval: 200, timeout: 20_000 },
    );
    expect((await event(server.facadeUrl)).status).toBe(200);
    expect(await server.end("SIGTERM")).toBe(0);
  });
});
