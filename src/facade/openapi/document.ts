/**
 * The OpenAPI 3.1 document of the REST interface, served at /openapi.json. It is made from the tables that read
 * requests and write answers; the wire tests check every golden pair against it (test/wire/wire.test.ts).
 */
import { BODY_LIMITS } from "../body.js";
import type { Operation } from "../errors.js";
import { answer, broken, content, failures, HEADERS, named, SUCCESSES } from "./answers.js";
import { APP_ID_SCHEMA, type Json, type JsonObject, KEY_PATTERN, part, SCHEMAS, VISIBLE } from "./schemas.js";

/** `url`: public address without a trailing slash; "/" when it is unknown. */
export function openApiDocument(url: string): JsonObject {
  return {
    openapi: "3.1.1",
    info: {
      title: "Aisle",
      version: "1.0.0-rc.1",
      summary: "Subscription status, event intake and product recommendations for web shops",
      description:
        "Every call is identified by the id of its app (shop) alone. Pages of other origins may call with cookies (CORS), unless the app lists its origins. " +
        `Bodies are at most ${BODY_LIMITS.bodyBytes} bytes, also when decoded from a Content-Encoding of gzip, deflate or br.`,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url }],
    security: [],
    tags: [
      { name: "shop", description: "What storefronts and shops call." },
      { name: "operation", description: "What operators call." },
    ],
    paths: {
      "/subscription_status": { get: SUBSCRIPTION_STATUS },
      "/trace": { post: TRACE },
      "/trace.php": {
        post: {
          ...TRACE,
          operationId: "traceOlder",
          summary: "Takes one event, at the path of older senders",
          deprecated: true,
        },
      },
      "/recommend": { post: RECOMMEND },
      "/recommend_page": { post: RECOMMEND_PAGE },
      "/healthz": { get: plain("healthz", "Is the process alive?", { "200": answer("It is.", "Alive", [], ALIVE) }) },
      "/readyz": {
        get: plain("readyz", "Could an event be made durable now?", {
          "200": answer("It could.", "Ready", [], { ready: { status: "ready" } }),
          "503": answer("Not now.", "NotReady", [], {
            stopping: { error: "Stopping" },
            store: { error: "Not ready", reason: "the store is away" },
          }),
        }),
      },
      "/openapi.json": {
        get: plain("openapi", "This document", {
          "200": {
            ...answer("The document.", "Error", [], {}),
            content: { "application/json": { schema: { type: "object", required: ["openapi", "info", "paths"] } } },
          },
        }),
      },
      "/aisle.js": { get: helperFile("helper", "The helper for pages of shops", "script", "text/javascript") },
      "/aisle.css": { get: helperFile("helperStyle", "How its shelves look", "style sheet", "text/css") },
    },
    components: { schemas: SCHEMAS, headers: HEADERS, parameters: PARAMETERS },
  };
}

const ALIVE: JsonObject = { ok: { status: "ok" } };

const TEXT: JsonObject = { type: "string" };

function header(name: string, description: string, schema = TEXT): JsonObject {
  return { name, in: "header", description, schema };
}

const PARAMETERS: JsonObject = {
  RequestId: header(
    "x-request-id",
    "An id for this request, which the answer repeats: at most 128 of `A-Za-z0-9._~:+/=@-`. Another one is replaced.",
  ),
  IdempotencyKey: header(
    "idempotency-key",
    "For 24 hours the same key of the same sender gets the same event id and one stored event. At most 255 bytes without control characters; a longer one is refused.",
    { ...TEXT, pattern: KEY_PATTERN },
  ),
  SignedId: header(
    "x-aisle-id",
    "Of a signed event, with both other headers: its id, which is its idempotency key. At most 255 bytes, no full stop.",
  ),
  SignedTimestamp: header(
    "x-aisle-timestamp",
    "Of a signed event: when it was signed, in seconds since 1970; at most 5 minutes from now.",
  ),
  Signature: header(
    "x-aisle-signature",
    "Of a signed event: `v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body` (Standard Webhooks 1.0), several with spaces between. A signed event is the shop's own word.",
  ),
  Visitor: {
    name: "fp_ccid",
    in: "cookie",
    description: "Fingerprint cookie id, used when the call itself names none.",
    schema: TEXT,
  },
};

function parameters(...names: readonly string[]): Json[] {
  return names.map((name) => part("parameters", name));
}

function plain(operationId: string, summary: string, answers: JsonObject): JsonObject {
  return {
    operationId,
    summary,
    tags: ["operation"],
    parameters: parameters("RequestId"),
    responses: { ...answers, ...broken() },
  };
}

