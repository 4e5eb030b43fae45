/**
 * Refusals name fields as their senders write them. Services name them as the contract does, `email_state`; whoever sends JSON
 * writes `emailState`.
 */
import { type DescFile, type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { ConnectError, type ContextValues, createContextKey, type Interceptor } from "@connectrpc/connect";
import { type FieldFault, violationsText } from "../../domain/errors.js";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.js";
import { messagesIn } from "./json-forms.js";

type Rename = (error: ConnectError) => ConnectError;

/** Set for calls with JSON. */
const RENAME = createContextKey<Rename>((error) => error);

/** An error that goes into an answer, with the names that the caller writes. */
export function inNamesOfCaller(error: ConnectError, values: ContextValues): ConnectError {
  return values.get(RENAME)(error);
}

export const jsonNames: Interceptor = (next) => async (request) => {
  if (!isJson(request.header.get("content-type"), request.url)) return next(request);
  const rename: Rename = (error) => inJsonNames(error, fieldNamesOf(request.method));
  const { output } = request.method;
  const renameRefused = (message: object) => renameIn(output, message, textIn(fieldNamesOf(request.method)));
  request.contextValues.set(RENAME, rename);
  try {
    const response = await next(request);
    if (response.stream) return { ...response, message: renaming(response.message, rename, renameRefused) };
    renameRefused(response.message);
    return response;
  } catch (error) {
    throw error instanceof ConnectError ? rename(error) : error;
  }
};

/** Whether a call has its messages in JSON: by its content type, or by the query of a GET. */
function isJson(contentType: string | null, url: string): boolean {
  if (contentType !== null && contentType !== "") return /\bjson\b/i.test(contentType);
  return new URL(url).searchParams.get("encoding") === "json";
}

async function* renaming<T extends object>(
  messages: AsyncIterable<T>,
  rename: Rename,
  renameRefused: (message: T) => void,
): AsyncGenerator<T, void, undefined> {
  try {
    for await (const message of messages) {
      renameRefused(message);
      yield message;
    }
  } catch (error) {
    throw error instanceof ConnectError ? rename(error) : error;
  }
}

/** Whether a message of an answer tells of a refusal: it has a field and a reason. */
function isRefusal({ fields }: DescMessage): boolean {
  return ["field", "reason"].every((name) =>
    fields.some((field) => field.name === name && field.scalar === ScalarType.STRING),
  );
}

/** Renames the fields in each refusal that is in the message. */
function renameIn(desc: DescMessage, message: object, rename: (text: string) => string): void {
  if (![...messagesIn(desc).values()].some(isRefusal)) return;
  if (isRefusal(desc)) {
    const { field, reason }: { field?: string; reason?: string } = message;
    Object.assign(message, { field: inCamelCase(field ?? ""), reason: rename(reason ?? "") });
  }
  for (const { message: kind, localName, fieldKind } of desc.fields) {
    const value: unknown = Reflect.get(message, localName);
    if (kind === undefined || typeof value !== "object" || value === null) continue;
    for (const one of fieldKind === "list" && Array.isArray(value) ? value : [value]) renameIn(kind, one, rename);
  }
}

/** What a field accepts may name others: `one of product_id and sku`. */
function textIn(names: ReadonlySet<string>): (text: string) => string {
  return (text) => text.replaceAll(/[a-z0-9_]+/g, (word) => (names.has(word) ? inCamelCase(word) : word));
}

function inJsonNames(error: ConnectError, names: ReadonlySet<string>): ConnectError {
  const rename = textIn(names);
  const fieldViolations = error.findDetails(BadRequestSchema)[0]?.fieldViolations.map((violation) => ({
    ...violation,
    field: inCamelCase(violation.field),
    description: rename(violation.description),
  }));
  if (fieldViolations === undefined) return error;
  const text = violationsText(
    fieldViolations.map(({ field, reason, description: accepted }) => {
      const fault: FieldFault = reason === "FIELD_MISSING" ? "missing" : "invalid";
      return { field, fault, accepted };
    }),
  );
  const named = new ConnectError(text, error.code, error.metadata, undefined, error.cause);
  named.details = error.details.map((detail) =>
    typeOf(detail) === BadRequestSchema.typeName ? { desc: BadRequestSchema, value: { fieldViolations } } : detail,
  );
  return named;
}

function typeOf(detail: ConnectError["details"][number]): string {
  return "desc" in detail ? detail.desc.typeName : detail.type;
}

function inCamelCase(path: string): string {
  return path.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

const known = new WeakMap<DescMethod, ReadonlySet<string>>();

/** Names of all fields in the files that a method's messages are of. */
function fieldNamesOf(method: DescMethod): ReadonlySet<string> {
  const before = known.get(method);
  if (before !== undefined) return before;
  const names = new Set<string>();
  const files = new Set<DescFile>([method.parent.file]);
  for (const file of files) {
    for (const dependency of file.dependencies) files.add(dependency);
    for (const message of file.messages) addNames(message, names);
  }
  known.set(method, names);
  return names;
}

function addNames(message: DescMessage, names: Set<string>): void {
  for (const { name } of message.fields) names.add(name);
  for (const nested of message.nestedMessages) addNames(nested, names);
}
