import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { BrokenFeed } from "./feed-errors.js";

const CHUNK_BYTES = 65_536;

/**
 * Decompresses gzip, which it recognises by its first bytes, and passes other bytes on. Damaged gzip data throws zlib's
 * error with its code.
 * @param name the file's name in error texts
 * @throws BrokenFeed for a zip archive, a spreadsheet and UTF-16
 */
export async function* unpack(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 4) {
    const next = await source.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const starts = (...bytes: number[]) => bytes.every((byte, at) => head[at] === byte);
  if (starts(0x50, 0x4b, 0x03, 0x04))
    throw new BrokenFeed(`${name} is a zip archive or spreadsheet; unpack or export it`);
  if (starts(0xff, 0xfe) || starts(0xfe, 0xff)) throw new BrokenFeed(`${name} is UTF-16; UTF-8 is accepted`);

  async function* whole(): AsyncGenerator<Uint8Array> {
    if (head.length > 0) yield head;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  }
  if (!starts(0x1f, 0x8b)) {
    yield* whole();
    return;
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // The loop below throws an error of the source. Without the callback it would be thrown a second time, uncaught.
  pipeline(Readable.from(whole(), { objectMode: false }), gunzip, () => {});
  yield* gunzip;
}
