import type { Interceptor } from "@connectrpc/connect";
import type { Metrics } from "./ports/metrics.js";
import type { Tracer } from "./ports/tracer.js";
import { createAuthorization, type Tokens } from "./services/authorization.js";
import { createCallMetrics } from "./services/rpc-metrics.js";
import { createServerSpans } from "./services/rpc-spans.js";

/** What stands between the RPC port and the services, outermost first: spans, counts, and who may call. */
export function rpcInterceptors(deps: {
  readonly tracer: Tracer | undefined;
  readonly metrics: Metrics;
  readonly logger: { info(fields: Readonly<Record<string, unknown>>, message: string): void };
  /** Undefined lets everybody call. */
  readonly tokens: () => Tokens | undefined;
}): Interceptor[] {
  const { tracer, metrics, logger, tokens } = deps;
  return [
    ...(tracer === undefined ? [] : [createServerSpans(tracer)]),
    createCallMetrics({ metrics, now: () => performance.now() }),
    createAuthorization({ tokens, audit: (entry) => logger.info({ audit: entry }, "a call that is for admins") }),
  ];
}
