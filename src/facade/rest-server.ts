/**
 * The HTTP server of REST, below its operations: what a peer may send, the headers of every answer, and what is answered when
 * no operation was reached. Errors that an operation throws are answered in the operation's words.
 */
import type { IncomingMessage } from "node:http";
import { ConnectError } from "@connectrpc/connect";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { Metrics } from "../adapters/metrics.js";
import type { Tracer } from "../adapters/tracer.js";
import { answerOneAtATime } from "../http/pipelining.js";
import { type BodyDone, type BodyStream, createBodyReader } from "./body.js";
import { addCorsHeaders, answerPreflight } from "./cors.js";
import { type Failure, failureOf, type Operation, Refused, TEXT } from "./errors.js";
import { METHODS, OPERATIONS } from "./operations.js";
import { inSpan } from "./request-spans.js";
import { answerBrokenRequest, failureOfServer, MAX_CONNECTIONS, SERVER_LIMITS } from "./server-limits.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The content type as sent, "" for none. `hideContentType` hides the header itself from the framework. */
    sentContentType: string;
    /** Arrival of the request, by `monotonicNow`. */
    arrivedAt: number;
  }
}

/** A structured log, for example pino. */
export interface FacadeLogger {
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface RestServerOptions {
  /** Milliseconds that never go back, for durations. */
  readonly monotonicNow: () => number;
  /** Maximum number of connections. Default: `MAX_CONNECTIONS`. */
  readonly maxConnections?: number | undefined;
  /** Returns an id for a request that brings none. */
  readonly newRequestId: () => string;
  /** For https, in PEM: the certificate, followed by those that signed it, and its private key. Default: http. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
  /** True once the process is stopping: it is not ready, and connections are closed after their answer. */
  readonly isStopping: () => boolean;
  readonly metrics?: Metrics | undefined;
  readonly logger?: FacadeLogger | undefined;
  readonly tracer?: Tracer | undefined;
}

/** Sends the answer itself, or rejects with an error that still needs an answer. */
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Reports an internal error of a call. */
export type ReportCall = (operation: Operation | undefined, requestId: string, error: unknown) => void;

export type RestServer = ReturnType<typeof createRestServer>;

/** Builds the server without routes, but those of preflights. Nothing listens yet. */
export function createRestServer(options: RestServerOptions) {
  const { certificate, isStopping, metrics, monotonicNow, logger } = options;
  const report: ReportCall = (operation, requestId, error) =>
    logger?.error({ operation: operation ?? "other", requestId, err: error }, "a call failed");
  const app: FastifyInstance = fastify({
    ...SERVER_LIMITS,
    // The operation with a query parses it, by the rules of forms.
    routerOptions: { ...SERVER_LIMITS.routerOptions, querystringParser: () => ({}) },
    ...(certificate && { https: { ...SERVER_LIMITS.http, ...certificate } }),
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
  readBodies(app, metrics);
  answerOneAtATime(app.server);
  // RFC 9110, 10.1.1, lets a server ignore an unknown expectation.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  app.addHook("onRequest", (request, reply, done) => {
    request.arrivedAt = monotonicNow();
    hideContentType(request);
    addCommonHeaders(request, reply);
    if (namesOneHost(request.raw)) done();
    else sendFailure(reply, OPERATIONS.get(pathOf(request)), { status: 400, text: TEXT.badRequest });
  });
  // Checked when the answer leaves: a connection whose request was under way when the stop began ends with it, too.
  app.addHook("onSend", (request, reply, _payload, done) => {
    if (isStopping()) reply.header("connection", "close");
    if (metrics !== undefined) measure(metrics, request, reply.statusCode, monotonicNow() - request.arrivedAt);
    done();
  });
  for (const [path, methods] of METHODS)
    app.options(path, (request, reply) => answerPreflight(reply, request.headers.origin, methods));
  answerStrays(app, report);
  return {
    app,
    report,
    /** The handler of an operation, with its span and its errors answered. */
    answered: (operation: Operation, handler: Handler) =>
      inSpan(options.tracer, operation, guarded(operation, handler, report)),
  };
}

/** Takes bodies of every content type as bytes. What each operation accepts is its own affair. */
function readBodies(app: FastifyInstance, metrics: Metrics | undefined): void {
  const readBody = createBodyReader();
  const takeBody = (payload: BodyStream, done: BodyDone) =>
    readBody(payload, (error, body) => {
      if (error instanceof ConnectError) metrics?.count("shed", { reason: "call_bytes" });
      done(error, body);
    });
  app.removeAllContentTypeParsers();
  // The framework caches the parser of a named type, and searches for any other parser on each request.
  for (const type of [HIDDEN_TYPE, "*"])
    app.addContentTypeParser(type, (_request, payload, done) => takeBody(payload, done));
}

/** Answers what an operation throws. Returns void: Fastify would await a promise, and then the sending of the answer. */
function guarded(operation: Operation, handler: Handler, report: ReportCall) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    handler(request, reply)
      .catch((error: unknown) => {
        const failure = failureOf(operation, error);
        if (failure.status === 500) report(operation, request.id, error);
        sendFailure(reply, operation, failure);
      })
      .catch((fault: unknown) => void reply.send(fault));
  };
}

const LINK_METHODS = "GET, HEAD, POST";

/** Answers requests that reach no route, and those that the framework refuses. */
function answerStrays(app: FastifyInstance, report: ReportCall): void {
  const refuseMethod = (path: string, methods: string, reply: FastifyReply) => {
    reply.header("allow", methods);
    return sendFailure(reply, OPERATIONS.get(path), { status: 405, text: TEXT.methodNotAllowed });
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
    if (failure.status !== 500) return sendFailure(reply, operation, failure);
    report(operation, request.id, error);
    return sendFailure(reply, operation, operation === undefined ? failure : failureOf(operation, error));
  });
}

/** `{"error": text}`: the shape of every error outside /subscription_status. */
export function sendError(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).send({ error: text });
}

/** Sends a failure in the format of its operation. */
export function sendFailure(reply: FastifyReply, operation: Operation | undefined, failure: Failure): FastifyReply {
  const { status, text, headers = {} } = failure;
  reply.headers(headers);
  return operation === "subscription_status"
    ? reply.code(status).send({ identified: false, status: null, message: text })
    : sendError(reply, status, text);
}

/** The headers of every answer. */
function addCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers;
  reply.header("cache-control", "no-store");
  reply.header("x-content-type-options", "nosniff");
  reply.header("x-request-id", request.id);
  reply.header("vary", "Origin");
  if (origin !== undefined) addCorsHeaders(reply, origin);
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

function measure(metrics: Metrics, request: FastifyRequest, status: number, ms: number): void {
  const operation = (request.is404 ? undefined : OPERATIONS.get(pathOf(request))) ?? "other";
  metrics.count("facade_requests", { operation, status: String(status) });
  metrics.observe("facade_request_ms", ms, { operation });
}

/** RFC 9112, 3.2: a request has exactly one Host; HTTP/1.0 needs none. Two could confuse a proxy in between. */
function namesOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const isHost = (text: string, at: number) => at % 2 === 0 && text.length === 4 && text.toLowerCase() === "host";
  const hosts = rawHeaders.filter(isHost).length;
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0");
}

/** The request id of a caller; undefined when it cannot be in a header of ours. */
function saneRequestId(sent: string | string[] | undefined): string | undefined {
  return typeof sent === "string" && /^[A-Za-z0-9._~:+/=@-]{1,128}$/.test(sent) ? sent : undefined;
}

/** The path without its query. */
function pathOf({ url }: FastifyRequest): string {
  return url.split("?", 1)[0] ?? "";
}
