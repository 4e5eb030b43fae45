import type { Key } from "../keys.js";

export * from "../keys.js";

/** Below 0 when `a` comes before `b`, above 0 when after it, as LMDB orders keys: by bytes. */
export function keyOrder(a: Key, b: Key): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
