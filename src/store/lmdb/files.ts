import { statfsSync } from "node:fs";
import { access, constants, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Unavailable } from "../../domain/errors.js";

/** The files LMDB keeps in the directory of a store. */
export const DATA_FILE = "data.mdb";
export const LOCK_FILE = "lock.mdb";

/** Makes the names in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Creates a directory and its parents, readable by their owner only, and syncs their names. Rejects with DirectoryRefused.
 * Creates them one by one, because Node's recursive `mkdir` never returns where the system refuses all directories
 * ("… that cannot be made").
 */
export async function makeDirectory(path: string): Promise<void> {
  const missing: string[] = [];
  for (let at = path; !(await isDirectory(at)); at = dirname(at)) missing.push(at);
  for (const one of missing.reverse()) {
    await mkdir(one, { mode: 0o700 }).catch(async (error: unknown) => {
      if (codeOf(error) === "EEXIST" && (await isDirectory(one))) return; // another process was faster
      throw new DirectoryRefused(dirname(one), error);
    });
    await syncDirectory(dirname(one));
  }
}

/** Rejects with DirectoryRefused unless this user may read and write the directory and those of `files` that exist. */
async function mustBeWritable(directory: string, files: readonly string[]): Promise<void> {
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK).catch((error: unknown) => {
    throw new DirectoryRefused(directory, error);
  });
  for (const file of files) {
    const path = join(directory, file);
    await access(path, constants.R_OK | constants.W_OK).catch((error: unknown) => {
      if (codeOf(error) !== "ENOENT") throw new DirectoryRefused(path, error);
    });
  }
}

/** Makes the directory of a store. Rejects with DirectoryRefused unless this user may write to it and LMDB's files in it. */
export async function mustTakeWrites(directory: string): Promise<void> {
  await makeDirectory(directory);
  await mustBeWritable(directory, [DATA_FILE, LOCK_FILE]);
}

/** Rejects with the system's error unless the beginning of a file can be read. */
export async function mustBeReadable(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.read(Buffer.alloc(1), 0, 1, 0);
  } finally {
    await handle.close();
  }
}

/** Explanations by system error code; the path follows. */
const FAULTS: ReadonlyMap<string, string> = new Map([
  ["EACCES", "this user may not read and write in"],
  ["EPERM", "this user may not read and write in"],
  ["EROFS", "nothing can be written on the file system of"],
  ["ENOSPC", "there is no room left on the disk of"],
  ["EDQUOT", "there is no room left for this user on the disk of"],
  ["ENAMETOOLONG", "a name is too long in"],
  ["ELOOP", "links lead in a circle at"],
  ["ENOTDIR", "a directory is needed instead of the file"],
  ["EEXIST", "something is in the way in"],
  ["ENOENT", "no directories can be made in"],
]);

/** A directory cannot be made or written. The message names the place at fault. */
class DirectoryRefused extends Unavailable {
  constructor(place: string, error: unknown) {
    const code = codeOf(error);
    super(`The store needs a directory to write in: ${FAULTS.get(code) ?? `the system refuses (${code})`} ${place}`);
  }
}

/** False when the path does not exist; rejects with DirectoryRefused for anything but a directory. */
async function isDirectory(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false; // the call for the parent finds the obstacle
    throw new DirectoryRefused(code === "EACCES" ? dirname(path) : path, error);
  }
  throw new DirectoryRefused(path, { code: "ENOTDIR" });
}

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}

/** Writes a file atomically, so that after a crash it is complete or absent: write, sync, rename, sync the directory. */
export async function writeFileDurably(
  directory: string,
  name: string,
  temporaryName: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  await makeDirectory(directory);
  const temporary = join(directory, temporaryName);
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      for await (const piece of pieces) await handle.writeFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, join(directory, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(directory);
}

/** Free bytes of the disk a directory is on; Infinity where the file system does not say. */
export function freeBytesOf(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
