import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Unavailable } from "../../domain/errors.js";
import { DATA_FILE, LOCK_FILE, writeFileDurably } from "./files.js";
import { MODELS } from "./model-files.js";

/** Written beside a store once it is complete: with it, a missing data file is a lost one. */
const MARK = "store-id";

/** Leaves the mark of a complete store. */
export async function markStore(directory: string, storeId: string): Promise<void> {
  if (!existsSync(join(directory, MARK)))
    await writeFileDurably(directory, MARK, `${MARK}.tmp`, [Buffer.from(storeId)]);
}

/** The store cannot be opened until the operator puts it back or frees disk space. It is not damaged. */
export class StoreAway extends Unavailable {
  readonly isPassing = true;
}

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
  return existsSync(join(directory, MARK)) ? MARK : undefined;
}

function hasEntries(directory: string): boolean {
  return existsSync(directory) && readdirSync(directory).length > 0;
}