function helperFile(operationId: string, summary: string, what: string, contentType: string): JsonObject {
  return plain(operationId, summary, {
    "200": {
      description: `The ${what}.`,
      headers: {
        etag: { description: `Of this version of the ${what}.`, schema: TEXT },
        "cache-control": { description: "It may be kept for an hour.", schema: TEXT },
      },
      content: { [contentType]: { schema: TEXT } },
    },
    "304": { description: `The ${what} is the one whose ETag was sent.` },
  });
}

/** What storefronts and shops call. */
function shopCall(operation: Operation, call: JsonObject, success = SUCCESSES[operation]): JsonObject {
  return { ...call, tags: ["shop"], responses: { "200": success, ...failures(operation) } };
}

function jsonBody(schema: string, examples: JsonObject): JsonObject {
  return { required: true, description: "JSON, whatever the content type says.", ...content(schema, examples) };
}

const SUBSCRIPTION_STATUS = shopCall("subscription_status", {
  operationId: "subscriptionStatus",
  summary: "Is this visitor subscribed?",
  description:
    "Whether a visitor is subscribed to the newsletter and is a known customer. Three cookies of the app keep the answer; a request with all three is answered from them.",
  parameters: [
    {
      name: "app_id",
      in: "query",
      required: true,
      description: "The app (shop).",
      schema: APP_ID_SCHEMA,
      examples: named({ demo: "demo" }),
    },
    {
      name: "fpcid",
      in: "query",
      required: true,
      description:
        "Fingerprint cookie id of the visitor; `null` for none. Where it is missing, the cookie `fp_ccid` serves if the request comes from the shop's own site.",
      schema: { ...TEXT, pattern: VISIBLE },
      examples: named({ visitor: "fp-maja" }),
    },
    {
      name: "force",
      in: "query",
      description: "`true` or `1`: the answer is made afresh, whatever the cookies say.",
      schema: { type: ["boolean", "string"] },
      examples: named({ afresh: true }),
    },
    ...parameters("RequestId", "Visitor"),
  ],
});

const FORM: JsonObject = {
  schema: part("schemas", "TraceForm"),
  examples: named({
    view: { app_id: "demo", action_type: "product_view", product_ids: "lark-2", fp_ccid: "fp-maja", c_id: "c-7f3a" },
    order: {
      app_id: "demo",
      action_type: "order",
      sender_type: "server",
      order_id: "1001",
      product_ids: "lark-2|lark-cushion",
      product_counts: "1|2",
      order_payment_value: "187.99",
      order_currency: "EUR",
      email: "maja@shop.example",
      fp_ccid: "fp-maja",
    },
    subscription: { app_id: "demo", action_type: "subscribe", email: "maja@shop.example", fp_ccid: "fp-maja" },
  }),
};

const TRACE = shopCall("trace", {
  operationId: "trace",
  summary: "Takes one event",
  description:
    "The single intake of tracking events, from browsers and from a shop's server. The answer comes when the event is on disk.",
  parameters: parameters("RequestId", "IdempotencyKey", "SignedId", "SignedTimestamp", "Signature", "Visitor"),
  requestBody: {
    required: true,
    description:
      "A form. Browsers' beacons may send it as plain text. Decoding is forgiving: no value makes it unreadable.",
    content: {
      "application/x-www-form-urlencoded": FORM,
      "multipart/form-data": FORM,
      "text/plain": {
        schema: { ...TEXT, description: "The same as the first, by another name." },
        examples: named({ view: "app_id=demo&action_type=product_view&product_ids=lark-2&fp_ccid=fp-maja" }),
      },
    },
  },
});

const VIEWED: JsonObject = {
  productInteractionType: "product_view",
  productId: "wren-1",
  productSku: "wren-1",
  utcInteractionDate: "2026-03-01T10:00:00.000Z",
};
const ON_PRODUCT_PAGE: JsonObject = { currentProductIds: "lark-2", fpccid: "fp-maja" };

const RECOMMEND = shopCall("recommend", {
  operationId: "recommend",
  summary: "What should this visitor see next?",
  description:
    "Products for a visitor, from the history that the client sends, what is known of the visitor, and the page being viewed.",
  parameters: parameters("RequestId"),
  requestBody: jsonBody("RecommendRequest", {
    productPage: { appId: "demo", productInteractions: [VIEWED], ...ON_PRODUCT_PAGE },
    newVisitor: { appId: "demo", productInteractions: [] },
  }),
});

const RECOMMEND_PAGE = shopCall(
  "recommend",
  {
    operationId: "recommendPage",
    summary: "What should the frames of this page show?",
    description:
      "Fills several frames of a page in one call. No product, and no variant of it, is on the page twice: earlier frames choose first.",
    parameters: parameters("RequestId"),
    requestBody: jsonBody("RecommendPageRequest", {
      productPage: { appId: "demo", productInteractions: [], ...ON_PRODUCT_PAGE, frames: ["below", "side"] },
    }),
  },
  SUCCESSES.recommend_page,
);
