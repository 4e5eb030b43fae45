/**
 * JSON of calls is taken as the contract has it: an unknown field, an unknown name of an enum and a wrong type are refused,
 * or a misspelt order would be answered as done. Connect's own texts quote the value, which may be personal; ours name the field and
 * what it accepts.
 */
import {
  createRegistry,
  type DescMessage,
  type DescMethod,
  type DescService,
  fromJsonString,
  type Message,
} from "@bufbuild/protobuf";
import { Code, type ConnectError, type ConnectRouter, type ServiceImpl } from "@connectrpc/connect";
import { file_google_rpc_error_details } from "../../gen/google/rpc/error_details_pb.js";
import { isBeyondBounds } from "../../parse/json-bounds.js";
import { refusal } from "../errors/error-info.js";
import { toConnectError } from "../errors/errors.js";
import { jsonFault } from "./json-fault.js";
import { noSuchTime, withCamelMasks } from "./json-forms.js";
import { unknownEnumNumber } from "./known-enums.js";

/**
 * A message has at most 1,000 events or products, or 10,000 ids. With more, 4 MiB of `{},` would take a second of CPU.
 */
export const JSON_BOUNDS = { depth: 32, containers: 50_000, commas: 200_000 };

/** Types in the `details` of an error inside an answer, as of one result of a batch. */
const registry = createRegistry(file_google_rpc_error_details);

/** The same router, whose services read JSON this way. A method has its own options besides. */
export function withNamedFields(
  router: ConnectRouter,
  optionsOf: (method: DescMethod) => Parameters<ConnectRouter["service"]>[2],
): ConnectRouter {
  return {
    ...router,
    service<S extends DescService>(service: S, implementation: Partial<ServiceImpl<S>>) {
      // The reader of a message does not know the message type, so each call has its own reader.
      for (const method of service.methods) {
        const textDecoder = createNamingDecoder(method.input);
        const jsonOptions = { ignoreUnknownFields: false, registry, textDecoder };
        router.service({ ...service, methods: [method] }, implementation, { jsonOptions, ...optionsOf(method) });
      }
      return this;
    },
  };
}

/**
 * Decodes UTF-8 for the reader of a message, and parses the message first, to be the one that rejects it. So JSON is
 * parsed twice. That does not matter for calls by hand; programs send binary messages.
 */
export function createNamingDecoder(message: DescMessage): { decode(bytes?: Uint8Array): string } {
  const utf8 = new TextDecoder();
  return {
    decode(bytes) {
      const sent = utf8.decode(bytes);
      if (isBeyondBounds(sent, JSON_BOUNDS)) throw refusal(TOO_COMPLEX, Code.InvalidArgument, "MALFORMED_CALL");
      const json = withCamelMasks(message, sent) ?? sent;
      let read: Message;
      try {
        read = fromJsonString(message, json, { ignoreUnknownFields: false });
      } catch (error) {
        throw faultOf(message, json, error);
      }
      const unknown = unknownEnumNumber(message, read);
      if (unknown !== undefined) throw faultOf(message, json, unknown);
      const time = noSuchTime(message, json);
      if (time !== undefined) throw toConnectError(time);
      return json;
    },
  };
}

const TOO_COMPLEX =
  `The JSON of the message is too complex: at most ${JSON_BOUNDS.containers} objects and lists, ` +
  `${JSON_BOUNDS.commas} commas and ${JSON_BOUNDS.depth} levels are accepted`;

function faultOf(message: DescMessage, json: string, error: unknown): ConnectError {
  const fault = jsonFault(message, json, error);
  if (fault !== undefined) return toConnectError(fault);
  return refusal(`The message is not JSON of ${message.typeName}`, Code.InvalidArgument, "MALFORMED_CALL");
}
