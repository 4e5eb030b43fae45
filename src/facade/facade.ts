/**
 * The REST facade: three operations for storefronts and shops, translated to typed calls. It knows wire formats and
 * nothing of what lies behind the clients.
 */
import type { RequestListener } from "node:http";
import { type CallOptions, type Client, ConnectError } from "@connectrpc/connect";
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type onRequestHookHandler,
} from "fastify";
import type { AppService } from "../gen/aisle/v1/app_service_pb.js";
import type { EventService } from "../gen/aisle/v1/event_service_pb.js";
import type { RecommendationService } from "../gen/aisle/v1/recommendation_service_pb.js";
import type { SubscriptionService } from "../gen/aisle/v1/subscription_service_pb.js";
import { answerOneAtATime } from "../http/pipelining.js";
import { type BodyDone, type BodyStream, createBodyReader, createWorkSpacing } from "./body.js";
import { createStatusCookies } from "./cookies.js";
import { addCorsHeaders, answerPreflight, createOrigins } from "./cors.js";
import { type Failure, failureOf, type Operation, Refused, TEXT } from "./errors.js";
import { createLinkPages } from "./links.js";
import { createSenderOf, type NetworkOptions, NO_NETWORKS } from "./network.js";
import { openApiDocument } from "./openapi/document.js";
import { METHODS, OPERATIONS, pathOf, saneRequestId } from "./operations.js";
import { createRecommend } from "./recommend.js";
import { type FacadeTracer, inSpan } from "./request-spans.js";
import { type Certificate, createSecureServer } from "./secure-server.js";
import { sendError, sendFailure, sendJson } from "./send.js";
import {
  answerBrokenRequest,
  BODY_LIMITS,
  failureOfServer,
  MAX_CONNECTIONS,
  namesOneHost,
  SERVER_LIMITS,
} from "./server-limits.js";
import { addFiles, type PublicFiles } from "./static-files.js";
import { createSubscriptionStatus } from "./subscription-status.js";
import { createTrace } from "./trace.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The content type as sent, "" for none. `hideContentType` hides the header itself from the framework. */
    sentContentType: string;
    /** Arrival of the request, by `monotonicNow`. */
    arrivedAt: number;
  }
}

/** Counters and timings for the operator. Labels have a closed set of values. */
export interface FacadeMetrics {
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  observe(name: string, ms: number, labels?: Readonly<Record<string, string>>): void;
}

