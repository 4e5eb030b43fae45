/**
 * Errors for JSON that is not the expected message. Connect's own texts quote the value, which may be personal; ours name
 * the field and the accepted values.
 */
import { type DescField, type DescMessage, type DescService, fromJsonString, ScalarType } from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { Code, type ConnectError, type ConnectRouter, type ServiceImpl } from "@connectrpc/connect";
import { InvalidArgument } from "../../domain/errors.js";
import { isBeyondBounds } from "../../parse/json-bounds.js";
import { refusal } from "./error-info.js";
import { toConnectError } from "./errors.js";

/**
 * A message has at most 1,000 events or products, or 10,000 ids. With more, 4 MiB of `{},` would take a second of CPU.
 */
export const JSON_BOUNDS = { depth: 32, containers: 50_000, commas: 200_000 };

/** The same router, whose services read JSON this way. */
export function withNamedFields(router: ConnectRouter): ConnectRouter {
  return {
    ...router,
    service<S extends DescService>(service: S, implementation: Partial<ServiceImpl<S>>) {
      // The reader of a message does not know the message type, so each call has its own reader.
      for (const method of service.methods) {
        const jsonOptions = { ignoreUnknownFields: true, textDecoder: createNamingDecoder(method.input) };
        router.service({ ...service, methods: [method] }, implementation, { jsonOptions });
      }
      return this;
    },
  };
}

/**
 * Decodes UTF-8 for the reader of a message, and parses the message first, to be the one that rejects it. So JSON is
 * parsed twice. That does not matter for calls by hand; programs send binary messages.
 */
function createNamingDecoder(message: DescMessage): { decode(bytes?: Uint8Array): string } {
  const utf8 = new TextDecoder();
  return {
    decode(bytes) {
      const json = utf8.decode(bytes);
      if (isBeyondBounds(json, JSON_BOUNDS)) throw refusal(TOO_COMPLEX, Code.InvalidArgument, "MALFORMED_CALL");
      try {
        fromJsonString(message, json, { ignoreUnknownFields: true });
      } catch (error) {
        throw faultOf(message, error);
      }
      return json;
    },
  };
}

const TOO_COMPLEX =
  `The JSON of the message is too complex: at most ${JSON_BOUNDS.containers} objects and lists, ` +
  `${JSON_BOUNDS.commas} commas and ${JSON_BOUNDS.depth} levels are accepted`;

const NAMED = /^cannot decode (?:message|enum) ([\w.]+)/;

function faultOf(message: DescMessage, error: unknown): ConnectError {
  const cause = error instanceof Error ? error.cause : undefined;
  if (isFieldError(cause) && cause.field().kind !== "oneof") {
    const field = cause.field();
    if (field.kind === "field") return toConnectError(new InvalidArgument(field.name, "invalid", acceptedBy(field)));
  }
  const name = (error instanceof Error ? NAMED.exec(error.message)?.[1] : undefined) ?? message.typeName;
  return refusal(`The message is not JSON of ${name}`, Code.InvalidArgument, "MALFORMED_CALL");
}

/** The values that a field accepts, in JSON. */
function acceptedBy(field: DescField): string {
  if (field.fieldKind === "list") return "accepted is a list";
  if (field.fieldKind === "map" || field.fieldKind === "message") return "accepted is an object";
  if (field.fieldKind === "enum") return `accepted are ${field.enum.values.map(({ name }) => name).join(", ")}`;
  switch (field.scalar) {
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
