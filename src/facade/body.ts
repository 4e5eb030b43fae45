/**
 * Reads request bodies into memory. The framework's own reader bounds each body, but a thousand senders that stop in the
 * middle of 1 MiB would still hold a gigabyte. So all bodies share one allowance for their bytes beyond the first 16 KiB,
 * and give them back when the body is read or its sender is gone. Events of shops are smaller and never need the
 * allowance. Parsing the largest bodies takes milliseconds, so they take turns.
 */
import type { Readable } from "node:stream";
import { Code, ConnectError } from "@connectrpc/connect";
import { Refused, TEXT } from "./errors.js";

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
export function createBodyReader(
  limits: BodyLimits,
  turns: WorkSpacing,
): (payload: BodyStream, done: BodyDone) => void {
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

/** Does a piece of work when its turn comes. */
export type WorkSpacing = (work: () => void) => void;

/** Of the time from the beginning of a work to the next, how many times its own time. */
const SPACING = 4;

/**
 * Spaces out works that each block the event loop for milliseconds. They run one at a time, in order of arrival. A rest
 * after each keeps them below a quarter of the time. A work that comes after the rest runs at once. `now` is in ms and
 * never goes back.
 */
export function createWorkSpacing(now: () => number): WorkSpacing {
  const waiting: (() => void)[] = [];
  let isResting = false;

  const next = () => {
    const work = waiting.shift();
    isResting = work !== undefined;
    if (work === undefined) return;
    const startedAt = now();
    try {
      work();
    } finally {
      const restMs = (SPACING - 1) * (now() - startedAt);
      if (restMs < 1) setImmediate(next);
      else setTimeout(next, restMs);
    }
  };

  return (work) => {
    waiting.push(work);
    if (!isResting) next();
  };
}
