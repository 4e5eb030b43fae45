import { open, readdir, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Now } from "../../domain/clock.js";
import { InvalidArgument } from "../../domain/errors.js";
import type { SnapshotRoom } from "../store/snapshot-room.js";
import type { Environment } from "./environment.js";
import { syncDirectory } from "./files.js";
import { keysOf } from "./keys.js";
import type { KeptModel } from "./records/app.js";

/** The directory of all apps' snapshots, within that of the store. */
export const MODELS = "models";

const SUFFIX = ".snapshot";
const FILE_NAME = /^[A-Za-z0-9_-]{1,128}$/;

/** A file without a record is what a crash left, once it is too old to be one whose record is about to be written. */
const ORPHAN_MS = 60 * 60 * 1000;

/** Where the snapshots of an app are. */
export function modelDirectory(directory: string, appId: string): string {
  return join(directory, MODELS, safeName("app_id", appId));
}

/** The name of a snapshot's file there. */
export function modelFile(modelId: string): string {
  return `${safeName("model_id", modelId)}${SUFFIX}`;
}

/** An id that is safe as the name of a file. */
function safeName(field: string, id: string): string {
  if (!FILE_NAME.test(id)) throw new InvalidArgument(field, "invalid", "1 to 128 of A-Z, a-z, 0-9, _ and -");
  return id;
}

/** Records of an app's snapshots, in order of ids. */
export function keptModels({ tables }: Environment, appId: string): KeptModel[] {
  return tables.models.entries(keysOf(appId)).map((entry) => entry.value);
}

/** Removes of an app these files, unless they have a record, and what interrupted writes left. */
export async function removeFiles(
  environment: Environment,
  now: Now,
  appId: string,
  removed: ReadonlySet<string>,
): Promise<void> {
  const directory = modelDirectory(environment.directory, appId);
  const names = await namesIn(directory);
  const kept = new Set(keptModels(environment, appId).map((model) => modelFile(model.record.modelId)));
  let left = names.length;
  for (const name of names) {
    if (kept.has(name)) continue;
    const path = join(directory, name);
    if (!removed.has(name) && now() - (await writtenAt(path)) <= ORPHAN_MS) continue;
    await rm(path, { force: true });
    left--;
  }
  if (left < names.length) await syncDirectory(directory);
  if (left === 0) await rmdir(directory).catch(() => undefined); // another snapshot may have come meanwhile
}

/** Removes what interrupted writes left, of all apps. */
export async function removeOrphans(environment: Environment, now: Now): Promise<void> {
  for (const appId of await namesIn(join(environment.directory, MODELS))) {
    if (FILE_NAME.test(appId)) await removeFiles(environment, now, appId, new Set());
  }
}

/** Bytes read at a time, outside of this thread. */
const READ_AT_ONCE = 2 ** 22;

/**
 * The bytes of a file; undefined when there is no such file. Node's own `readFile` puts pieces of 512 KiB together in the
 * end, for which this thread stands still.
 */
export async function readIfThere(
  path: string,
  room: SnapshotRoom = Buffer.allocUnsafeSlow,
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

/** The names in a directory; none when it is not there. */
export async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
