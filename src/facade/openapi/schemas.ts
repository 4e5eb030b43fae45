/**
 * Schemas of requests and answers, made from the tables of the readers. They describe what is accepted, which is more
 * than a sender should send: text may come as a number, and unknown fields are allowed.
 */
import { FORM_LIMITS } from "../form.js";
import {
  type FieldKind,
  FRAME_ID,
  FRAME_INTERACTION,
  INTERACTION_TYPES,
  MAX_FRAMES,
  PAGE_BODY,
  PRODUCT_INTERACTION,
  RECOMMEND_BODY,
  type RecommendField,
} from "../recommend-fields.js";
import { APP_ID } from "../text-values.js";
import { OTHER_ACTIONS, REQUIRED_BY_ACTION, TRACE_FORM, type TraceField } from "../trace-fields.js";

/** A value that JSON can write. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** A reference to a part of the document that has a name. */
export function part(kind: "schemas" | "headers" | "parameters", name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}

export const APP_ID_SCHEMA: JsonObject = { type: "string", pattern: APP_ID.source };

const MAX_ACTION_LENGTH = 64;
/** Text without control characters that is not all spaces. */
export const VISIBLE =
  "^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\u0000-\\u0020\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$";

type RequiredField = (typeof REQUIRED_BY_ACTION)[keyof typeof REQUIRED_BY_ACTION][number];

/** Of an idempotency key; other text of at most 255 bytes is taken as well. */
export const KEY_PATTERN = "^[ -~]{0,255}$";

/** A required field of an action needs some character besides spaces and list separators. */
const PATTERNS: Readonly<Partial<Record<string, string>>> = {
  action_type: VISIBLE,
  product_ids: "[^ |]",
  product_skus: "[^ |]",
  product_category_ids: "[^ |~]",
  order_id: "[^ ]",
  email: "[^ ]",
  phone: "[^ ]",
} satisfies Record<RequiredField | "action_type", string>;

/** Text as JSON senders write it. */
const TEXT: JsonObject = { type: ["string", "number", "boolean", "null"] };

const KINDS: Readonly<Record<FieldKind, JsonObject>> = {
  app: { ...APP_ID_SCHEMA, type: ["string", "integer", "boolean"] },
  text: TEXT,
  list: TEXT,
  time: { type: "string", format: "date-time" },
  type: {
    anyOf: [
      { type: "string", enum: documentedTypes() },
      { type: "string", pattern: `^\\s*(${[...INTERACTION_TYPES.keys()].map(anyCase).join("|")})\\s*$` },
    ],
  },
  flag: {},
  frames: { type: "array", items: { type: "string", pattern: FRAME_ID.source }, minItems: 1, maxItems: MAX_FRAMES },
  interactions: { type: "array", items: part("schemas", "ProductInteraction") },
  frameInteractions: {
    anyOf: [
      { type: "array", items: part("schemas", "FrameInteraction") },
      { type: "null" },
      { type: "string", maxLength: 0 },
    ],
  },
};

/** The documented word of each kind; the others are variants that some senders write. */
function documentedTypes(): string[] {
  const words = new Map<unknown, string>();
  for (const [word, type] of INTERACTION_TYPES) if (!words.has(type)) words.set(type, word);
  return [...words.values()];
}

/** A pattern for a word in any case, since JSON Schema patterns have no flags. */
function anyCase(word: string): string {
  return word.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}

/** The frames of a page take the place of the one frame. */
const { marketingMachineFrameConfigurationId: _, ...ONE_BODY } = RECOMMEND_BODY;

function bodySchema(says: string, fields: Readonly<Record<string, RecommendField>>): JsonObject {
  return {
    type: "object",
    description: says,
    required: Object.keys(fields).filter((name) => fields[name]?.required === true),
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { kind, ids, says }]) => [
        name,
        { ...(ids === undefined ? KINDS[kind] : listSchema(ids)), description: says },
      ]),
    ),
  };
}

/** Text, or an object that holds an id under one of the names, or an array of these. */
function listSchema(names: readonly string[]): JsonObject {
  const holding = names.map((name) => ({
    type: "object",
    required: [name],
    properties: { [name]: { type: ["string", "number"] } },
  }));
  const element = [TEXT, ...holding];
  return { anyOf: [...element, { type: "array", items: { anyOf: element } }] };
}

