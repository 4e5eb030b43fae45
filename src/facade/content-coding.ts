/** Content codings of request bodies (RFC 9110, 8.4). Shops and gateways compress what they post. */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";
import { createConcurrencyLimit } from "../http/concurrency-limit.js";
import { Refused, TEXT } from "./errors.js";

/** Decodes all of `body`; rejects when the result has more than `maxOutputLength` bytes. */
type Decode = (body: Buffer, options: { maxOutputLength: number; info: true }) => Promise<unknown>;

/** The decoders that undo the codings of a body, in the order to apply them. */
type Decoders = readonly Decode[];

const gzip: Decode = promisify(gunzip);
const zlib: Decode = promisify(inflate);
const raw: Decode = promisify(inflateRaw);

const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ["gzip", gzip],
  ["x-gzip", gzip], // the same coding, RFC 9110, 8.4.1.3
  ["deflate", (body, options) => (beginsWithZlibHeader(body) ? zlib : raw)(body, options)],
  ["br", promisify(brotliDecompress)],
]);

/** Each coding costs a decoding of up to the whole limit. Nobody needs more than a gateway's on top of the sender's. */
const MAX_CODINGS = 2;

/** Decodings at a time. Node runs as many on its threads; more would only hold memory. */
const AT_A_TIME = 4;

/** Reads a Content-Encoding header. Throws Refused 415 for a coding that is not accepted, and for too many. */
export function decodersOf(header: string | undefined): Decoders {
  if (header === undefined) return [];
  const names = header.split(",").map((item) => item.trim().toLowerCase());
  const codings = names.filter((name) => name !== "" && name !== "identity");
  const decoders = codings.flatMap((name) => DECODERS.get(name) ?? []);
  // RFC 9110, 12.5.3: the answer says which codings are accepted.
  if (decoders.length < codings.length || codings.length > MAX_CODINGS)
    throw new Refused(415, TEXT.unsupportedCoding, { "accept-encoding": "gzip, deflate, br" });
  return decoders.reverse(); // the header lists codings in the order they were applied
}

/** Decodes a body. Rejects with Refused: 413 when it becomes longer than `maxBytes`, 400 when it is broken. */
export function createBodyDecoding(maxBytes: number): (body: Buffer, decoders: Decoders) => Promise<Buffer> {
  const limited = createConcurrencyLimit(AT_A_TIME);
  return (body, decoders) =>
    limited(async () => {
      let decoded = body;
      for (const decode of decoders) decoded = await decodeOnce(decode, decoded, maxBytes);
      return decoded;
    });
}

async function decodeOnce(decode: Decode, body: Buffer, maxOutputLength: number): Promise<Buffer> {
  let result: unknown;
  try {
    result = await decode(body, { maxOutputLength, info: true });
  } catch (error) {
    const isTooLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw isTooLarge ? new Refused(413, TEXT.tooLarge) : new Refused(400, TEXT.brokenCoding);
  }
  // Node ignores bytes behind the end of the coding.
  if (!isDecoded(result) || result.engine.bytesWritten !== body.length) throw new Refused(400, TEXT.brokenCoding);
  return result.buffer;
}

/** What Node gives with `info`, which its types leave out. */
interface Decoded {
  readonly buffer: Buffer;
  /** `bytesWritten` counts the bytes that the decoder has read. */
  readonly engine: { readonly bytesWritten: number };
}

function isDecoded(value: unknown): value is Decoded {
  return typeof value === "object" && value !== null && "buffer" in value && "engine" in value;
}

/**
 * RFC 9110 means the zlib form by `deflate`, and some senders send the bare one. They cannot be confused: the first four
 * bits of the zlib form would begin a bare block with padding bits that no encoder sets.
 */
function beginsWithZlibHeader(body: Buffer): boolean {
  return body.length >= 2 && (body[0]! & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}