/** A structured log, for example pino. */
export interface FacadeLogger {
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface FacadeOptions extends PublicFiles {
  /** The calls that the facade makes of each service. */
  readonly clients: {
    readonly events: Pick<Client<typeof EventService>, "recordEvent">;
    readonly subscriptions: Pick<Client<typeof SubscriptionService>, "getStatus" | "getLink" | "followLink">;
    readonly recommendations: Pick<Client<typeof RecommendationService>, "recommend">;
    readonly apps: Pick<Client<typeof AppService>, "getApp">;
  };
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back, for durations. Default: `now`. */
  readonly monotonicNow?: (() => number) | undefined;
  /** Maximum number of connections. Default: `MAX_CONNECTIONS`. */
  readonly maxConnections?: number;
  /** Returns an id for a request that brings none. */
  readonly newRequestId: () => string;
  /** Certificate for https; without it the facade speaks http. */
  readonly certificate?: Certificate | undefined;
  /** Proxies in front of the facade, and the shop's own servers. Default: none. */
  readonly networks?: NetworkOptions | undefined;
  /** Public address of the service. With `https:`, cookies also work across sites. */
  readonly publicUrl?: string | undefined;
  /** Lifetime of the subscription cookies; 0 turns them off. */
  readonly cacheMaxAgeSeconds?: number | undefined;
  /** Deadline of each call, for clients over a network. */
  readonly callTimeoutMs?: number | undefined;
  /** Resolves when an event could be made durable now. The answer shows the message of a ConnectError as the reason. */
  readonly ready: () => Promise<void>;
  /** True once the process is stopping: it is not ready, and connections are closed after their answer. */
  readonly isStopping: () => boolean;
  readonly metrics?: FacadeMetrics | undefined;
  /** Whether one more event would be refused now. Default: never. */
  readonly isFull?: (() => boolean) | undefined;
  readonly logger?: FacadeLogger | undefined;
  readonly tracer?: FacadeTracer | undefined;
}

/**
 * Delay before the facade refuses an event under overload. A sender that is refused at once sends its next event at
 * once. A thousand such connections would leave the server no time to store anything.
 */
const REFUSED_AFTER_MS = 400;

const UNNAMED_PROXY_WARNING =
  "Requests come through a proxy that is not named: all their visitors share one limit of links. Set --trusted-proxies (AISLE_TRUSTED_PROXIES) to the proxy's address or prefix";

/** Sends the answer itself, or rejects with an error that still needs an answer. */
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
const LINK_METHODS = "GET, HEAD, POST";

/** Builds the facade without listening. */
export function createFacade(options: FacadeOptions): FastifyInstance {
  const { clients, metrics, isFull, logger, isStopping, publicUrl, certificate } = options;
  const { now, monotonicNow = now } = options;
  const app = fastify({
    ...SERVER_LIMITS,
    ...(certificate && { serverFactory: (listener: RequestListener) => createSecureServer(certificate, listener) }),
    genReqId: ({ headers }) => saneRequestId(headers["x-request-id"]) ?? options.newRequestId(),
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      addCommonHeaders(request, reply);
      sendFailure(reply, undefined, failureOfServer(error));
    },
  });
  app.server.maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
  app.decorateRequest("sentContentType", "");
  app.decorateRequest("arrivedAt", 0);
  app.removeAllContentTypeParsers();
  const readBody = createBodyReader(BODY_LIMITS, createWorkSpacing(monotonicNow));
  const takeBody = (payload: BodyStream, done: BodyDone) =>
    readBody(payload, (error, body) => {
      if (error instanceof ConnectError) metrics?.count("shed", { reason: "call_bytes" });
      done(error, body);
    });
  // The framework caches the parser of a named type, and searches for any other parser on each request.
  for (const type of [HIDDEN_TYPE, "*"])
    app.addContentTypeParser(type, (_request, payload, done) => takeBody(payload, done));
  answerOneAtATime(app.server);
  // RFC 9110, 10.1.1, lets a server ignore an unknown expectation.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));

  app.addHook("onRequest", (request, reply, done) => {
    request.arrivedAt = monotonicNow();
    hideContentType(request);
    addCommonHeaders(request, reply);
    if (namesOneHost(request.raw)) done();
    else sendFailure(reply, OPERATIONS.get(pathOf(request)), answerOf(400, TEXT.badRequest));
  });
  // Checked when the answer leaves: a connection whose request was under way when the stop began ends with it, too.
  app.addHook("onSend", (request, reply, _payload, done) => {
    if (isStopping()) reply.header("connection", "close");
    if (metrics !== undefined) measure(metrics, request, reply.statusCode, monotonicNow() - request.arrivedAt);
    done();
  });

  const callOptions: CallOptions | undefined =
    options.callTimeoutMs === undefined ? undefined : { timeoutMs: options.callTimeoutMs };
  const origins = createOrigins(clients.apps, options.now);
  const statusCookies = createStatusCookies(
    publicUrl?.toLowerCase().startsWith("https:") === true,
    options.cacheMaxAgeSeconds ?? 1800,
  );
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host;
  const senderOf = createSenderOf(options.networks ?? NO_NETWORKS, () => logger?.warn({}, UNNAMED_PROXY_WARNING));
  const trace = createTrace({ events: clients.events, origins, statusCookies, senderOf, callOptions, now, metrics });
  const recommend = createRecommend({ recommendations: clients.recommendations, origins, callOptions });
  const status = createSubscriptionStatus({ ...clients, origins, statusCookies, publicHost, callOptions });