function traceForm(): JsonObject {
  const properties = Object.fromEntries(
    Object.entries<TraceField>(TRACE_FORM).map(([name, { says, example }]) => {
      const pattern = PATTERNS[name];
      const more = { ...(pattern !== undefined && { pattern }), ...(example !== undefined && { examples: [example] }) };
      return [name, { type: "string", description: says, ...more }];
    }),
  );
  const actions = [...OTHER_ACTIONS, ...Object.keys(REQUIRED_BY_ACTION)];
  return {
    type: "object",
    description: `One event. Values that are empty, \`null\` or \`undefined\` count as not sent. So do ids over 255 bytes, with control characters, or that are words for nothing, such as \`NULL\`, \`NaN\` and, for a person, \`0\` and \`guest\`. Of a repeated name the first value counts. A list may also come as an array: \`product_ids[]\` or \`product_ids[0]\` for each element, or JSON. Unknown fields are kept with the event, at most ${FORM_LIMITS.fields} fields in all.`,
    required: ["app_id", "action_type"],
    properties: {
      ...properties,
      app_id: { ...properties.app_id, ...APP_ID_SCHEMA },
      idempotency_key: { ...properties.idempotency_key, pattern: KEY_PATTERN },
      action_type: {
        ...properties.action_type,
        description: `${TRACE_FORM.action_type.says} ${actions.map((action) => `\`${action}\``).join(", ")}.`,
        maxLength: MAX_ACTION_LENGTH,
      },
    },
    additionalProperties: { type: "string" },
    allOf: Object.entries(REQUIRED_BY_ACTION).map(([action, names]) => ({
      if: { properties: { action_type: { const: action } } },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: oneOf(names),
    })),
  };
}

function oneOf(names: readonly string[]): JsonObject {
  const [first = "", ...others] = names;
  return others.length === 0 ? { required: [first] } : { anyOf: names.map((name) => ({ required: [name] })) };
}

/** An object with these properties and no others. */
const closed = (required: JsonObject, optional: JsonObject = {}): JsonObject => ({
  type: "object",
  required: Object.keys(required),
  properties: { ...required, ...optional },
  additionalProperties: false,
});

const text = (description: string): JsonObject => ({ type: "string", description });
const products = (description: string): JsonObject => ({
  type: "array",
  items: part("schemas", "Product"),
  description,
});

const CONTEXT: JsonObject = {
  version: text("Version of the engine; a client empties its frame interactions when it changes."),
  trackerProduct: {
    description: "The first of the products currently viewed; null when none was sent.",
    anyOf: [part("schemas", "Product"), { type: "null" }],
  },
};
const LISTS: JsonObject = {
  recommended: products("Complementary products."),
  alternative: products("Similar products."),
};
const TRACKED: JsonObject = {
  recommendationId: text("Id of the answer, present when the request says `trackClicks`."),
};

/** By name. */
export const SCHEMAS: JsonObject = {
  StatusAnswer: {
    ...closed({
      identified: { type: "boolean", description: "The visitor is known: an e-mail address is associated." },
      status: {
        type: ["boolean", "null"],
        description: "Subscribed, unsubscribed, or null: not known. Who is not identified has none.",
      },
      message: text("`Success`, or what went wrong."),
    }),
    if: { properties: { identified: { const: false } } },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { properties: { status: { type: "null" } } },
  },
  TraceForm: traceForm(),
  TraceAnswer: closed({ event_id: { type: "string", format: "uuid", description: "Id of the event, a UUIDv7." } }),
  RecommendRequest: bodySchema("Who asks, on which page, and what the visitor did before.", RECOMMEND_BODY),
  RecommendPageRequest: bodySchema("Who asks, on which page, for which frames.", { ...ONE_BODY, ...PAGE_BODY }),
  ProductInteraction: bodySchema("One thing the visitor did with a product.", PRODUCT_INTERACTION),
  FrameInteraction: bodySchema("A recommendation that the visitor followed.", FRAME_INTERACTION),
  RecommendAnswer: closed({ ...CONTEXT, ...LISTS }, TRACKED),
  RecommendPageAnswer: closed({
    ...CONTEXT,
    frames: {
      type: "array",
      items: part("schemas", "FilledFrame"),
      description: "One for each of `frames`, in their order.",
    },
  }),
  FilledFrame: closed({ frameId: text("The frame configuration that was filled."), ...LISTS }, TRACKED),
  Product: closed(
    {
      productId: text("Product id."),
      title: text("Title."),
      imageUrl: text("Address of the picture."),
      url: text("Address of the product page."),
      price: { ...text("Decimal text with a dot, empty: not known."), pattern: "^(-?\\d+(\\.\\d+)?)?$" },
      categoryId: text("The deepest category."),
    },
    { currency: text("ISO 4217 code of the price, present when the request says `withCurrency`; empty: not known.") },
  ),
  Error: closed({ error: text("What went wrong. It names fields and never quotes a value.") }),
  Alive: closed({ status: { type: "string", const: "ok" } }),
  Ready: closed({ status: { type: "string", const: "ready" } }),
  NotReady: closed(
    { error: text("`Stopping` or `Not ready`.") },
    { reason: text("Why an event could not be made durable.") },
  ),
};
