/** Finds the fault of JSON that is no message of the contract: the field, as its sender wrote it, and the accepted values. */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  fromJson,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { InvalidArgument } from "../../domain/errors.js";
import { FORMS, fieldOf, isJsonObject } from "./json-forms.js";
import { namesOf } from "./known-enums.js";

/** A name that may be repeated to its sender; other text could be somebody's data. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/**
 * The first fault of JSON that could not be read as the message, with the reader's error; undefined when it is no JSON object.
 */
export function jsonFault(desc: DescMessage, json: string, error: unknown): InvalidArgument | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(json);
  } catch {
    // It is no JSON, as the caller says.
    return undefined;
  }
  return (isJsonObject(value) ? faultIn(desc, value) : undefined) ?? nameTwice(desc, error);
}

/** `JSON.parse` keeps the last of two values of one name, so only the reader finds both. */
function nameTwice(desc: DescMessage, error: unknown): InvalidArgument | undefined {
  const [, name] = (error instanceof Error && /duplicate object key "(\w+)"/.exec(error.message)) || [];
  if (name === undefined || !isFieldBelow(desc, name)) return undefined;
  return new InvalidArgument(name, "invalid", ONCE);
}

/** Whether a field of the message, or of one inside, has this name. */
function isFieldBelow(desc: DescMessage, name: string, seen = new Set<DescMessage>()): boolean {
  if (seen.has(desc)) return false;
  seen.add(desc);
  return (
    fieldOf(desc, name) !== undefined || desc.fields.some(({ message }) => message && isFieldBelow(message, name, seen))
  );
}

const ONCE = "accepted is one value; the field is given twice";

/** `path` is that of the object, with a full stop behind it: names stand in errors as the sender wrote them. */
function faultIn(desc: DescMessage, object: JsonObject, path = ""): InvalidArgument | undefined {
  const given = new Set<DescField | DescOneof>();
  for (const [name, value] of Object.entries(object)) {
    const field = fieldOf(desc, name);
    if (field === undefined) {
      const known = desc.fields.map(({ jsonName }) => jsonName).join(", ");
      const accepted = known === "" ? "no field is accepted" : `accepted are ${known}`;
      return new InvalidArgument(path + (NAME.test(name) ? name : "a name that is unknown"), "invalid", accepted);
    }
    if (value === null) continue;
    const fault = given.has(field)
      ? new InvalidArgument(path + name, "invalid", ONCE)
      : faultOfField(field, value, path + name);
    if (fault !== undefined) return fault;
    if (field.oneof !== undefined && given.has(field.oneof)) {
      const names = field.oneof.fields.map(({ jsonName }) => jsonName).join(", ");
      return new InvalidArgument(path + name, "invalid", `accepted is one of ${names}`);
    }
    given.add(field);
    if (field.oneof !== undefined) given.add(field.oneof);
  }
  return undefined;
}

function faultOfField(field: DescField, value: JsonValue, path: string): InvalidArgument | undefined {
  const kind = field.message ?? field.enum;
  if (field.fieldKind === "list") {
    if (!Array.isArray(value)) return new InvalidArgument(path, "invalid", "accepted is a list");
    return first(value, (item, index) => faultOfValue(field, kind, item, `${path}[${index}]`));
  }
  if (field.fieldKind === "map") {
    if (!isJsonObject(value)) return new InvalidArgument(path, "invalid", "accepted is an object");
    // A key could be somebody's data.
    return first(Object.values(value), (item) => faultOfValue(field, kind, item, `${path}[*]`));
  }
  return faultOfValue(field, kind, value, path);
}

function first<T>(
  items: readonly T[],
  faultOf: (item: T, index: number) => InvalidArgument | undefined,
): InvalidArgument | undefined {
  for (const [index, item] of items.entries()) {
    const fault = faultOf(item, index);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfValue(
  field: DescField,
  kind: DescMessage | DescEnum | undefined,
  value: JsonValue,
  path: string,
): InvalidArgument | undefined {
  const invalid = (accepted: string) => new InvalidArgument(path, "invalid", accepted);
  if (kind === undefined) return isRead(field, value) ? undefined : invalid(acceptedBy(field.scalar));
  if (kind.kind === "enum") {
    const isKnown = kind.values.some(({ name, number }) => value === name || value === number);
    return isKnown ? undefined : invalid(namesOf(kind));
  }
  const form = FORMS.get(kind.typeName);
  if (form !== undefined) return isRead(field, value) ? undefined : invalid(form);
  return isJsonObject(value) ? faultIn(kind, value, `${path}.`) : invalid("accepted is an object");
}

/** Whether the reader takes the value of a field, or of a place in its list or map. */
function isRead(field: DescField, value: JsonValue): boolean {
  const { fieldKind, jsonName, parent } = field;
  const whole = fieldKind === "list" ? [value] : fieldKind === "map" ? { key: value } : value;
  try {
    fromJson(parent, { [jsonName]: whole });
    return true;
  } catch {
    // The reader quotes the value, which may be personal.
    return false;
  }
}

function acceptedBy(scalar: ScalarType | undefined): string {
  switch (scalar) {
    case ScalarType.STRING:
      return "accepted is a text";
    case ScalarType.BOOL:
      return "accepted are true and false";
    case ScalarType.BYTES:
      return "accepted is base64";
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return "accepted is a number";
    default:
      return "accepted is a whole number";
  }
}
