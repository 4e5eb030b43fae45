import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import type { Readable } from "node:stream";
import { BrokenFeed } from "../../catalog/feed/feed-errors.js";
import { FeedFailure, type FetchFeed, NO_VERSION } from "../../catalog/feed/fetch-feed.js";
import { unpack } from "../../catalog/feed/unpack.js";
import { Failure } from "../errors.js";

/** The bytes of an import, decompressed. */
export interface ImportInput {
  /** Display name: the file as given, or `stdin`. */
  readonly name: string;
  /** File for rejected lines. */
  readonly rejectedPath: string;
  /** Size of the file on disk, null when unknown. */
  readonly totalBytes: number | null;
  /** Bytes read so far, before decompression. */
  bytesRead(): number;
  /** Can be iterated once. @throws Failure when reading or decompression fails. */
  readonly chunks: AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

const CHUNK_BYTES = 65_536;

/**
 * Opens a file, or stdin for `-`. Recognises gzip by its first bytes, not by its name.
 *
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
      if (error instanceof BrokenFeed) throw new Failure(error.message, 1, { cause: error });
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

/**
 * Reads a feed from an https address.
 *
 * @throws Failure when it cannot be fetched
 */
export async function fetchInput(url: string, fetchFeed: FetchFeed, signal?: AbortSignal): Promise<ImportInput> {
  const fetched = await failing(fetchFeed(url, NO_VERSION, signal));
  if (fetched === undefined) throw new Failure("The feed was not read: its host sent no content");
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of fetched?.chunks ?? []) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  async function* unpacked(): AsyncGenerator<Uint8Array> {
    try {
      yield* unpack(counted(), "The feed");
    } catch (error) {
      if (error instanceof FeedFailure || error instanceof BrokenFeed)
        throw new Failure(error.message, 1, { cause: error });
      throw new Failure(`Cannot read the feed: ${readReason(error)}`, 1, { cause: error });
    }
  }
  return {
    name: "feed",
    rejectedPath: "feed.rejected",
    totalBytes: fetched.totalBytes,
    bytesRead: () => bytes,
    chunks: unpacked(),
    close: async () => fetched.close(),
  };
}

async function failing<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw error instanceof FeedFailure ? new Failure(error.message, 1, { cause: error }) : error;
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    throw new Failure(`Cannot read ${basename(path)}: ${readReason(error)}`, 1, { cause: error });
  }
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
