import { sign } from "../../domain/signature.js";

/** Headers with which a receiver checks sender and time of a body. `id` stays the same when a message is sent again. */
export function signatureHeaders(secret: string, id: string, at: number, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const signature = sign(secret, { id, timestamp, body });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
}
