import { ExportResultCode } from "@opentelemetry/core";
import { InMemorySpanExporter, type ReadableSpan } from "@opentelemetry/sdk-trace";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { traced } from "../../../src/adapters/tracer.js";
import { openOtlpTracer, openTracer } from "../../../src/adapters/tracing/otlp-tracer.js";
import { openAisle } from "../../fixtures/aisle.js";
import { trained } from "../../fixtures/operations.js";
import { freePort } from "../../fixtures/server.js";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const SPAN_ID = "b7ad6b7169203331";
const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** An exporter that keeps what it is given, also after its end. */
class Kept extends InMemorySpanExporter {
  readonly spans: ReadableSpan[] = [];
  override export(spans: ReadableSpan[], done: Parameters<InMemorySpanExporter["export"]>[1]): void {
    this.spans.push(...spans);
    done({ code: ExportResultCode.SUCCESS });
  }
}

async function openTraced(ratio = 1) {
  const exporter = new Kept();
  const tracer = openTracer(exporter, ratio);
  const aisle = await openAisle(undefined, { tracer });
  await aisle.clients.apps.createApp({ app: { appId: "shop", learnedAfterVisitors: 1 } });
  return {
    ...aisle,
    /** Ends the tracer and gives each span's name with its parent's. */
    async chains() {
      await tracer.close();
      const byId = new Map(exporter.spans.map((span) => [span.spanContext().spanId, span]));
      return exporter.spans.map((span) => {
        const parent = span.parentSpanContext?.spanId ?? "";
        return { name: span.name, parent: byId.get(parent)?.name ?? parent, traceId: span.spanContext().traceId, span };
      });
    },
  };
}

describe("traces", () => {
  it("connect a request with its caller's trace, down to the commit", async () => {
    const { facade, chains } = await openTraced();
    const headers = { ...FORM, traceparent: `00-${TRACE_ID}-${SPAN_ID}-01` };
    const payload = "app_id=shop&action_type=other";
    expect((await facade.inject({ method: "POST", url: "/trace", headers, payload })).statusCode).toBe(200);
    const spans = (await chains()).filter(({ traceId }) => traceId === TRACE_ID);
    expect(spans.map(({ name, parent }) => `${parent} > ${name}`)).toEqual([
      "intake record > store commit",
      "POST /trace > intake record",
      `${SPAN_ID} > POST /trace`,
    ]);
    expect(spans[2]?.span.attributes).toEqual({
      "aisle.operation": "trace",
      "http.request.method": "POST",
      "http.route": "/trace",
      "http.response.status_code": 200,
    });
  });

  it("show the stages of a recommendation and of a training", async () => {
    const { facade, rpc, trace, chains } = await openTraced();
    for (const visitor of ["a", "b", "c"])
      for (const product_ids of ["p1", "p2"])
        await trace({ app_id: "shop", action_type: "product_view", product_ids, fp_ccid: visitor });
    await trained(rpc, "shop");
    await facade.inject({
      method: "POST",
      url: "/recommend",
      payload: { appId: "shop", productInteractions: [], currentProductIds: "p1", fpccid: "a" },
    });
    const names = (await chains()).map(({ name, parent }) => `${parent} > ${name}`);
    for (const stage of ["history", "catalogue", "model", "rank"])
      expect(names).toContain(`POST /recommend > recommend ${stage}`);
    expect(names.filter((name) => name.startsWith("training > training ")).length).toBeGreaterThan(3);
  });

  it("start a new trace when the caller's header is malformed", async () => {
    const { facade, chains } = await openTraced();
    for (const traceparent of ["nonsense", `00-${"0".repeat(32)}-${SPAN_ID}-01`, `ff-${TRACE_ID}-${SPAN_ID}-01`, ""]) {
      const answer = await facade.inject({ method: "GET", url: "/subscription_status", headers: { traceparent } });
      expect(answer.statusCode).toBe(400);
    }
    const spans = (await chains()).filter(({ name }) => name === "GET /subscription_status");
    expect(spans).toHaveLength(4);
    expect(new Set(spans.map(({ traceId }) => traceId).filter((id) => id !== TRACE_ID)).size).toBe(4);
    expect(spans.map(({ parent }) => parent)).toEqual(["", "", "", ""]);
  });

  it("sample the configured share of requests, and every request that its caller samples", async () => {
    const { facade, trace, chains } = await openTraced(0);
    await trace({ app_id: "shop", action_type: "other" });
    const headers = { ...FORM, traceparent: `00-${TRACE_ID}-${SPAN_ID}-01` };
    await facade.inject({ method: "POST", url: "/trace", headers, payload: "app_id=shop&action_type=other" });
    const spans = await chains();
    expect(spans.length).toBe(3);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]));
  });

  it("keep a bounded number of spans while the collector accepts none", async () => {
    let taken = 0;
    let release = () => {};
    const tracer = openTracer(
      {
        export(spans, done) {
          taken += spans.length;
          release = () => done({ code: ExportResultCode.SUCCESS });
        },
        shutdown: async () => undefined,
      },
      1,
    );
    for (let count = 0; count < 20_000; count++) tracer.start("work").end("ok");
    const closed = tracer.close();
    const releasing = setInterval(() => release(), 1);
    onTestFinished(() => clearInterval(releasing));
    await closed;
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThanOrEqual(2048 + 512);
  });

  it("stop at shutdown and report the number of lost spans when there is no collector", async () => {
    const lost: unknown[] = [];
    const metrics = { count: (...counted: unknown[]) => void lost.push(counted), observe: () => undefined };
    const tracer = openOtlpTracer({ endpoint: `http://127.0.0.1:${await freePort()}`, ratio: 1, metrics });
    tracer.start("work").end("ok");
    await tracer.close();
    await vi.waitFor(() => expect(lost).toEqual([["trace_spans", { outcome: "lost" }, 1]]), { timeout: 10_000 });
  });

  it("cost nothing without a tracer: the traced function is called directly", () => {
    const work = () => 1;
    expect(traced(undefined, "work", work)).toBe(work);
  });
});
