import { open, readdir, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Now } from "../../domain/clock.js";
import { InvalidArgument } from "../../domain/errors.js";
import type { SnapshotBuffers } from "../snapshot-buffers.js";
import type { Environment } from "./environment.js";
import { syncDirectory } from "./files.js";
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

/**
 * The bytes of a file; undefined when it does not exist. Node's `readFile` would block this thread at the end, while it
 * joins chunks of 512 KiB.
 */
export async function readIfThere(
  path: string,
  room: SnapshotBuffers = Buffer.allocUnsafeSlow,
): Promise<Buffer | undefined> {
  try {
    const file = await open(path, "r");
    try {
      const bytes = room((await file.stat()).size);
      let at = 0;
      for (let read = -1; read !== 0 && at < bytes.length; at += read)
        read = (await file.read(bytes, at, Math.min(READ_AT_ONCE, bytes.length - at), at)).bytesRead;
      return bytes.subarray(0, at);
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
