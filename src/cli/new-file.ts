import { open } from "node:fs/promises";
import { UsageFailure } from "./errors.js";

/** Readable for its owner alone. */
export async function newFile(path: string, accepted = "a new file in a writable directory") {
  return open(path, "wx", 0o600).catch(() => {
    throw new UsageFailure(`--out: ${accepted} is accepted`);
  });
}
