import { type FileHandle, open, readdir, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { crc32c } from "@node-rs/crc32";
import type { Now } from "../../domain/clock.js";
import { DataDamaged, InvalidArgument } from "../../domain/errors.js";
import type { SnapshotBuffers } from "../snapshot-buffers.js";
import type { Environment } from "./environment.js";
import { syncDirectory, writeFileDurably } from "./files.js";
import { keysOf } from "./keys.js";
import type { StoredModel } from "./records.js";

/** The directory of all apps' snapshots, within that of the store. */
export const MODELS = "models";

const SUFFIX = ".snapshot";
const FILE_NAME = /^[A-Za-z0-9_-]{1,128}$/;

/** A crash can leave a file without a record. A younger file may still get its record. */
const ORPHAN_MS = 60 * 60 * 1000;

/** Where the snapshots of an app are. */
export function modelDirectory(directory: string, appId: string): string {
  return join(directory, MODELS, safeName("app_id", appId));
}

/** The name of a snapshot's file there. */
export function modelFile(modelId: string): string {
  return `${safeName("model_id", modelId)}${SUFFIX}`;
}

/** Removes all snapshots of an app. A concurrent `put` finds the app gone and removes its own file. */
export async function removeAllFiles(directory: string, appId: string): Promise<void> {
  // Removing the directory fails when a file arrives meanwhile.
  const again = { maxRetries: 10, retryDelay: 10 };
  await rm(modelDirectory(directory, appId), { recursive: true, force: true, ...again });
}

/** Checks that an id is safe as a file name. */
function safeName(field: string, id: string): string {
  if (!FILE_NAME.test(id)) throw new InvalidArgument(field, "invalid", "1 to 128 of A-Z, a-z, 0-9, _ and -");
  return id;
}

/** Records of an app's snapshots, in order of ids. */
export function storedModels({ tables }: Environment, appId: string): StoredModel[] {
  return tables.models.entries(keysOf(appId)).map((entry) => entry.value);
}

/** Removes these files of an app unless they have a record, and files left by interrupted writes. */
export async function removeFiles(
  environment: Environment,
  now: Now,
  appId: string,
  removed: ReadonlySet<string>,
): Promise<void> {
  const directory = modelDirectory(environment.directory, appId);
  const names = await namesIn(directory);
  const kept = new Set(storedModels(environment, appId).map((model) => modelFile(model.record.modelId)));
  let removals = 0;
  for (const name of names) {
    if (kept.has(name)) continue;
    const path = join(directory, name);
    if (!removed.has(name) && now() - (await writtenAt(path)) <= ORPHAN_MS) continue;
    await rm(path, { force: true });
    removals++;
  }
  // The removal of the app may take the directory away meanwhile.
  if (removals > 0) await syncDirectory(directory).catch(unlessMissing);
  // It fails while there are files. Of two calls that each remove one of two files, the later one removes the directory.
  if (kept.size === 0) await rmdir(directory).catch(() => undefined);
}

/** Removes the files that interrupted writes left, for all apps. */
export async function removeOrphans(environment: Environment, now: Now): Promise<void> {
  for (const appId of await namesIn(join(environment.directory, MODELS))) {
    if (FILE_NAME.test(appId)) await removeFiles(environment, now, appId, new Set());
  }
}

/** Bytes per read, off the main thread. */
const READ_AT_ONCE = 2 ** 22;

/** Lengths of the pieces that a stored snapshot is read in. */
export function pieceLengths({ record, pieces }: StoredModel): readonly number[] {
  return pieces.length === 0 ? [record.sizeBytes] : pieces;
}

/** The bytes of a file, and what changes with each write to it. */
export interface ReadFile {
  readonly pieces: readonly Buffer[];
  readonly stamp: string;
}

/**
 * A file in pieces of these lengths; undefined when it does not exist or has another length. Node's `readFile` would block
 * this thread at the end, while it joins chunks of 512 KiB.
 */
export async function readPieces(
  path: string,
  lengths: readonly number[],
  room: SnapshotBuffers,
): Promise<ReadFile | undefined> {
  return opened(path, async (file) => {
    const { size, ino, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
    if (Number(size) !== lengths.reduce((sum, length) => sum + length, 0)) return undefined;
    const pieces = room(lengths);
    let from = 0;
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) {
        const { bytesRead } = await file.read(piece, at, Math.min(READ_AT_ONCE, piece.length - at), from + at);
        if (bytesRead === 0) return undefined;
        at += bytesRead;
      }
      from += piece.length;
    }
    return { pieces, stamp: `${ino} ${mtimeNs} ${ctimeNs}` };
  });
}

/** The bytes of a model's file a part at a time; each part overwrites the one before. Throws DataDamaged unless they are whole. */
export async function* soundParts(path: string, { record, fileChecksum }: StoredModel): AsyncGenerator<Uint8Array> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(READ_AT_ONCE);
    let value = 0;
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, length);
      if (bytesRead === 0) break;
      const part = buffer.subarray(0, bytesRead);
      value = crc32c(part, value);
      length += bytesRead;
      yield part;
    }
    if (length !== record.sizeBytes || value !== fileChecksum)
      throw new DataDamaged(`The file ${path} does not match its checksum`);
  } finally {
    await file.close();
  }
}

/** Copies a model's file; false, and nothing is copied, when it is not there or damaged. */
export async function copySound(from: string, toDirectory: string, model: StoredModel): Promise<boolean> {
  const file = modelFile(model.record.modelId);
  const path = join(from, file);
  if (!(await isThere(path))) return false;
  try {
    await writeFileDurably(toDirectory, file, `${file}.tmp`, soundParts(path, model));
    return true;
  } catch (error) {
    if (error instanceof DataDamaged || isMissing(error)) return false;
    throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await opened(path, async () => true)) ?? false;
}

/** Undefined when the file does not exist. */
async function opened<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  try {
    const file = await open(path, "r");
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function writtenAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

/** The names in a directory; empty when it does not exist. */
export async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
