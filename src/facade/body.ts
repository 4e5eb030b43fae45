/**
 * Reads request bodies into memory. The framework's own reader bounds each body, but a thousand senders that stop in the
 * middle of 1 MiB would still hold a gigabyte. So all bodies share one allowance for their bytes beyond the first 16 KiB,
 * and give them back when the body is read or its sender is gone. Events of shops are smaller and never need the
 * allowance. A compressed body is decoded within the same limits.
 */
import type { Readable } from "node:stream";
import { Code, ConnectError } from "@connectrpc/connect";
import { createBodyDecoding, decodersOf } from "./content-coding.js";
import { Refused, TEXT } from "./errors.js";

/** Limits in bytes. Storefronts send up to 80 KiB (200 interactions of each type). */
export const BODY_LIMITS = {
  /** Of one body, as sent and as decoded. */
  bodyBytes: 1024 * 1024,
  /** Bytes of each body that need no allowance. */
  ownBytes: 16 * 1024,
  /** The shared allowance: bytes of all bodies together beyond `ownBytes`. */
  sharedBytes: 32 * 1024 * 1024,
};

/** The parts of a request that a body reader needs. */
export type BodyStream = Readable & {
  readonly headers: {
    readonly "content-length"?: string | undefined;
    readonly "content-encoding"?: string | undefined;
  };
};

/** Called once: with an error (Refused, or UNAVAILABLE when the shared bytes are used up), or with the body. */
export type BodyDone = (error: Error | null, body?: Buffer) => void;

/** A reader of bodies that share an allowance. It throws Refused for a coding that is not accepted. */
export function createBodyReader(limits = BODY_LIMITS): (payload: BodyStream, done: BodyDone) => void {
  let shared = 0;
  const decode = createBodyDecoding(limits.bodyBytes);

  return (payload, done) => {
    const decoders = decodersOf(payload.headers["content-encoding"]);
    const announced = Number(payload.headers["content-length"] ?? 0);
    if (announced > limits.bodyBytes) throw new Refused(413, TEXT.tooLarge);
    const chunks: Buffer[] = [];
    let received = 0;
    let taken = 0;
    let isWhole = false;
    let isOver = false; // no cleanup: removing four listeners costs more than this check
    const end = (error: Error | null, body?: Buffer) => {
      isOver = true;
      chunks.length = 0; // a refused body may still send data
      shared -= taken;
      done(error, body);
    };
    /** Counts a body of so many bytes. False, and the end, when the allowance is used up. */
    const hold = (bytes: number): boolean => {
      const more = Math.max(0, bytes - limits.ownBytes - taken);
      const isHeld = shared + more <= limits.sharedBytes;
      if (!isHeld) end(new ConnectError("too many large bodies are being read", Code.Unavailable));
      else {
        shared += more;
        taken += more;
      }
      return isHeld;
    };
    const take = (chunk: Buffer) => {
      if (isOver) return;
      received += chunk.length;
      if (received > limits.bodyBytes) return end(new Refused(413, TEXT.tooLarge));
      if (hold(received)) chunks.push(chunk);
    };
    // Always a copy: a single chunk is a view of the buffer that the socket reads into.
    const finish = () => {
      if (isOver) return;
      isWhole = true;
      const body = Buffer.concat(chunks, received);
      chunks.length = 0;
      if (decoders.length === 0) return end(null, body);
      decode(body, decoders).then((decoded) => hold(decoded.length) && end(null, decoded), end);
    };
    const fail = () => {
      if (!isOver && !isWhole) end(new Refused(400, TEXT.invalidBody));
    };
    payload.on("data", take).on("end", finish).on("error", fail).on("close", fail);
  };
}
