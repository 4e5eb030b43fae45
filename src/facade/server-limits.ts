import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionError } from "fastify";
import type { BodyLimits } from "./body.js";
import { type Failure, TEXT } from "./errors.js";

/** Maximum bytes of a request body. */
export const BODY_LIMIT = 1024 * 1024;

/**
 * Bytes of bodies in memory at a time: at most 10,000 times 16 KiB, plus 32 MiB that larger bodies share. Bodies of
 * more than 128 KiB take turns: 1 MiB of interactions takes 10 ms. Storefronts send up to 80 KiB (200 interactions of
 * each type).
 */
export const BODY_LIMITS: BodyLimits = {
  bodyBytes: BODY_LIMIT,
  ownBytes: 16 * 1024,
  sharedBytes: 32 * BODY_LIMIT,
  promptBytes: 128 * 1024,
};

/** Maximum connections. The kernel's queue holds further ones, so that they cost no memory here. */
export const MAX_CONNECTIONS = 10_000;

/** Limits of one peer, in milliseconds and bytes. By default the framework sets no time limit for a request. */
export const SERVER_LIMITS = {
  bodyLimit: BODY_LIMIT,
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

const FAILURES: ReadonlyMap<string, Failure> = new Map(
  (
    [
      ["FST_ERR_CTP_BODY_TOO_LARGE", 413, TEXT.tooLarge],
      ["FST_ERR_CTP_INVALID_CONTENT_LENGTH", 400, TEXT.invalidBody],
      ["FST_ERR_CTP_INVALID_MEDIA_TYPE", 415, TEXT.unsupportedType],
      ["FST_ERR_BAD_URL", 404, TEXT.notFound],
      ["FST_ERR_MAX_PARAM_LENGTH", 404, TEXT.notFound],
    ] as const
  ).map(([code, status, text]) => [code, { status, text, retryAfterSeconds: 0 }]),
);

/** The answer to a framework error: one of the texts above, otherwise 400 or 500 by its own status. */
export function failureOfServer(error: unknown): Failure {
  const { code, statusCode } = readError(error);
  const known = FAILURES.get(code);
  if (known !== undefined) return known;
  return statusCode >= 400 && statusCode < 500
    ? { status: statusCode, text: TEXT.badRequest, retryAfterSeconds: 0 }
    : { status: 500, text: TEXT.internal, retryAfterSeconds: 0 };
}

/** Answers bytes that are no HTTP request, in JSON like everything else, and closes the connection. */
export function answerBrokenRequest(error: ConnectionError, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, text] = brokenStatus(error.code);
  const body = JSON.stringify({ error: text });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}

type Answer = readonly [status: number, text: string];

const OVERFLOW: Answer = [431, TEXT.headerTooLarge];
const TIMEOUT: Answer = [408, TEXT.timeout];
const BROKEN: Answer = [400, TEXT.badRequest];

/** The answer to bytes that are not a whole request. */
export const BROKEN_REQUESTS: readonly Answer[] = [BROKEN, TIMEOUT, OVERFLOW];

function brokenStatus(code: string): Answer {
  if (code === "HPE_HEADER_OVERFLOW") return OVERFLOW;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? TIMEOUT : BROKEN;
}

function readError(error: unknown): { code: string; statusCode: number } {
  if (typeof error !== "object" || error === null) return { code: "", statusCode: 500 };
  return {
    code: "code" in error && typeof error.code === "string" ? error.code : "",
    statusCode: "statusCode" in error && typeof error.statusCode === "number" ? error.statusCode : 500,
  };
}
