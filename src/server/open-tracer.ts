import type { Metrics } from "../adapters/metrics.js";
import type { OtlpConfig } from "./settings/config.js";

/** The libraries are loaded only where there is somebody to send traces to. */
export async function openTracer({ endpoint, ratio }: OtlpConfig, metrics: Metrics) {
  const { openOtlpTracer } = await import("../adapters/tracing/otlp-tracer.js");
  return openOtlpTracer({ endpoint, ratio, metrics });
}
