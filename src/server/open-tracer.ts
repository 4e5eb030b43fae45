import type { Metrics } from "../adapters/metrics.js";
import type { OtlpConfig } from "./settings/config.js";

/** Loads the libraries only when there is a collector. */
export async function openTracer({ endpoint, ratio }: OtlpConfig, metrics: Metrics) {
  const { openOtlpTracer } = await import("../adapters/tracing/otlp-tracer.js");
  return openOtlpTracer({ endpoint, ratio, metrics });
}
