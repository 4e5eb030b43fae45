import type { ConnectError } from "@connectrpc/connect";
import { Unavailable } from "../../domain/errors.js";
import { toConnectError } from "../errors/errors.js";

/** Bytes of messages that all callers share. */
export interface MessageMemory {
  /**
   * Takes so many bytes, or releases them for a negative number. Returns false, and takes nothing, when too few are
   * free.
   */
  take(bytes: number): boolean;
}

/** Calls `onFull` each time too few bytes are free. */
export function createMessageMemory(total: number, onFull: () => void): MessageMemory {
  let taken = 0;
  return {
    take(bytes) {
      if (bytes > 0 && taken + bytes > total) {
        onFull();
        return false;
      }
      taken += bytes;
      return true;
    },
  };
}

/** Bytes of each call that are free of charge. */
const OWN_BYTES = 4096;
/** For a stream: the current message, and two before it that may still be in use. */
const MESSAGES_HELD = 3;
/** The prefix of each message of a stream, in all three protocols: flags, and the length in four bytes. */
const PREFIX_BYTES = 5;

/**
 * Counts the bytes of a request body while they are in memory: for a unary call all of them until `release`, for a
 * stream its last messages. Reading fails with UNAVAILABLE when others hold too much.
 */
export function countedBody(
  body: AsyncIterable<Uint8Array>,
  shared: MessageMemory,
  streams: boolean,
): { readonly body: AsyncIterable<Uint8Array>; release(): void } {
  let taken = 0;
  let isReleased = false;
  const hold = (bytes: number) => {
    if (isReleased) return;
    const more = Math.max(0, bytes - OWN_BYTES) - taken;
    if (!shared.take(more)) throw tooMany();
    taken += more;
  };
  const release = () => {
    isReleased = true;
    shared.take(-taken);
    taken = 0;
  };
  const held = streams ? createLastMessages() : createSum();
  return { body: counted(body, (chunk) => hold(held(chunk))), release };
}

async function* counted(body: AsyncIterable<Uint8Array>, count: (chunk: Uint8Array) => void) {
  for await (const chunk of body) {
    count(chunk);
    yield chunk;
  }
}

function createSum(): (chunk: Uint8Array) => number {
  let sum = 0;
  return (chunk) => {
    sum += chunk.length;
    return sum;
  };
}

/** Counts only the last messages of a stream. */
function createLastMessages(): (chunk: Uint8Array) => number {
  const sizes = [0];
  let prefix = 0;
  let length = 0;
  let rest = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (rest === 0) {
        const byte = chunk[at++] ?? 0;
        length = prefix === 0 ? 0 : length * 256 + byte;
        if (++prefix < PREFIX_BYTES) continue;
        prefix = 0;
        rest = length;
        sizes.push(0);
        if (sizes.length > MESSAGES_HELD) sizes.shift();
      } else {
        const part = Math.min(rest, chunk.length - at);
        rest -= part;
        at += part;
        sizes[sizes.length - 1] = (sizes.at(-1) ?? 0) + part;
      }
    }
    return sizes.reduce((sum, size) => sum + size, 0);
  };
}

function tooMany(): ConnectError {
  return toConnectError(new Unavailable("too many large messages are being read", undefined, { shed: "call_bytes" }));
}
