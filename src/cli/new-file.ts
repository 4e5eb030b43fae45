import { open } from "node:fs/promises";
import { UsageFailure } from "./errors.js";

/** Readable for its owner alone. */
export async function newFile(path: string) {
  return open(path, "wx", 0o600).catch(() => {
    throw new UsageFailure("--out: a new file in a writable directory is accepted");
  });
}
