import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionError } from "fastify";
import { type Failure, TEXT } from "./errors.js";

/** Maximum connections. The kernel's queue holds further ones, so that they cost no memory here. */
export const MAX_CONNECTIONS = 10_000;

/** Limits of one peer, in milliseconds and bytes. By default the framework sets no time limit for a request. */
export const SERVER_LIMITS = {
  /** A socket without traffic. */
  connectionTimeout: 30_000,
  /** Idle time between two requests of a connection; longer than the 60 s of common load balancers. */
  keepAliveTimeout: 65_000,
  /** From the first byte of a request to its last. */
  requestTimeout: 15_000,
  http: {
    headersTimeout: 10_000,
    connectionsCheckingInterval: 3000,
    maxHeaderSize: 16 * 1024,
    // Node's own answer to a missing Host has no body; `rest-server.ts` checks it instead.
    requireHostHeader: false,
    /** Of TLS: for https the framework takes these options too. */
    handshakeTimeout: 10_000,
  },
  routerOptions: {
    maxParamLength: 1024,
  },
  trustProxy: false,
  logger: false,
  requestIdHeader: false,
  // While the server closes, requests that have arrived are still answered; readiness has been false for long.
  return503OnClosing: false,
} as const;

const NOT_FOUND: Failure = { status: 404, text: TEXT.notFound };
const FAILURES: ReadonlyMap<string, Failure> = new Map([
  ["FST_ERR_CTP_INVALID_MEDIA_TYPE", { status: 415, text: TEXT.unsupportedType }],
  ["FST_ERR_BAD_URL", NOT_FOUND],
  ["FST_ERR_MAX_PARAM_LENGTH", NOT_FOUND],
]);

/** The answer to a framework error: one of the texts above, otherwise 400 or 500 by its own status. */
export function failureOfServer(error: unknown): Failure {
  const { code, statusCode: status } = isOfFramework(error) ? error : { code: "", statusCode: 500 };
  const isOfCaller = status >= 400 && status < 500;
  return FAILURES.get(code) ?? (isOfCaller ? { status, text: TEXT.badRequest } : { status: 500, text: TEXT.internal });
}

/** Answers bytes that are no HTTP request, in JSON like everything else, and closes the connection. */
export function answerBrokenRequest(error: ConnectionError, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, text } = BROKEN_REQUESTS.get(error.code) ?? BROKEN_REQUEST;
  const body = JSON.stringify({ error: text });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}

/** The answers to bytes that are not a whole request: by the parser's code, and to all others. */
export const BROKEN_REQUESTS: ReadonlyMap<string, Failure> = new Map([
  ["ERR_HTTP_REQUEST_TIMEOUT", { status: 408, text: TEXT.timeout }],
  ["HPE_HEADER_OVERFLOW", { status: 431, text: TEXT.headerTooLarge }],
]);
export const BROKEN_REQUEST: Failure = { status: 400, text: TEXT.badRequest };

function isOfFramework(error: unknown): error is { readonly code: string; readonly statusCode: number } {
  if (!(error instanceof Error && "code" in error && "statusCode" in error)) return false;
  return typeof error.code === "string" && typeof error.statusCode === "number";
}
