/** The answers of each operation. Statuses and texts come from the tables that answer calls. */
import { Code, ConnectError } from "@connectrpc/connect";
import { failureOf, invalid, invalidApp, missing, type Operation, Refused, TEXT } from "../errors.js";
import { BROKEN_REQUESTS } from "../server-limits.js";
import { type Json, type JsonObject, part } from "./json.js";

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

const HEADER_NAMES: Readonly<Record<Operation, readonly string[]>> = {
  subscription_status: ["set-cookie"],
  trace: ["set-cookie", "ratelimit", "ratelimit-policy"],
  recommend: [],
};

/** The success answer of each operation. */
export function success(operation: Operation): JsonObject {
  switch (operation) {
    case "subscription_status":
      return answer("What is known of the visitor.", "StatusAnswer", HEADER_NAMES[operation], {
        subscribed: { identified: true, status: true, message: "Success" },
        unsubscribed: { identified: true, status: false, message: "Success" },
        unknown: { identified: true, status: null, message: "Success" },
        anonymous: { identified: false, status: null, message: "Success" },
      });
    case "trace":
      return {
        ...answer(
          "The event is durable and its effects are done.",
          "TraceAnswer",
          ["x-service-event-id", ...HEADER_NAMES[operation]],
          { event: { event_id: "0195514a-2a80-7d3c-a1f5-3c6f0e9b7a42" } },
        ),
        links: {
          statusOfTheVisitor: {
            operationId: "subscriptionStatus",
            parameters: { app_id: "$request.body#/app_id", fpcid: "$request.body#/fp_ccid" },
            description: "Whether the event's visitor is subscribed, its own effects included.",
          },
        },
      };
    case "recommend":
      return answer("Both lists; either may be empty.", "RecommendAnswer", [], { lists: { ...CONTEXT, ...LISTS } });
  }
}

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

/** The success answer of a page, which has the errors of one frame. */
export function pageSuccess(): JsonObject {
  return answer("Both lists of each frame; any may be empty.", "RecommendPageAnswer", [], {
    page: {
      ...CONTEXT,
      frames: [
        { frameId: "below", ...LISTS },
        { frameId: "side", recommended: [], alternative: [] },
      ],
    },
  });
}

/** Errors that the facade itself makes, in addition to those of its calls. */
function refusals(operation: Operation): readonly Refused[] {
  const all = [
    missing(operation, operation === "recommend" ? "appId" : "app_id"),
    invalidApp(operation),
    new Refused(403, TEXT.originNotAllowed),
  ];
  const withBody = [
    new Refused(400, TEXT.invalidBody),
    new Refused(400, TEXT.brokenCoding),
    new Refused(413, TEXT.tooLarge),
    new Refused(415, TEXT.unsupportedCoding),
  ];
  switch (operation) {
    case "subscription_status":
      return [...all, missing(operation, "fpcid")];
    case "trace":
      return [
        ...all,
        ...withBody,
        invalid(operation, "action_type"),
        new Refused(415, TEXT.unsupportedType),
        new Refused(401, TEXT.signatureUnknown),
        new Refused(401, TEXT.signatureExpired),
      ];
    case "recommend":
      return [
        ...all,
        ...withBody,
        invalid(operation, "productInteractions[3].utcInteractionDate"),
        new Refused(400, TEXT.invalidJson),
      ];
  }
}

interface Fault {
  readonly texts: Set<string>;
  mayRetry: boolean;
}

/** Every error status that an operation can answer, with its texts. */
export function failures(operation: Operation): JsonObject {
  const faults = new Map<number, Fault>();
  const codes = Object.values(Code).filter((code): code is Code => typeof code === "number");
  for (const error of [...refusals(operation), ...codes.map((code) => new ConnectError("", code))]) {
    const { status, text, retryAfterSeconds } = failureOf(operation, error);
    const fault = faults.get(status) ?? { texts: new Set(), mayRetry: false };
    faults.set(status, fault);
    fault.texts.add(text);
    fault.mayRetry ||= retryAfterSeconds > 0;
  }
  const answers = [...faults].map(([status, { texts, mayRetry }]): [string, JsonObject] => {
    const names = [
      ...(mayRetry ? ["retry-after"] : []),
      ...(status === 401 ? ["www-authenticate"] : []),
      ...(status === 429 ? ["ratelimit", "ratelimit-policy"] : []),
    ];
    const isStatus = operation === "subscription_status";
    const examples = [...texts].map((text, index): [string, Json] => [
      `text${index + 1}`,
      isStatus ? { identified: false, status: null, message: text } : { error: text },
    ]);
    return [
      String(status),
      answer(
        [...texts].map((text) => `\`${text}\``).join(", "),
        isStatus ? "StatusAnswer" : "Error",
        names,
        Object.fromEntries(examples),
      ),
    ];
  });
  return { ...broken(), ...Object.fromEntries(answers) };
}

/** Answers to an incomplete request: it has neither path nor id yet. */
export function broken(): JsonObject {
  return Object.fromEntries(
    BROKEN_REQUESTS.map(([status, text]) => [
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

function content(schema: string, examples: JsonObject): JsonObject {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }]);
  return {
    content: { "application/json": { schema: part("schemas", schema), examples: Object.fromEntries(named) } },
  };
}
