/** Values in JSON whose message type has a form of its own there, such as a text for a time. */
import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { InvalidArgument } from "../../domain/errors.js";

const FIELD_MASK = "google.protobuf.FieldMask";
const TIMESTAMP = "google.protobuf.Timestamp";

/** What such a message accepts, by its type. */
export const FORMS: ReadonlyMap<string, string> = new Map([
  [TIMESTAMP, "accepted is a time such as 2026-01-31T12:00:00Z"],
  ["google.protobuf.Duration", "accepted is a duration in seconds such as 3.5s"],
  [FIELD_MASK, "accepted is a text of field names with commas between"],
]);

/** A text of such a message, its path as the sender wrote it, and what puts another text there. */
interface FormText {
  readonly text: string;
  readonly path: string;
  readonly put: (text: string) => void;
}

/**
 * The same JSON with the paths of its field masks in lowerCamelCase, the only spelling that the reader takes; undefined when
 * nothing changes. Contract, errors and other formats write paths with underscores, so both are accepted.
 */
export function withCamelMasks(desc: DescMessage, json: string): string | undefined {
  if (!json.includes("_")) return undefined;
  let changes = 0;
  const parsed = parsedFor(desc, FIELD_MASK, json);
  for (const { text, put } of textsOf(desc, FIELD_MASK, parsed)) {
    if (!text.includes("_")) continue;
    changes++;
    put(text.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  }
  return changes === 0 ? undefined : JSON.stringify(parsed);
}

/** The first time that does not exist. The reader takes 30 February for a day in March, and 24:00 for the next day. */
export function noSuchTime(desc: DescMessage, json: string): InvalidArgument | undefined {
  for (const { text, path } of textsOf(desc, TIMESTAMP, parsedFor(desc, TIMESTAMP, json)))
    if (!exists(text.slice(0, SECONDS))) return new InvalidArgument(path, "invalid", FORMS.get(TIMESTAMP));
  return undefined;
}

/** The length of a time with its seconds, before their fraction and the offset. */
const SECONDS = "2026-01-31T12:00:00".length;

function exists(local: string): boolean {
  return new Date(`${local}Z`).toJSON()?.startsWith(local) === true;
}

/** Undefined for a message that has no such field, and for text that is no JSON: the reader tells of that. */
function parsedFor(desc: DescMessage, form: string, json: string): JsonValue | undefined {
  if (!holds(desc, form)) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    // the reader refuses the text and names the fault
    return undefined;
  }
}

/** `path` is that of the value, with a full stop behind it. */
function* textsOf(
  desc: DescMessage,
  form: string,
  value: JsonValue | undefined,
  path = "",
): Generator<FormText, void, undefined> {
  if (value === undefined || !isJsonObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    const { message, fieldKind } = fieldOf(desc, name) ?? {};
    if (message === undefined || (message.typeName !== form && !holds(message, form))) continue;
    const holder = fieldKind === "message" || typeof inner !== "object" || inner === null ? value : inner;
    for (const [key, item] of holder === value ? [[name, inner] as const] : Object.entries(inner ?? {})) {
      const place = path + name + (holder === value ? "" : fieldKind === "list" ? `[${key}]` : "[*]");
      if (message.typeName !== form) yield* textsOf(message, form, item, `${place}.`);
      else if (typeof item === "string")
        yield { text: item, path: place, put: (text) => void Reflect.set(holder, key, text) };
    }
  }
}

export function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldOf(desc: DescMessage, name: string): DescField | undefined {
  return desc.fields.find(({ jsonName, name: own }) => name === jsonName || name === own);
}

/** Whether a message of the type may be somewhere in the message. */
function holds(desc: DescMessage, form: string): boolean {
  return messagesIn(desc).has(form);
}

const below = new Map<string, ReadonlyMap<string, DescMessage>>();

/** The message and all that may be somewhere in it, by type. */
export function messagesIn(desc: DescMessage): ReadonlyMap<string, DescMessage> {
  const before = below.get(desc.typeName);
  if (before !== undefined) return before;
  const messages = new Map([[desc.typeName, desc]]);
  for (const { fields } of messages.values())
    for (const { message } of fields) if (message !== undefined) messages.set(message.typeName, message);
  below.set(desc.typeName, messages);
  return messages;
}
