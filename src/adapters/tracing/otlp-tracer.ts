/**
 * Traces by OpenTelemetry, sent by OTLP over HTTP in protobuf. Loaded only if it is switched on. Registers nothing globally:
 * the tracer's own storage holds the current span.
 *
 * Spans wait in a queue of 2,048; a full queue drops new ones. So a slow or missing collector costs calls neither memory
 * nor time.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { ExportResultCode, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Metrics } from "../metrics.js";
import type { Span, SpanStart, TraceHeaders, Tracer } from "../tracer.js";

const QUEUE = { maxQueueSize: 2048, maxExportBatchSize: 512, scheduledDelayMillis: 1000, exportTimeoutMillis: 3000 };
/** Time to send the queued spans at shutdown. */
const LAST_MS = 2000;

export interface OtlpOptions {
  /** Base address of the collector, without a slash at its end: `/v1/traces` is appended. */
  readonly endpoint: string;
  /** Share of the recorded traces among those that start here, 0 to 1. A caller's trace is recorded if the caller records it. */
  readonly ratio: number;
  readonly metrics: Metrics;
}

/** A tracer whose `close` sends the queued spans, for at most 2 s. */
export interface OpenTracer extends Tracer {
  close(): Promise<void>;
}

export function openOtlpTracer({ endpoint, ratio, metrics }: OtlpOptions): OpenTracer {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    timeoutMillis: QUEUE.exportTimeoutMillis,
    concurrencyLimit: 2,
  });
  return openTracer(counted(exporter, metrics), ratio);
}

/** Opens a tracer over any exporter. */
export function openTracer(exporter: SpanExporter, ratio: number): OpenTracer {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "aisle" }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...QUEUE })],
  });
  const tracer = provider.getTracer("aisle");
  const propagator = new W3CTraceContextPropagator();
  const current = new AsyncLocalStorage<Context>();
  const headersOf = (context: Context): TraceHeaders => {
    const carrier: Record<string, string> = {};
    propagator.inject(context, carrier, defaultTextMapSetter);
    const { traceparent, tracestate } = carrier;
    return { traceparent, tracestate };
  };
  /** A span of a trace that is not recorded. A trace is recorded as a whole or not at all. */
  const unmade = (context: Context): Span => ({
    get headers() {
      return headersOf(context);
    },
    set: () => undefined,
    within: (work) => work(),
    end: () => undefined,
  });

  return {
    start(name, { kind = "internal", caller, attributes = {} }: SpanStart = {}): Span {
      const parent =
        caller === undefined
          ? (current.getStore() ?? ROOT_CONTEXT)
          : propagator.extract(ROOT_CONTEXT, caller, defaultTextMapGetter);
      if (caller === undefined && trace.getSpanContext(parent)?.traceFlags === TraceFlags.NONE) return unmade(parent);
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, parent);
      const context = trace.setSpan(parent, span);
      return {
        get headers() {
          return headersOf(context);
        },
        set: (attribute, value) => void span.setAttribute(attribute, value),
        within: (work) => current.run(context, work),
        end(outcome) {
          if (outcome === "failed") span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, LAST_MS);
      });
      // spans are lost at the end, as they are without a collector
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      clearTimeout(timer);
    },
  };
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/** Counts the spans that the exporter sends and loses. */
function counted(exporter: SpanExporter, metrics: Metrics): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const outcome = result.code === ExportResultCode.SUCCESS ? "sent" : "lost";
        metrics.count("trace_spans", { outcome }, spans.length);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
