import { setImmediate } from "node:timers/promises";
import { crc32c } from "@node-rs/crc32";

const AT_ONCE = 2 ** 22;

/** CRC-32C of a large buffer. Yields to the event loop, since 600 MB take some tenths of a second. */
export async function checksumOf(bytes: Uint8Array): Promise<number> {
  let value = crc32c(bytes.subarray(0, AT_ONCE));
  for (let from = AT_ONCE; from < bytes.length; from += AT_ONCE) {
    await setImmediate();
    value = crc32c(bytes.subarray(from, from + AT_ONCE), value);
  }
  return value;
}
