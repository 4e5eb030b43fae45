import type { Key } from "../store/keys.js";

export * from "../store/keys.js";

/** The longest key LMDB takes with 4 KiB pages, as lmdb-js opens it. Three ids of 255 bytes fit well. */
export const MAX_KEY_BYTES = 1978;

/** True when LMDB can hold the key. */
export function fits(key: Key): boolean {
  return key.length * 3 <= MAX_KEY_BYTES || (key.length <= MAX_KEY_BYTES && Buffer.byteLength(key) <= MAX_KEY_BYTES);
}

/** Below 0 when `a` comes before `b`, above 0 when after it, as LMDB orders keys: by bytes. */
export function keyOrder(a: Key, b: Key): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
