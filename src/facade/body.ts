/**
 * Reads request bodies into memory. The framework's own reader bounds each body; what senders that stop in the middle of
 * 1 MiB can hold together would still be a gigabyte for a thousand of them. So bytes beyond the first of each body are
 * taken from an allowance that all share, and given back when the body is read or its sender is gone. Events of shops are
 * smaller than that and never wait for it, whatever others send. What is done with the largest takes milliseconds, so these
 * are given on in turns.
 */
import type { Readable } from "node:stream";
import { Code, ConnectError } from "@connectrpc/connect";
import { Refused, TEXT } from "./errors.js";
import type { Turns } from "./turns.js";

/** In bytes. */
export interface BodyLimits {
  /** Of one body. */
  readonly bodyBytes: number;
  /** Of each body that are read whatever else is being read. */
  readonly ownBytes: number;
  /** Of all bodies together, besides those; bodies that wait for their turn count. */
  readonly sharedBytes: number;
  /** A body of more is given on when its turn comes. */
  readonly promptBytes: number;
}

/** A request as far as its body goes. */
export type BodyStream = Readable & { readonly headers: { readonly "content-length"?: string | undefined } };

/** Called once: with an error (Refused, or UNAVAILABLE when the shared bytes are used up), or with the body. */
export type BodyDone = (error: Error | null, body?: Buffer) => void;

/** A reader of bodies that share an allowance. */
export function createBodyReader(limits: BodyLimits, turns: Turns): (payload: BodyStream, done: BodyDone) => void {
  let shared = 0;

  return (payload, done) => {
    const announced = Number(payload.headers["content-length"] ?? 0);
    if (announced > limits.bodyBytes) return done(tooLarge());
    const chunks: Buffer[] = [];
    let received = 0;
    let taken = 0;
    let isWhole = false;
    let isOver = false; // listeners go with the request: taking four off costs more than asking this
    const end = (error: Error | null, body?: Buffer) => {
      isOver = true;
      chunks.length = 0; // more may come of a body that was refused
      shared -= taken;
      done(error, body);
    };
    const take = (chunk: Buffer) => {
      if (isOver) return;
      received += chunk.length;
      if (received > limits.bodyBytes) return end(tooLarge());
      const more = Math.max(0, received - limits.ownBytes) - taken;
      if (shared + more > limits.sharedBytes)
        return end(new ConnectError("too many large bodies are being read", Code.Unavailable));
      shared += more;
      taken += more;
      chunks.push(chunk);
    };
    // Always a copy: a single chunk is a view of the buffer that the socket reads into.
    const finish = () => {
      if (isOver) return;
      isWhole = true;
      const body = Buffer.concat(chunks, received);
      chunks.length = 0;
      if (received <= limits.promptBytes) end(null, body);
      else turns(() => end(null, body));
    };
    const fail = () => {
      if (!isOver && !isWhole) end(new Refused(400, TEXT.invalidBody));
    };
    payload.on("data", take).on("end", finish).on("error", fail).on("close", fail);
  };
}

function tooLarge(): Refused {
  return new Refused(413, TEXT.tooLarge);
}