  // Returns void: Fastify would await a promise, and then the sending of the answer.
  const guarded = (operation: Operation, handler: Handler) =>
    inSpan(options.tracer, operation, (request, reply) => {
      handler(request, reply)
        .catch((error: unknown) => {
          const failure = failureOf(operation, error);
          if (failure.status === 500) reportFailure(logger, operation, request.id, error);
          sendFailure(reply, operation, failure);
        })
        .catch((fault: unknown) => void reply.send(fault));
    });
  app.get("/subscription_status", guarded("subscription_status", status));
  // Checked before the body is read: a refusal costs a fraction of an event.
  const onRequest: onRequestHookHandler = (_request, reply, done) => {
    if (isFull?.() !== true) return done();
    metrics?.count("shed", { reason: "calls" });
    const refuse = () => sendFailure(reply, "trace", { status: 503, text: TEXT.unavailable, retryAfterSeconds: 1 });
    setTimeout(refuse, REFUSED_AFTER_MS);
  };
  for (const path of ["/trace", "/trace.php"]) app.post(path, { onRequest }, guarded("trace", trace));
  app.post("/recommend", guarded("recommend", recommend));
  for (const [path, methods] of METHODS)
    app.options(path, (request, reply) => answerPreflight(reply, request.headers.origin, methods));

  app.get("/healthz", (_request, reply) => sendJson(reply, 200, '{"status":"ok"}'));
  app.get("/readyz", async (_request, reply) => {
    if (isStopping()) return sendError(reply, 503, TEXT.stopping);
    try {
      await options.ready();
    } catch (error) {
      const reason = error instanceof ConnectError ? { reason: error.rawMessage } : {};
      return sendJson(reply, 503, JSON.stringify({ error: TEXT.notReady, ...reason }));
    }
    return sendJson(reply, 200, '{"status":"ready"}');
  });
  let document: string | undefined;
  app.get("/openapi.json", (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(publicUrl ?? "/"));
    return sendJson(reply, 200, document);
  });
  const pages = createLinkPages({
    subscriptions: clients.subscriptions,
    callOptions,
    onFailure: (error, requestId) => reportFailure(logger, undefined, requestId, error),
  });
  app.get("/s/:token", pages.ask);
  app.post("/s/:token", pages.follow);
  addFiles(app, options);

  const refuseMethod = (path: string, methods: string, reply: FastifyReply) => {
    reply.header("allow", methods);
    return sendFailure(reply, OPERATIONS.get(path), answerOf(405, TEXT.methodNotAllowed));
  };
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    const methods = path.startsWith("/s/") ? LINK_METHODS : METHODS.get(path);
    return methods === undefined ? sendError(reply, 404, TEXT.notFound) : refuseMethod(path, methods, reply);
  });
  app.setErrorHandler((error, request, reply) => {
    const path = pathOf(request);
    const methods = METHODS.get(path);
    // The framework rejects some requests, such as QUERY without a content type, before it checks the path's methods.
    if (methods !== undefined && !methods.split(", ").includes(request.method))
      return refuseMethod(path, methods, reply);
    const operation = OPERATIONS.get(path);
    if (error instanceof Refused || error instanceof ConnectError)
      return sendFailure(reply, operation, failureOf(operation ?? "trace", error));
    const failure = failureOfServer(error);
    if (failure.status === 500) reportFailure(logger, operation, request.id, error);
    return failure.status === 500 && operation !== undefined
      ? sendFailure(reply, operation, failureOf(operation, error))
      : sendFailure(reply, operation, failure);
  });
  return app;
}

/** The headers of every answer. */
function addCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("cache-control", "no-store");
  reply.header("x-content-type-options", "nosniff");
  reply.header("x-request-id", request.id);
  addCorsHeaders(reply, request.headers.origin);
}

const HIDDEN_TYPE = "application/octet-stream";

/**
 * The framework rejects content types without a parser before our code sees the request. Each operation decides itself
 * what it accepts, so the header is saved and replaced by a plain one.
 */
function hideContentType(request: FastifyRequest): void {
  const { headers } = request.raw;
  const sent = headers["content-type"];
  if (sent === undefined) return;
  request.sentContentType = sent;
  headers["content-type"] = HIDDEN_TYPE;
}

function measure(metrics: FacadeMetrics, request: FastifyRequest, status: number, ms: number): void {
  const operation = (request.is404 ? undefined : OPERATIONS.get(pathOf(request))) ?? "other";
  metrics.count("facade_requests", { operation, status: String(status) });
  metrics.observe("facade_request_ms", ms, { operation });
}

function reportFailure(
  logger: FacadeLogger | undefined,
  operation: Operation | undefined,
  requestId: string,
  error: unknown,
): void {
  logger?.error({ operation: operation ?? "other", requestId, err: error }, "a call failed");
}

function answerOf(status: number, text: string): Failure {
  return { status, text, retryAfterSeconds: 0 };
}
