/** Signatures by Standard Webhooks 1.0: `v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`. */
import { createHmac, timingSafeEqual } from "node:crypto";

const PREFIX = "whsec_";
const VERSION = "v1,";

/** Maximum signatures read of one request: more than an app has secrets. */
const MAX_SIGNATURES = 8;

/** The text of a secret of `bytes`, in the form of libraries. */
export function secretText(bytes: Uint8Array): string {
  return PREFIX + Buffer.from(bytes).toString("base64");
}

/** The signed values besides the body. */
export interface Signed {
  readonly id: string;
  /** Seconds since 1970, in decimal digits. */
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

export function sign(secret: string, signed: Signed): string {
  return VERSION + digest(secret, signed).toString("base64");
}

/** True when one of `signatures` (spaces between) was made with one of the secrets. Takes the same time for each that was not. */
export function isSignedBy(secrets: readonly string[], signed: Signed, signatures: string): boolean {
  const claimed = signatures
    .split(" ", MAX_SIGNATURES)
    .filter((text) => text.startsWith(VERSION))
    .map((text) => Buffer.from(text.slice(VERSION.length), "base64"));
  let isKnown = false;
  for (const secret of secrets) {
    const expected = digest(secret, signed);
    for (const one of claimed) if (one.length === expected.length && timingSafeEqual(one, expected)) isKnown = true;
  }
  return isKnown;
}

function digest(secret: string, { id, timestamp, body }: Signed): Buffer {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}
