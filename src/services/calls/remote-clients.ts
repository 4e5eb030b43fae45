/**
 * Typed clients of services in other processes, over gRPC. Callers see the outcomes of `directClient`. Code, text and
 * details of a refusal pass unchanged. A missing answer (no server, a broken connection, a deadline) is UNAVAILABLE or
 * DEADLINE_EXCEEDED.
 */
import type { ClientHttp2Stream, Http2Session } from "node:http2";
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import type { Tracer } from "../../adapters/tracer.js";
import { NotFound } from "../../domain/errors.js";
import { AppService } from "../../gen/aisle/v1/app_service_pb.js";
import { EventService } from "../../gen/aisle/v1/event_service_pb.js";
import { RecommendationService } from "../../gen/aisle/v1/recommendation_service_pb.js";
import { SubscriptionService } from "../../gen/aisle/v1/subscription_service_pb.js";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../../gen/grpc/health/v1/health_pb.js";
import { APP_NOT_ALLOWED, withToken } from "../access/authorization.js";
import { withReason } from "../errors/error-info.js";
import { toConnectError } from "../errors/errors.js";
import { createClientSpans } from "../telemetry/rpc-spans.js";

/** Deadline of a call. */
const CALL_MS = 3_000;
/** Readiness is checked often and must not lag. */
const HEALTH_MS = 1_000;

export interface RemoteOptions {
  readonly callMs?: number;
  readonly tracer?: Tracer | undefined;
  /** The token of each call; null: none. */
  readonly token?: string | null;
  /** For an https address, all in PEM: the trusted authorities in place of Node's, and the client's own certificate. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** Connects with the first call, and reconnects after a loss. `rpcUrl` has no trailing slash. */
export function connectServices(rpcUrl: string, options: RemoteOptions = {}) {
  // A silent connection is pinged: a connection that was cut silently would block every call.
  const pings = { pingIntervalMs: 10_000, pingTimeoutMs: 2_000 };
  const sessionManager = new ServicesConnection(rpcUrl, pings, options.tls);
  const transport = createGrpcTransport({
    baseUrl: rpcUrl,
    sessionManager,
    defaultTimeoutMs: options.callMs ?? CALL_MS,
    interceptors: [
      ...(options.tracer === undefined ? [] : [createClientSpans(options.tracer)]),
      ...(options.token ? [withToken(options.token)] : []),
      unknownWhenNotAllowed,
      unavailableWhenCutOff,
      againWhenRefused,
    ],
  });
  const health = createClient(Health, transport);
  return {
    clients: {
      events: createClient(EventService, transport),
      subscriptions: createClient(SubscriptionService, transport),
      recommendations: createClient(RecommendationService, transport),
      apps: createClient(AppService, transport),
    },
    /** Resolves when the services report that they serve. */
    async ready(): Promise<void> {
      const { status } = await health.check({ service: "" }, { timeoutMs: HEALTH_MS });
      if (status !== ServingStatus.SERVING) throw new ConnectError("the services are not serving", Code.Unavailable);
    },
    close(): void {
      sessionManager.abort();
    },
  };
}

/**
 * The connection to the services. When they say GOAWAY while no call is open, the library destroys it with an error that
 * comes once its socket is closed; had a new call replaced the connection by then, nobody would take the error, and it
 * would end the process (connectrpc/connect-es issue 1768; test/services/calls/remote-clients.test.ts).
 */
class ServicesConnection extends Http2SessionManager {
  private readonly heard = new WeakSet<Http2Session>();

  override async request(...call: Parameters<Http2SessionManager["request"]>): Promise<ClientHttp2Stream> {
    const stream = await super.request(...call);
    const { session } = stream;
    if (session !== undefined && !this.heard.has(session)) {
      this.heard.add(session);
      session.on("error", () => undefined); // the library listens, too, as long as it uses the connection
    }
    return stream;
  }
}

/**
 * A draining server did not process a stream that it refuses (RFC 9113, 8.7), so the call is retried once on a new
 * connection. No caller of ours streams its request, which could not be repeated.
 */
const againWhenRefused: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    if (!(error instanceof ConnectError) || request.stream || !REFUSED.test(error.rawMessage)) throw error;
    return next(request);
  }
};

/**
 * A facade with a token for certain apps serves only those; for its callers no other app exists. Anybody can name an
 * app, so this is not logged.
 */
const unknownWhenNotAllowed: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    if (!(error instanceof ConnectError) || error.code !== Code.PermissionDenied) throw error;
    const isOtherApp = error.findDetails(ErrorInfoSchema).some(({ reason }) => reason === APP_NOT_ALLOWED);
    throw isOtherApp ? toConnectError(new NotFound("app")) : error;
  }
};

const REFUSED = /^stream closed with error code NGHTTP2_REFUSED_STREAM/i;

const unavailableWhenCutOff: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    if (!withoutAnswer(error)) throw error;
    throw withReason(new ConnectError("no answer", Code.Unavailable, undefined, undefined, error));
  }
};

/** Node's text for a stream that ended before its answer, and the library's for a truncated answer. */
const CUT_OFF = /^(http\/2 )?stream closed with error code|^protocol error: missing|^missing (trailer|status)/i;

/**
 * True for an error made on this side. An error of a service has no cause here. It is never CANCELED either, since no
 * caller here cancels: then a draining server cut the call off.
 */
function withoutAnswer(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return true;
  if (error.code === Code.DeadlineExceeded) return false;
  return error.cause !== undefined || error.code === Code.Canceled || CUT_OFF.test(error.rawMessage);
}
