/**
 * Errors as each protocol writes them. `refuseCall` answers a call that Connect has not seen. `withReasons` adds the reason to errors
 * that Connect makes itself: for messages that it cannot read, deadlines, and faults of the protocol. No interceptor sees these,
 * so they are changed where they leave.
 */
import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { createAsyncIterable, encodeEnvelope } from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  endStreamFlag,
  endStreamFromJson,
  endStreamToJson,
  errorFromJsonBytes,
  errorToJsonBytes,
} from "@connectrpc/connect/protocol-connect";
import { findTrailerError, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerParse, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import type { universalResponseToNodeResponse } from "@connectrpc/connect-node";
import { refusal, withReason } from "../errors/error-info.js";
import { contentTypesOf } from "./call-format.js";
import { PREFIX_BYTES } from "./request-body.js";
import type { NodeRequest, NodeResponse } from "./rpc-handler.js";

type UniversalAnswer = Parameters<typeof universalResponseToNodeResponse>[0];

/**
 * Encodes text for `grpc-message`: percent-encoded where it is not printable ASCII or is `%`, and nowhere else (gRPC
 * over HTTP/2, "Percent-Encoded"). Connect encodes more, which grpc-js does not undo: its callers would read `Missing
 * required field%3A app_id`.
 */
export function encodeGrpcMessage(text: string): string {
  return encodeURIComponent(text).replace(/%(?!25)[2-7][0-9A-F]/g, (escaped) =>
    escaped === "%7F" ? escaped : decodeURIComponent(escaped),
  );
}

/** The same headers with `grpc-message` encoded so. */
export function withPlainMessage(headers: Headers): Headers {
  const message = headers.get("grpc-message");
  if (!message) return headers;
  const plain = new Headers(headers);
  plain.set("grpc-message", encodeGrpcMessage(decodeURIComponent(message)));
  return plain;
}

/** Answers a call with an error in its caller's protocol. The body of the call is not read (`unread-body.ts` discards it). */
export function refuseCall(request: NodeRequest, response: NodeResponse, refused: ConnectError): void {
  const error = withReason(refused);
  const contentType = request.headers["content-type"] ?? "";
  const grpc = /^application\/grpc(-web(-text)?)?(\+[a-z]+)?/.exec(contentType)?.[0];
  const stream = /^application\/connect\+[a-z]+/.exec(contentType)?.[0];
  if (grpc !== undefined) {
    const status = new Headers();
    setTrailerStatus(status, error);
    for (const [name, value] of withPlainMessage(status)) response.setHeader(name, value);
    send(response, 200, grpc);
  } else if (stream !== undefined) {
    const end = endStreamToJson(new Headers(), error, undefined);
    send(response, 200, stream, encodeEnvelope(endStreamFlag, Buffer.from(JSON.stringify(end))));
  } else {
    send(response, codeToHttpStatus(error.code), "application/json", errorToJsonBytes(error, undefined));
  }
}

export function send(response: NodeResponse, status: number, contentType: string, body?: string | Uint8Array): void {
  response.statusCode = status;
  response.setHeader("content-type", contentType);
  if (body === undefined)
    response.end(); // with the headers, as gRPC has it
  else response.end(body);
}

/** The same answer, whose error has a reason, if it is one. Errors without a reason are short, so not compressed. */
export async function withReasons(answer: UniversalAnswer, method: DescMethod): Promise<UniversalAnswer> {
  const { status, body, header, trailer } = answer;
  if (trailer !== undefined) {
    return {
      ...answer,
      // Complete only after the body was read.
      get trailer() {
        return explainedTrailer(trailer);
      },
    };
  }
  if (body === undefined || header === undefined) return status === 200 ? answer : refused(answer, method);
  const contentType = header.get("content-type") ?? "";
  if (contentType.startsWith("application/grpc-web"))
    return { ...answer, body: withEnd(body, trailerFlag, explainedWebTrailer) };
  if (contentType.startsWith("application/connect+"))
    return { ...answer, body: withEnd(body, endStreamFlag, explainedEndOfStream) };
  return status === 200 || header.has("content-encoding") ? answer : explainedJson(answer, body);
}

function explainedTrailer(trailer: Headers): Headers {
  const error = findTrailerError(trailer);
  if (error === undefined) return trailer;
  const explained = withReason(error);
  if (explained === error) return withPlainMessage(trailer);
  const status = new Headers();
  setTrailerStatus(status, explained);
  return withPlainMessage(status);
}

/** The messages of a body, each in one piece, with the last one, which has this flag alone, rewritten. */
async function* withEnd(
  messages: AsyncIterable<Uint8Array>,
  flag: number,
  explained: (end: Uint8Array) => Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const message of messages)
    yield message[0] === flag ? encodeEnvelope(flag, explained(message.subarray(PREFIX_BYTES))) : message;
}

function explainedWebTrailer(bytes: Uint8Array): Uint8Array {
  return trailerSerialize(explainedTrailer(trailerParse(bytes)));
}

function explainedEndOfStream(bytes: Uint8Array): Uint8Array {
  const { metadata, error } = endStreamFromJson(bytes);
  if (error === undefined) return bytes;
  return Buffer.from(JSON.stringify(endStreamToJson(metadata, withReason(error), undefined)));
}

async function explainedJson(answer: UniversalAnswer, body: AsyncIterable<Uint8Array>): Promise<UniversalAnswer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const fallback = new ConnectError("internal error", Code.Internal);
  const error = withReason(errorFromJsonBytes(bytes, undefined, fallback));
  return json(answer, codeToHttpStatus(error.code), error);
}

/** Connect answers a content type, an HTTP method or an HTTP version that the RPC does not take by a bare status. */
function refused(answer: UniversalAnswer, method: DescMethod): UniversalAnswer {
  return json(
    answer,
    answer.status,
    refusal(refusedText(answer.status, method), Code.Unimplemented, "UNSUPPORTED_CALL"),
  );
}

function refusedText(status: number, method: DescMethod): string {
  if (status === 405) return "The RPC does not take this HTTP method";
  if (status === 505) return "The RPC needs HTTP/2";
  return `The RPC does not take this content type: accepted are ${contentTypesOf(method)}`;
}

function json(answer: UniversalAnswer, status: number, error: ConnectError): UniversalAnswer {
  const bytes = errorToJsonBytes(error, undefined);
  const header = new Headers(answer.header);
  header.set("content-type", "application/json");
  header.set("content-length", String(bytes.length));
  return { status, header, body: createAsyncIterable([bytes]) };
}
