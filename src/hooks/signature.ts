import { createHmac } from "node:crypto";

const PREFIX = "whsec_";

/** The text of a secret of `bytes`, as a receiver's library takes it. */
export function secretText(bytes: Uint8Array): string {
  return PREFIX + Buffer.from(bytes).toString("base64");
}

/**
 * The headers that let a receiver check who sent a body and when (Standard Webhooks 1.0: `v1,` and the Base64 of
 * HMAC-SHA256 over `id.timestamp.body`). `id` stays the same when a message is sent again; `at` is in milliseconds.
 */
export function signatureHeaders(secret: string, id: string, at: number, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
