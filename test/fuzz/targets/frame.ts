/** The length-prefixed messages of gRPC, gRPC-Web and Connect: nothing is lost, added or cut wrongly. */
import { deepStrictEqual, ok } from "node:assert";
import { Code, ConnectError } from "@connectrpc/connect";
import { createMessageMemory, readBody } from "../../../src/services/wire/request-body.js";

const PREFIX_BYTES = 5;
const MOST_BYTES = 300;

const message = (text: string) => `\0\0\0\0${String.fromCharCode(text.length)}${text}`;

/** The first byte says in what pieces the rest comes. */
export const seeds = [
  `\x07${message("hello")}${message("")}${message("x".repeat(100))}`,
  `\x00${message("hello")}\x01\0\0\x01\x2c${"y".repeat(300)}\0\0\0`,
  "\x20\0\0\0\x02\x00too long",
];
export const dictionary = ["\0\0\0\0\0", "\0\0\0\x01\x2c", "\0\0\0\x01\x2d", "\x01\xff\xff\xff\xff", "\x80\0\0\0\x02"];

const RULES = {
  limits: { readMaxBytes: MOST_BYTES, bodyTimeoutMs: 60_000, streamSilenceMs: 60_000 },
  shared: createMessageMemory(Number.MAX_SAFE_INTEGER, () => {}),
  isStream: true,
  framing: { uncompressed: undefined },
  inTurn: (work: () => void) => work(),
};

export async function fuzz(bytes: Buffer): Promise<void> {
  const step = 1 + (bytes[0] ?? 0);
  const body = bytes.subarray(1);
  const given: Uint8Array[] = [];
  const whole = wholeOnes(body);
  const reading = readBody(pieces(body, step), RULES);
  let refused: ConnectError | undefined;
  try {
    for await (const piece of reading.body) given.push(piece);
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    refused = error;
  } finally {
    reading.release();
  }
  const isWhole = whole.end === body.length;
  // Bytes that are no frame, such as text, are refused; what was given before them is whole.
  deepStrictEqual(given.map(hex), whole.messages.slice(0, given.length).map(hex));
  if (refused === undefined) {
    ok(isWhole && given.length === whole.messages.length);
    return;
  }
  const isTooLong = body.length - whole.end >= PREFIX_BYTES && body.readUInt32BE(whole.end + 1) > MOST_BYTES;
  if (refused.code === Code.ResourceExhausted) ok(isTooLong && given.length === whole.messages.length);
  else deepStrictEqual(refused.code, Code.InvalidArgument);
}

async function* pieces(body: Buffer, step: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += step) yield body.subarray(at, at + step);
}

/** The messages at the beginning that are there and short enough. */
function wholeOnes(body: Buffer) {
  const messages: Buffer[] = [];
  let at = 0;
  while (body.length - at >= PREFIX_BYTES) {
    const length = body.readUInt32BE(at + 1);
    if (length > MOST_BYTES || body.length - at < PREFIX_BYTES + length) break;
    messages.push(body.subarray(at, at + PREFIX_BYTES + length));
    at += PREFIX_BYTES + length;
  }
  return { messages, end: at };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
