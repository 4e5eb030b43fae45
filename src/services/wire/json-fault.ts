/** What is wrong with JSON that is no message of the contract: the field, as its sender wrote it, and what it accepts. */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { isFieldError, isReflectMap, isReflectMessage, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { InvalidArgument } from "../../domain/errors.js";

/** Messages with a JSON form of their own. */
const FORMS: ReadonlyMap<string, string> = new Map([
  ["google.protobuf.Timestamp", "accepted is a time such as 2026-01-31T12:00:00Z"],
  ["google.protobuf.Duration", "accepted is a duration in seconds such as 3.5s"],
  ["google.protobuf.FieldMask", "accepted is a text of field names in lowerCamelCase with commas between"],
]);

/** A name that may be repeated to its sender; other text could be somebody's data. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/**
 * The first fault of JSON that could not be read as the message, with the reader's error; undefined when it is no JSON object, or
 * a name stands twice.
 */
export function jsonFault(desc: DescMessage, json: string, error: unknown): InvalidArgument | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(json);
  } catch {
    // It is no JSON, as the caller says.
    return undefined;
  }
  return (isJsonObject(value) ? faultIn(desc, value) : undefined) ?? rangeFault(error);
}

/** A value of the right type that is out of the field's range. */
function rangeFault(error: unknown): InvalidArgument | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!isFieldError(cause)) return undefined;
  const field = cause.field();
  if (field.kind !== "field" || field.fieldKind === "message") return undefined;
  return new InvalidArgument(field.name, "invalid", acceptedBy(field.scalar));
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function faultIn(desc: DescMessage, object: JsonObject): InvalidArgument | undefined {
  for (const [name, value] of Object.entries(object)) {
    const field = desc.fields.find(({ jsonName, name: own }) => name === jsonName || name === own);
    if (field === undefined) {
      const known = desc.fields.map(({ jsonName }) => jsonName).join(", ");
      const accepted = known === "" ? "no field is accepted" : `accepted are ${known}`;
      return new InvalidArgument(NAME.test(name) ? name : "a name that is unknown", "invalid", accepted);
    }
    const fault = value === null ? undefined : faultOfField(field, value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfField(field: DescField, value: JsonValue): InvalidArgument | undefined {
  const invalid = (accepted: string) => new InvalidArgument(field.name, "invalid", accepted);
  if (field.fieldKind === "list") {
    if (!Array.isArray(value)) return invalid("accepted is a list");
    return first(value, (item) => faultOfValue(field, field.listKind === "message" ? field.message : field.enum, item));
  }
  if (field.fieldKind === "map") {
    if (!isJsonObject(value)) return invalid("accepted is an object");
    const kind = field.mapKind === "message" ? field.message : field.enum;
    const values: JsonValue[] = Object.values(value);
    return first(values, (item) => faultOfValue(field, kind, item));
  }
  return faultOfValue(field, field.fieldKind === "message" ? field.message : field.enum, value);
}

function first<T>(items: readonly T[], faultOf: (item: T) => InvalidArgument | undefined): InvalidArgument | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfValue(
  field: DescField,
  kind: DescMessage | DescEnum | undefined,
  value: JsonValue,
): InvalidArgument | undefined {
  const invalid = (accepted: string) => new InvalidArgument(field.name, "invalid", accepted);
  if (kind === undefined) return isOfScalar(field.scalar, value) ? undefined : invalid(acceptedBy(field.scalar));
  if (kind.kind === "enum") {
    const isKnown = kind.values.some(({ name, number }) => value === name || value === number);
    return isKnown ? undefined : invalid(namesOf(kind));
  }
  const form = FORMS.get(kind.typeName);
  if (form === undefined) return isJsonObject(value) ? faultIn(kind, value) : invalid("accepted is an object");
  try {
    fromJson(kind, value);
    return undefined;
  } catch {
    // The reader quotes the value, which may be personal.
    return invalid(form);
  }
}

const namesOf = (kind: DescEnum) => `accepted are ${kind.values.map(({ name }) => name).join(", ")}`;

const WHOLE = /^-?\d+$/;

/** Whether JSON has the type of a field; the reader of the message says whether it is in range. */
function isOfScalar(scalar: ScalarType | undefined, value: JsonValue): boolean {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return typeof value === "string";
    case ScalarType.BOOL:
      return typeof value === "boolean";
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return typeof value === "number" || (typeof value === "string" && value !== "" && !Number.isNaN(Number(value)));
    default:
      return (typeof value === "number" && Number.isInteger(value)) || (typeof value === "string" && WHOLE.test(value));
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

/** The first field of a message that holds a number its enum does not have; readers of JSON let any number pass. */
export function unknownEnumNumber(desc: DescMessage, message: Message): InvalidArgument | undefined {
  return hasEnums(desc) ? unknownIn(reflect(desc, message, false)) : undefined;
}

function unknownIn(message: ReflectMessage): InvalidArgument | undefined {
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    const value: unknown = message.get(field);
    const kind =
      field.fieldKind === "list" || field.fieldKind === "map" || field.fieldKind === "enum" ? field.enum : undefined;
    const values = field.fieldKind === "list" || field.fieldKind === "map" ? valuesOf(value) : [value];
    for (const one of values) {
      if (kind?.values.every(({ number }) => number !== one))
        return new InvalidArgument(field.name, "invalid", namesOf(kind));
      const inner = isReflectMessage(one) && hasEnums(one.desc) ? unknownIn(one) : undefined;
      if (inner !== undefined) return inner;
    }
  }
  return undefined;
}

function valuesOf(value: unknown): Iterable<unknown> {
  if (isReflectMap(value)) return value.values();
  return isIterable(value) ? value : [];
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

const withEnums = new Map<string, boolean>();

/** Whether a message or one below it has a field of an enum. */
function hasEnums(desc: DescMessage): boolean {
  const known = withEnums.get(desc.typeName);
  if (known !== undefined) return known;
  withEnums.set(desc.typeName, false); // for messages that hold themselves
  const found = desc.fields.some(
    (field) => field.enum !== undefined || (field.message !== undefined && hasEnums(field.message)),
  );
  withEnums.set(desc.typeName, found);
  return found;
}
