/** The answers of each operation. Statuses and texts come from the tables that answer calls. */
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { failureOf, invalid, invalidApp, missing, type Operation, Refused, TEXT } from "../errors.js";
import { BROKEN_REQUEST, BROKEN_REQUESTS } from "../server-limits.js";
import { type Json, type JsonObject, part } from "./schemas.js";

/** Headers of every answer by Aisle itself. */
const COMMON = ["cache-control", "vary", "x-content-type-options", "x-request-id"];

const header = (description: string, schema: JsonObject, required = true): JsonObject => ({
  description,
  required,
  schema,
});

/** By name; the answers refer to them. */
export const HEADERS: JsonObject = {
  "cache-control": header("Nothing is kept by anybody on the way.", { type: "string", const: "no-store" }),
  vary: header("The answer depends on the page's origin.", { type: "string", const: "Origin" }),
  "x-content-type-options": header("The content type is what it says.", { type: "string", const: "nosniff" }),
  "x-request-id": header("The id that the request brought, or one made for it.", { type: "string" }),
  "x-service-event-id": header("Id of the event, a UUIDv7.", { type: "string", format: "uuid" }),
  "retry-after": header("Seconds after which a retry may succeed.", { type: "string", pattern: "^[1-9]\\d*$" }, false),
  "www-authenticate": header("How an event can be signed.", { type: "string", const: "Aisle-Signature" }),
  ratelimit: header(
    "What is left of a backend sender's limit, and the seconds until it is whole again.",
    { type: "string", examples: ['"server";r=57;t=1'] },
    false,
  ),
  "ratelimit-policy": header(
    "The limit itself: requests in a window of seconds.",
    { type: "string", examples: ['"server";q=100;w=1'] },
    false,
  ),
  "set-cookie": header("The three cookies CustomerSubscribed…_{app_id}, set or expired.", { type: "string" }, false),
};

const product = (productId: string, title: string, price: string): JsonObject => ({
  productId,
  title,
  imageUrl: `https://shop.example/${productId}.jpg`,
  url: `https://shop.example/${productId}`,
  price,
  categoryId: "chairs",
});

const CONTEXT: JsonObject = { version: "2026030110", trackerProduct: product("lark-2", "Lark armchair", "149.99") };
const LISTS: JsonObject = {
  recommended: [product("lark-cushion", "Cushion for the Lark", "19.00")],
  alternative: [product("wren-1", "Wren armchair", "")],
};
const FRAMES: Json = [
  { frameId: "below", ...LISTS },
  { frameId: "side", recommended: [], alternative: [] },
];

/** The success answer of each operation, and of a page, which has the errors of one frame. */
export const SUCCESSES: Readonly<Record<Operation | "recommend_page", JsonObject>> = {
  subscription_status: answer("What is known of the visitor.", "StatusAnswer", ["set-cookie"], {
    subscribed: { identified: true, status: true, message: "Success" },
    unsubscribed: { identified: true, status: false, message: "Success" },
    unknown: { identified: true, status: null, message: "Success" },
    anonymous: { identified: false, status: null, message: "Success" },
  }),
  trace: {
    ...answer(
      "The event is durable and its effects are done.",
      "TraceAnswer",
      ["x-service-event-id", "set-cookie", "ratelimit", "ratelimit-policy"],
      { event: { event_id: "0195514a-2a80-7d3c-a1f5-3c6f0e9b7a42" } },
    ),
    links: {
      statusOfTheVisitor: {
        operationId: "subscriptionStatus",
        parameters: { app_id: "$request.body#/app_id", fpcid: "$request.body#/fp_ccid" },
        description: "Whether the event's visitor is subscribed, its own effects included.",
      },
    },
  },
  recommend: answer("Both lists; either may be empty.", "RecommendAnswer", [], { lists: { ...CONTEXT, ...LISTS } }),
  recommend_page: answer("Both lists of each frame; any may be empty.", "RecommendPageAnswer", [], {
    page: { ...CONTEXT, frames: FRAMES },
  }),
};

const OF_BODY = [
  new Refused(400, TEXT.invalidBody),
  new Refused(400, TEXT.brokenCoding),
  new Refused(413, TEXT.tooLarge),
  new Refused(415, TEXT.unsupportedCoding),
];

/** Errors that the facade itself makes, besides those of the app. */
const REFUSALS: Readonly<Record<Operation, readonly Refused[]>> = {
  subscription_status: [missing("subscription_status", "fpcid")],
  trace: [...OF_BODY, invalid("trace", "action_type"), new Refused(415, TEXT.unsupportedType)],
  recommend: [
    ...OF_BODY,
    invalid("recommend", "productInteractions[3].utcInteractionDate"),
    new Refused(400, TEXT.invalidJson),
  ],
};

/** Errors of the calls behind: of the reasons that have their own answer, and of each code. */
const CALL_ERRORS = [
  callError(Code.Unauthenticated, "SIGNATURE_UNKNOWN"),
  callError(Code.Unauthenticated, "SIGNATURE_EXPIRED"),
  ...Object.values(Code).flatMap((code) => (typeof code === "number" ? [callError(code, "")] : [])),
];

function callError(code: Code, reason: string): ConnectError {
  const info = { reason, metadata: { limit: "100", window_seconds: "1" } };
  return new ConnectError("", code, undefined, [{ desc: ErrorInfoSchema, value: info }]);
}

/** Every error status that an operation can answer, with its texts. */
export function failures(operation: Operation): JsonObject {
  const ofApp = [missing(operation, operation === "recommend" ? "appId" : "app_id"), invalidApp(operation)];
  const errors = [...ofApp, new Refused(403, TEXT.originNotAllowed), ...REFUSALS[operation], ...CALL_ERRORS];
  const all = errors.map((error) => failureOf(operation, error));
  const isStatus = operation === "subscription_status";
  const answers = [...new Set(all.map(({ status }) => status))].map((status) => {
    const failures = all.filter((failure) => failure.status === status);
    const texts = [...new Set(failures.map(({ text }) => text))];
    const headers = new Set(failures.flatMap((failure) => Object.keys(failure.headers ?? {})));
    const examples = texts.map((text, index): [string, Json] => [
      `text${index + 1}`,
      isStatus ? { identified: false, status: null, message: text } : { error: text },
    ]);
    const description = texts.map((text) => `\`${text}\``).join(", ");
    const schema = isStatus ? "StatusAnswer" : "Error";
    return [String(status), answer(description, schema, [...headers], Object.fromEntries(examples))] as const;
  });
  return { ...broken(), ...Object.fromEntries(answers) };
}

/** Answers to an incomplete request: it has neither path nor id yet. */
export function broken(): JsonObject {
  return Object.fromEntries(
    [BROKEN_REQUEST, ...BROKEN_REQUESTS.values()].map(({ status, text }) => [
      String(status),
      { description: `\`${text}\`. The connection ends.`, ...content("Error", { text: { error: text } }) },
    ]),
  );
}

/** A JSON answer with the headers of all answers and the given ones. */
export function answer(
  description: string,
  schema: string,
  headers: readonly string[],
  examples: JsonObject,
): JsonObject {
  return {
    description,
    headers: Object.fromEntries([...COMMON, ...headers].map((name) => [name, part("headers", name)])),
    ...content(schema, examples),
  };
}

export function content(schema: string, examples: JsonObject): JsonObject {
  return { content: { "application/json": { schema: part("schemas", schema), examples: named(examples) } } };
}

/** Examples as the document has them. */
export function named(examples: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}
