import type { Interceptor } from "@connectrpc/connect";
import type { Metrics } from "../adapters/metrics.js";
import type { Tracer } from "../adapters/tracer.js";
import { type AuditEntry, createAudit } from "../services/access/audit.js";
import { createAppBounds, createGate, type Gate, type Tokens } from "../services/access/authorization.js";
import { methodName } from "../services/telemetry/rpc-methods.js";
import { codeName, createCallMetrics } from "../services/telemetry/rpc-metrics.js";
import { createServerSpans } from "../services/telemetry/rpc-spans.js";

/** The chain from the RPC port to the services: token check, spans, counts, audit, and the apps of a token. */
export function rpcAccess(deps: {
  readonly tracer: Tracer | undefined;
  readonly metrics: Metrics;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly audit: (entry: AuditEntry) => void;
  /** Undefined admits every caller. */
  readonly tokens: () => Tokens | undefined;
}): { readonly gate: Gate; readonly interceptors: Interceptor[] } {
  const { tracer, metrics, now, tokens } = deps;
  const audit = createAudit(deps.audit);
  const gate = createGate({
    tokens,
    now,
    onRefused(method, caller, error) {
      metrics.count("rpc_calls", { method: methodName(method), code: codeName(error) });
      audit.refused(method, caller, error);
    },
  });
  const interceptors = [
    ...(tracer === undefined ? [] : [createServerSpans(tracer)]),
    createCallMetrics({ metrics, now: () => performance.now() }),
    audit.interceptor,
    createAppBounds(),
  ];
  return { gate, interceptors };
}
