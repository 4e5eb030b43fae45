import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { BrokenFeed } from "./feed-errors.js";

const CHUNK_BYTES = 65_536;

/**
 * Passes plain bytes on and unpacks gzip, which is known by its first bytes. The error of damaged gzip data is that of
 * zlib, with its code.
 * @param name what people call the file
 * @throws BrokenFeed for formats that are taken for text by mistake
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
  // The callback keeps an error of the source from being thrown beside the loop below, which sees it as well.
  pipeline(Readable.from(whole(), { objectMode: false }), gunzip, () => {});
  yield* gunzip;
}
