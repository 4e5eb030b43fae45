import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Unavailable } from "../../domain/errors.js";

/** Runs `work` with the path of a file in a new folder that only this user can read, and removes the folder. */
export function inPrivateFolder<T>(parent: string, work: (file: string) => T): T {
  const own = makePrivateFolder(parent);
  try {
    return work(join(own, "index"));
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** Makes a new folder that only this user can read. Throws Unavailable when there is no space. */
export function makePrivateFolder(parent: string): string {
  try {
    return mkdtempSync(join(parent, "aisle-hnsw-"));
  } catch (cause) {
    throw new Unavailable("Cannot create a temporary folder", undefined, { cause });
  }
}
