/**
 * Reads request bodies into memory. The framework's own reader bounds each body, but a thousand senders that stop in the
 * middle of 1 MiB would still hold a gigabyte. So all bodies share one allowance for their bytes beyond the first 16 KiB,
 * and give them back when the body is read or its sender is gone. Events of shops are smaller and never need the
 * allowance. Parsing the largest bodies takes milliseconds, so they take turns. A compressed body is decoded within the
 * same limits.
 */
import type { Readable } from "node:stream";
import { Code, ConnectError } from "@connectrpc/connect";
import { createBodyDecoding, type Decoders, decodersOf } from "./content-coding.js";
import { Refused, TEXT } from "./errors.js";

/** Limits in bytes. */
export interface BodyLimits {
  /** Of one body, as sent and as decoded. */
  readonly bodyBytes: number;
  /** Bytes of each body that need no allowance. */
  readonly ownBytes: number;
  /**
   * The shared allowance: bytes of all bodies together beyond `ownBytes`, waiting bodies included.
   */
  readonly sharedBytes: number;
  /** A longer body waits for its turn before it is passed on. */
  readonly promptBytes: number;
}

/** The parts of a request that a body reader needs. */
export type BodyStream = Readable & {
  readonly headers: {
    readonly "content-length"?: string | undefined;
    readonly "content-encoding"?: string | undefined;
  };
};

/** Called once: with an error (Refused, or UNAVAILABLE when the shared bytes are used up), or with the body. */
export type BodyDone = (error: Error | null, body?: Buffer) => void;

/** A reader of bodies that share an allowance. */
export function createBodyReader(
  limits: BodyLimits,
  turns: WorkSpacing,
): (payload: BodyStream, done: BodyDone) => void {
  let shared = 0;
  const decode = createBodyDecoding(limits.bodyBytes);

  return (payload, done) => {
    let decoders: Decoders;
    try {
      decoders = decodersOf(payload.headers["content-encoding"]);
    } catch (error) {
      return done(error instanceof Error ? error : new Refused(415, TEXT.unsupportedCoding));
    }
    const announced = Number(payload.headers["content-length"] ?? 0);
    if (announced > limits.bodyBytes) return done(tooLarge());
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
      if (received > limits.bodyBytes) return end(tooLarge());
      if (hold(received)) chunks.push(chunk);
    };
    const pass = (body: Buffer) => {
      if (body.length <= limits.promptBytes) end(null, body);
      else turns(() => end(null, body));
    };
    // Always a copy: a single chunk is a view of the buffer that the socket reads into.
    const finish = () => {
      if (isOver) return;
      isWhole = true;
      const body = Buffer.concat(chunks, received);
      chunks.length = 0;
      if (decoders.length === 0) return pass(body);
      decode(body, decoders).then((decoded) => hold(decoded.length) && pass(decoded), end);
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

/** Runs a piece of work when its turn comes. */
export type WorkSpacing = (work: () => void) => void;

/** Time from the start of a work to the next start, as a multiple of the work's own time. */
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
