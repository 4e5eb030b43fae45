import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { Metrics } from "../adapters/metrics.js";
import { type Event, SenderType } from "../gen/aisle/v1/event_pb.js";
import type { EventSignature, SenderAllowance } from "../gen/aisle/v1/event_service_pb.js";
import { isNoValue } from "../parse/words-for-nothing.js";
import { readVisitorCookie } from "./cookies.js";
import { type Failure, invalid, invalidApp, isKeyRefused, KEY_HEADER, missing, Refused, TEXT } from "./errors.js";
import { decodeTwiceEncoded, type Form, readForm } from "./form.js";
import { flattenJsonLists } from "./lists.js";
import { readMultipart } from "./multipart.js";
import type { OperationParts } from "./operations.js";
import { rateLimitHeaders } from "./rate-limit.js";
import { sendFailure } from "./rest-server.js";
import { signalsOf } from "./sender.js";
import { isAppId, trimSpaces } from "./text-values.js";
import { wholeSeconds } from "./times.js";
import { type Read, reader, toEvent } from "./trace-event.js";
import { TRACE_FIELDS } from "./trace-fields.js";

/**
 * Delay before the facade refuses an event under overload. A sender that is refused at once sends its next event at
 * once. A thousand such connections would leave the server no time to store anything.
 */
const REFUSED_AFTER_MS = 400;

/** Refuses events of a full server before their body is read: a refusal costs a fraction of an event. */
export function createOverloadRefusal(
  isFull: (() => boolean) | undefined,
  metrics: Metrics | undefined,
): onRequestHookHandler {
  return (_request, reply, done) => {
    if (isFull?.() !== true) return done();
    metrics?.count("shed", { reason: "calls" });
    const full: Failure = { status: 503, text: TEXT.unavailable, headers: { "retry-after": "1" } };
    setTimeout(() => sendFailure(reply, "trace", full), REFUSED_AFTER_MS);
  };
}

/** POST /trace: accepts one event. It answers when the event is durable and its effects are done. */
export function createTrace(parts: OperationParts) {
  const { events, origins, statusCookies, senderOf, isCrawler, callOptions, now, metrics } = parts;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const reading = readTraceForm(request);
    const form = reading instanceof Promise ? await reading : reading;
    const { fields, droppedFields, droppedValues } = form;
    if (droppedFields > 0) metrics?.count("facade_form_dropped", { reason: "fields" }, droppedFields);
    if (droppedValues > 0) metrics?.count("facade_form_dropped", { reason: "value_size" }, droppedValues);
    const { "idempotency-key": keyHeader } = request.headers;
    const signature = signatureOf(request);
    const hasKey = keyHeader !== undefined || fields.has("idempotency_key") || signature !== undefined;
    const sentDigest = hasKey ? digestOf(fields) : "";
    decodeTwiceEncoded(fields, TRACE_FIELDS);
    flattenJsonLists(fields);
    const read = reader(fields);
    const appId = read("app_id");
    if (appId === "") throw missing("trace", "app_id");
    if (!isAppId(appId)) throw invalidApp("trace");
    const { origin, cookie, "user-agent": userAgent = "" } = request.headers;
    await origins.check(appId, origin);

    // Cookies are not signed.
    const event = toEvent(fields, signature ? "" : readVisitorCookie(cookie), now());
    event.bot = isCrawler(userAgentOf(event, read, userAgent));
    const signals = signalsOf(request.headers);
    const key = keyOf(keyHeader, read);
    const recording = events.recordEvent(
      {
        $typeName: "aisle.v1.RecordEventRequest",
        appId,
        event,
        publicSender: senderOf(request),
        idempotencyKey: key.text,
        sentDigest,
        validateOnly: false,
        ...(signals && { signals }),
        ...(signature && { signature }),
      },
      callOptions,
    );
    const response = await recording.catch((error) => {
      throw isKeyRefused(error) ? invalid("trace", key.name) : error;
    });

    reply.header("x-service-event-id", response.eventId);
    if (response.senderAllowance !== undefined) reply.headers(allowanceHeaders(response.senderAllowance));
    if (response.visitorChanged) reply.header("set-cookie", statusCookies.expire(appId));
    reply.send({ event_id: response.eventId });
  };
}

function allowanceHeaders({ limit, remaining, window, resetDelay }: SenderAllowance) {
  return rateLimitHeaders(limit, wholeSeconds(window), remaining, wholeSeconds(resetDelay));
}

/** The digest depends on the sent bytes only, not on parsing, order or encoding. */
function digestOf(fields: ReadonlyMap<string, string>): string {
  const sent = [...fields].sort(([a], [b]) => (a < b ? -1 : 1));
  return hash("sha256", JSON.stringify(sent), "base64url");
}

/** The user agent that the visitor uses. A shop's server can pass it on; its own user agent is not the visitor's. */
function userAgentOf(event: Event, read: Read, header: string): string {
  return read("user_agent") || (event.senderType === SenderType.SERVER ? "" : header);
}

/** Undefined for a request without any signature header; the services reject one that lacks some. */
function signatureOf({ headers, body }: FastifyRequest): EventSignature | undefined {
  const id = headers["x-aisle-id"];
  const timestamp = headers["x-aisle-timestamp"];
  const signatures = headers["x-aisle-signature"];
  if (id === undefined && timestamp === undefined && signatures === undefined) return undefined;
  return {
    $typeName: "aisle.v1.EventSignature",
    id: String(id ?? ""),
    timestamp: String(timestamp ?? ""),
    signatures: String(signatures ?? ""),
    body: bytesOf(body),
  };
}

function bytesOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/** The key and the name under which it came. A word for nothing would make one event of all. */
function keyOf(header: string | string[] | undefined, read: Read): { readonly name: string; readonly text: string } {
  const sent = typeof header === "string" && !isNoValue(header) ? trimSpaces(header) : "";
  if (sent !== "") return { name: KEY_HEADER, text: sent };
  const field = trimSpaces(read("idempotency_key"));
  return { name: "idempotency_key", text: isNoValue(field) ? "" : field };
}

/** Reads the body by its content type. Throws Refused 415 for a type that no event sender uses. */
function readTraceForm(request: FastifyRequest): Form | Promise<Form> {
  const bytes = bytesOf(request.body);
  const contentType = request.sentContentType;
  switch (mediaType(contentType)) {
    case "":
    case "application/x-www-form-urlencoded":
    case "text/plain":
      return readForm(bodyText(bytes));
    case "multipart/form-data":
      return readMultipart(contentType, bytes);
    default:
      throw new Refused(415, TEXT.unsupportedType);
  }
}

/** The body's text without a leading byte order mark and trailing line ends, which some tools add. */
function bodyText(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  let end = text.length;
  while (end > start && (text.charCodeAt(end - 1) === 0x0a || text.charCodeAt(end - 1) === 0x0d)) end--;
  return text.slice(start, end);
}

/** The media type of a content type header, without parameters. */
function mediaType(header: string): string {
  return header.replace(/;.*/s, "").trim().toLowerCase();
}
