import type { ServerHttp2Stream } from "node:http2";
import { chunksAndRest, chunksOf } from "../request-body.js";

/** As many bytes as each call may hold free of charge. */
const SMALL_BYTES = 4096;

/**
 * Reads a small body. Until it is whole a call costs a few listeners and what has come of it. One that ends in the middle is forgotten.
 *
 *   whole  gets a body that has ended;
 *   part   gets the bytes of a larger one, with the rest;
 *   late   is called when neither came within `ms`.
 */
export function readSmallBody(
  stream: ServerHttp2Stream,
  ms: number,
  then: {
    readonly whole: (body: Buffer) => void;
    readonly part: (body: AsyncIterable<Uint8Array>) => void;
    readonly late: () => void;
  },
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = () => {
    clearTimeout(timer);
    stream.off("data", take).off("end", end).off("close", stop);
  };
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= SMALL_BYTES) return;
    stop();
    stream.pause();
    then.part(chunksAndRest(chunks, chunksOf(stream)));
  };
  const end = () => {
    stop();
    const [first = Buffer.alloc(0), ...more] = chunks;
    then.whole(more.length === 0 ? first : Buffer.concat(chunks));
  };
  const late = () => {
    stop();
    then.late();
  };
  const timer = setTimeout(late, ms).unref();
  stream.on("data", take).once("end", end).once("close", stop);
}
