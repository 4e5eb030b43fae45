/**
 * Refuses numbers that an enum does not have. Enums of proto3 are open, so binary messages and JSON may hold any number. Taken
 * as unspecified, a number of a newer contract would be answered as done.
 */
import type { DescEnum, DescField, DescMessage, Message } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { InvalidArgument } from "../../domain/errors.js";
import { toConnectError } from "../errors/errors.js";

/** Checks the messages of every call. */
export const knownEnums: Interceptor = (next) => (request) => {
  if (!request.stream) {
    const unknown = unknownEnumNumber(request.method.input, request.message);
    if (unknown !== undefined) throw toConnectError(unknown);
    return next(request);
  }
  return hasEnums(request.method.input)
    ? next({ ...request, message: checked(request.method.input, request.message) })
    : next(request);
};

async function* checked<T extends Message>(desc: DescMessage, messages: AsyncIterable<T>): AsyncGenerator<T> {
  const all = messages[Symbol.asyncIterator]();
  let isRefused = false;
  try {
    for (let item = await all.next(); item.done !== true; item = await all.next()) {
      const unknown = unknownEnumNumber(desc, item.value);
      isRefused = unknown !== undefined;
      if (unknown !== undefined) throw toConnectError(unknown);
      yield item.value;
    }
  } finally {
    // The end of reading would reset the stream of a refused call before its answer.
    if (!isRefused) await all.return?.();
  }
}

/** The first field of a message that holds a number its enum does not have. */
export function unknownEnumNumber(desc: DescMessage, message: Message): InvalidArgument | undefined {
  return hasEnums(desc) ? unknownIn(desc, message, "") : undefined;
}

/** Names of an enum, as errors list them. */
export const namesOf = (kind: DescEnum) => `accepted are ${kind.values.map(({ name }) => name).join(", ")}`;

function unknownIn(desc: DescMessage, message: object, path: string): InvalidArgument | undefined {
  for (const field of fieldsWithEnums(desc)) {
    const value = valueIn(message, field);
    if (value === undefined) continue;
    const at = path + field.name;
    const isMap = field.fieldKind === "map";
    if (!isMap && field.fieldKind !== "list") {
      const fault = unknownValue(field, value, at);
      if (fault !== undefined) return fault;
      continue;
    }
    const values: readonly unknown[] = isMap ? Object.values(Object(value)) : Array.isArray(value) ? value : [];
    for (let index = 0; index < values.length; index++) {
      // A key of a map could be somebody's data.
      const fault = unknownValue(field, values[index], isMap ? `${at}[*]` : `${at}[${index}]`);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function unknownValue(field: DescField, value: unknown, path: string): InvalidArgument | undefined {
  const { enum: kind, message } = field;
  if (kind !== undefined)
    return typeof value === "number" && kind.value[value] === undefined
      ? new InvalidArgument(path, "invalid", namesOf(kind))
      : undefined;
  return message !== undefined && typeof value === "object" && value !== null
    ? unknownIn(message, value, `${path}.`)
    : undefined;
}

function valueIn(message: object, field: DescField): unknown {
  if (field.oneof === undefined) return Reflect.get(message, field.localName);
  const chosen: unknown = Reflect.get(message, field.oneof.localName);
  if (typeof chosen !== "object" || chosen === null || !("case" in chosen) || !("value" in chosen)) return undefined;
  return chosen.case === field.localName ? chosen.value : undefined;
}

const found = new Map<DescMessage, readonly DescField[]>();

/** The fields of a message that are enums, or have some below them. */
function fieldsWithEnums(desc: DescMessage): readonly DescField[] {
  let fields = found.get(desc);
  if (fields === undefined) {
    fields = desc.fields.filter(({ enum: kind, message }) => kind !== undefined || (message && hasEnums(message)));
    found.set(desc, fields);
  }
  return fields;
}

const withEnums = new Map<DescMessage, boolean>();

function hasEnums(desc: DescMessage): boolean {
  const known = withEnums.get(desc);
  if (known !== undefined) return known;
  withEnums.set(desc, false); // for messages that hold themselves
  const has = desc.fields.some(
    (field) => field.enum !== undefined || (field.message !== undefined && hasEnums(field.message)),
  );
  withEnums.set(desc, has);
  return has;
}
