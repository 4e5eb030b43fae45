import { closeSync, existsSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Unavailable } from "../../domain/errors.js";
import { MODELS } from "./model-files.js";
import { commitNumberIn } from "./newest-commit.js";
import { DATA_FILE, LOCK_FILE } from "./store-file.js";

/** The store cannot be opened until the operator puts it back or frees disk space. It is not damaged. */
export class StoreAway extends Unavailable {
  readonly isPassing = true;
}

/** Number of commits that create a store. A crash before they are durable leaves a lock file without data and loses nothing. */
const CREATING_COMMITS = 2;

/**
 * Throws StoreAway when the data file is missing or empty, but other files show that a store was here or is being copied.
 * A new store in its place would know no app, and senders drop events that get 400.
 */
export function mustHaveItsData(directory: string): void {
  const path = join(directory, DATA_FILE);
  let bytes: number | undefined;
  try {
    bytes = statSync(path, { throwIfNoEntry: false })?.size;
  } catch {
    return; // opening says why
  }
  if (bytes !== undefined && bytes > 0) return;
  const trace = traceOf(directory);
  // LMDB makes the lock file first: an empty file without one was not left by a crash of ours.
  const isNew = bytes === undefined || existsSync(join(directory, LOCK_FILE));
  if (trace === undefined && isNew) return;
  const state = bytes === undefined ? "missing" : "empty";
  const beside = trace === undefined ? "" : `, but ${trace} is there`;
  throw new StoreAway(
    `${path} is ${state}${beside}. Put the store or a backup back; for a new store name an empty directory`,
  );
}

/** The name of a file that shows that a store was here; undefined when there is none. */
function traceOf(directory: string): string | undefined {
  if (hasEntries(join(directory, MODELS))) return `${MODELS}/`;
  return commitOf(join(directory, LOCK_FILE)) > CREATING_COMMITS ? `the ${LOCK_FILE} of a store` : undefined;
}

function hasEntries(directory: string): boolean {
  return existsSync(directory) && readdirSync(directory).length > 0;
}

/** Closing the descriptor drops this process's locks in the file, which does no harm: without its data the store is not open. */
function commitOf(path: string): number {
  if (!existsSync(path)) return 0;
  const fd = openSync(path, "r");
  try {
    return commitNumberIn(fd);
  } finally {
    closeSync(fd);
  }
}
