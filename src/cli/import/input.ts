import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Failure } from "../failure.js";

/** The bytes of an import, unpacked. */
export interface ImportInput {
  /** What people call it: the file as given, or `stdin`. */
  readonly name: string;
  /** Where lines that were not taken are written. */
  readonly rejectedPath: string;
  /** Size of the file as it lies there, null when it is not known. */
  readonly totalBytes: number | null;
  /** Bytes read so far, before unpacking. */
  bytesRead(): number;
  /** May be walked once. @throws Failure when reading or unpacking fails. */
  readonly chunks: AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

const CHUNK_BYTES = 65_536;

/**
 * Opens a file, or stdin for `-`. Gzip is known by its first bytes, not by its name.
 * @throws Failure when the file cannot be opened.
 */
export async function openInput(path: string, stdin: Readable): Promise<ImportInput> {
  const file = path === "-" ? null : await openFile(path);
  const name = file ? path : "stdin";
  let bytes = 0;
  const source = file ? file.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false }) : stdin;

  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      const buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      bytes += buffer.length;
      yield buffer;
    }
  }

  async function* unpacked(): AsyncGenerator<Uint8Array> {
    try {
      yield* unpack(counted(), name);
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw new Failure(`Cannot read ${name}: ${readReason(error)}`, 1, { cause: error });
    }
  }

  const stat = file ? await file.stat() : null;
  if (stat?.isDirectory()) {
    await file?.close();
    throw new Failure(`Cannot read ${name}: it is a directory`);
  }
  return {
    name,
    rejectedPath: `${file ? path : "stdin"}.rejected`,
    totalBytes: stat?.isFile() ? stat.size : null,
    bytesRead: () => bytes,
    chunks: unpacked(),
    close: async () => {
      source.destroy();
      await file?.close();
    },
  };
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    throw new Failure(`Cannot read ${basename(path)}: ${readReason(error)}`, 1, { cause: error });
  }
}

/** Passes plain bytes on and unpacks gzip. @throws Failure for formats that are taken for text by mistake. */
async function* unpack(chunks: AsyncGenerator<Buffer>, name: string): AsyncGenerator<Uint8Array> {
  let head = Buffer.alloc(0);
  while (head.length < 4) {
    const next = await chunks.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const starts = (...bytes: number[]) => bytes.every((byte, at) => head[at] === byte);
  if (starts(0x50, 0x4b, 0x03, 0x04)) throw new Failure(`${name} is a zip archive or spreadsheet; unpack or export it`);
  if (starts(0xff, 0xfe) || starts(0xfe, 0xff)) throw new Failure(`${name} is UTF-16; UTF-8 is accepted`);

  async function* whole(): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head;
    yield* chunks;
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

function readReason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  switch (code) {
    case "ENOENT":
      return "there is no such file";
    case "EACCES":
      return "no permission";
    case "EISDIR":
      return "it is a directory";
    case "Z_BUF_ERROR":
      return "the gzip data ends too early";
    case "Z_DATA_ERROR":
      return "the gzip data is damaged";
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
