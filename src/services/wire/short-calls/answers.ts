/** Messages and headers as gRPC answers send them, for the fast path (`short-calls.ts`). */
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { type DescMessage, toBinary } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { compressionGzip } from "@connectrpc/connect-node";
import type { DirectContext } from "../../calls/direct-clients.js";
import { answerTooLarge, withReason } from "../../errors/error-info.js";
import { withPlainMessage } from "../error-answers.js";
import { PREFIX_BYTES } from "../request-body.js";
import { ANSWER_HEADERS } from "../request-origin.js";
import type { Message } from "./intercepted-calls.js";

const COMPRESSED = 1;

/**
 * Bytes of an answer from which it is compressed for callers that accept it. Stock clients accept gzip unasked, and a few
 * packets of a network cost less than the CPU: some 60 µs for 8 KiB.
 */
const COMPRESS_FROM_BYTES = 8 * 1024;

/** How the messages of a call are sent. */
export interface Sending {
  readonly output: DescMessage;
  readonly acceptsGzip: boolean;
  readonly writeMaxBytes: number;
}

export interface Framed {
  readonly bytes: Uint8Array;
  readonly isCompressed: boolean;
}

export const NOTHING: Framed = { bytes: new Uint8Array(0), isCompressed: false };

export async function encoded(message: Message, { output, acceptsGzip, writeMaxBytes }: Sending): Promise<Framed> {
  const bytes = toBinary(output, message);
  if (bytes.length > writeMaxBytes) throw answerTooLarge(writeMaxBytes);
  const compresses = bytes.length >= COMPRESS_FROM_BYTES && acceptsGzip;
  return compresses ? framed(await compressionGzip.compress(bytes), COMPRESSED) : framed(bytes, 0);
}

function framed(message: Uint8Array, flags: number): Framed {
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  bytes[0] = flags;
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, PREFIX_BYTES);
  return { bytes, isCompressed: flags === COMPRESSED };
}

/** Messages of streams that many callers may get, and their bytes without compression. */
const plain = new WeakMap<Message, Promise<Framed>>();

/** The same message is encoded once for all who get it uncompressed. */
function encodedOnce(message: Message, sending: Sending): Promise<Framed> {
  if (sending.acceptsGzip) return encoded(message, sending);
  let bytes = plain.get(message);
  if (bytes === undefined) {
    bytes = encoded(message, sending);
    plain.set(message, bytes);
  }
  return bytes;
}

/** Writes messages as fast as the caller reads them. Whoever breaks off the answers learns of it by their `return`. */
export async function writeAnswers(
  stream: ServerHttp2Stream,
  answers: AsyncIterable<Message>,
  sending: Sending,
  begin: () => void,
): Promise<void> {
  for await (const answer of answers) {
    const { bytes } = await encodedOnce(answer, sending);
    if (isOver(stream)) return;
    begin();
    if (!stream.write(bytes)) await drained(stream);
    if (isOver(stream)) return;
  }
}

/** Whether nobody waits for the rest of an answer. */
export function isOver(stream: ServerHttp2Stream): boolean {
  return stream.destroyed || stream.closed;
}

/** Resolves when the caller has read on, or is gone. */
function drained(stream: ServerHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stream.off("drain", end).off("close", end);
      resolve();
    };
    stream.once("drain", end).once("close", end);
    if (isOver(stream)) end();
  });
}

const GRPC_OK = { "grpc-status": "0" };
const HEADERS = { ":status": 200, "content-type": "application/grpc+proto", ...ANSWER_HEADERS };
const GZIP_HEADERS = { ...HEADERS, "grpc-encoding": "gzip" };

/** Sends the headers of an answer, and its trailers when all is written: the ones of the failure, if there was one. */
export function respond(
  stream: ServerHttp2Stream,
  context: DirectContext,
  isCompressed: boolean,
  failure: () => Headers | undefined,
): void {
  const { headerSet } = context;
  const headers = isCompressed ? GZIP_HEADERS : HEADERS;
  stream.once("wantTrailers", () => stream.sendTrailers(trailersOf(context, failure())));
  stream.respond(headerSet === undefined ? headers : { ...recordOf(headerSet), ...headers }, { waitForTrailers: true });
}

/** The trailers of a failed call. */
export function failureOf(context: DirectContext, thrown: unknown): Headers {
  const failure = new Headers();
  const failed = context.fail(thrown);
  // Whoever stopped reading its answers has cancelled the context, which then tells of that instead.
  setTrailerStatus(failure, withReason(thrown instanceof ConnectError ? thrown : failed));
  return failure;
}

function trailersOf({ trailerSet }: DirectContext, failure: Headers | undefined): OutgoingHttpHeaders {
  if (failure === undefined && trailerSet === undefined) return GRPC_OK;
  return { ...recordOf(trailerSet), ...(failure === undefined ? GRPC_OK : recordOf(withPlainMessage(failure))) };
}

export function acceptsGzip(headers: IncomingHttpHeaders): boolean {
  const accepted = headers["grpc-accept-encoding"];
  return typeof accepted === "string" && accepted.split(",").some((name) => name.trim() === "gzip");
}

function recordOf(headers: Headers | undefined): Record<string, string> {
  return headers === undefined ? {} : Object.fromEntries(headers);
}
