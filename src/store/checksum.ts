import { setImmediate } from "node:timers/promises";
import { crc32c } from "@node-rs/crc32";
import type { SnapshotBytes } from "../domain/model.js";

const AT_ONCE = 2 ** 22;

/** CRC-32C of a large snapshot. Yields to the event loop, since 600 MB take some tenths of a second. */
export async function checksumOf(bytes: SnapshotBytes): Promise<number> {
  let value = 0;
  for (const piece of bytes)
    for (let from = 0; from < piece.length; from += AT_ONCE) {
      if (from > 0) await setImmediate();
      value = crc32c(piece.subarray(from, from + AT_ONCE), value);
    }
  return value;
}
