import { createHash } from "node:crypto";
import { Conflict } from "./errors.js";

/** Identifies a state of a resource: equal contents have equal etags. `content` lists its fields in a fixed order. */
export function etagOf(content: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("base64url").slice(0, 16);
}

/**
 * Throws Conflict("etag_mismatch") when a caller named an etag that is not the current one. "" stands for a resource that does
 * not exist, as the current etag and as the one that a caller named.
 */
export function checkEtag(named: string | undefined, current: string): void {
  if (named !== undefined && named !== current)
    throw new Conflict("etag_mismatch", "Somebody else changed it since it was read: read it again");
}
