import type { ServerHttp2Stream } from "node:http2";

/**
 * Reads a short body and gives it to `use`. When that says no, and for a body that is longer or takes longer, the bytes are
 * given back, with the rest. A call that ends in the middle is forgotten.
 */
export function readShort(
  stream: ServerHttp2Stream,
  most: { readonly bytes: number; readonly ms: number },
  use: (body: Buffer) => boolean,
  giveBack: (body: AsyncIterable<Uint8Array>) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = () => {
    clearTimeout(timer);
    stream.off("data", take).off("end", end).off("close", stop);
  };
  const giveRest = () => {
    stop();
    stream.pause();
    giveBack(chunksAndRest(chunks, stream));
  };
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most.bytes) giveRest();
  };
  const end = () => {
    stop();
    const [first = Buffer.alloc(0), ...more] = chunks;
    const body = more.length === 0 ? first : Buffer.concat(chunks, size);
    if (!use(body)) giveBack(chunksAndRest([body], []));
  };
  const timer = setTimeout(giveRest, most.ms).unref();
  stream.on("data", take).once("end", end).once("close", stop);
}

async function* chunksAndRest(
  chunks: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* chunks;
  yield* rest;
}
