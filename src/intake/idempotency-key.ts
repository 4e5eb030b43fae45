/**
 * Whom an idempotency key belongs to. The same text sent by somebody else is another key, so that no stranger can take
 * the keys of a shop or of a visitor:
 *
 *   the shop itself   s \n key                    signed events, shop networks, RPC, imports
 *   a browser         v <tag of its ids> \n key   whichever network it is in: phones change theirs
 *   anybody else      n <tag of sender> \n key    events without ids of a browser, unsigned backend senders: by their
 *                                                address, or by their network where a proxy hides it
 *
 * A backend sender goes by its address although it names a visitor: that visitor knows these ids as well. `user_id`
 * alone is no sign of a browser: others can guess it.
 */
import { hash } from "node:crypto";
import { InvalidArgument } from "../domain/errors.js";
import { cleanId } from "../domain/ids.js";
import { senderTag } from "../domain/public-sender.js";
import type { SentEvent } from "./normalise.js";

/** No key of a caller holds one. */
const BORDER = "\n";

/** The key under which the claim is kept; "" stands for none. Throws InvalidArgument for a key that cannot be. */
export function ownedKey(appId: string, { sender, sentBy, visitor }: SentEvent, key: string): string {
  if (key === "") return "";
  if (cleanId(key) === "")
    throw new InvalidArgument("idempotency_key", "invalid", "at most 255 bytes without control characters");
  if (sentBy === undefined) return `s${BORDER}${key}`;
  const { clientId, fingerprintId } = visitor;
  if (sender === "server" || (clientId === "" && fingerprintId === ""))
    return `n${senderTag(appId, sentBy)}${BORDER}${key}`;
  const tag = hash("sha256", JSON.stringify([clientId, fingerprintId]), "base64url").slice(0, 16);
  return `v${tag}${BORDER}${key}`;
}

/** The key as its sender wrote it. */
export function sentKey(owned: string): string {
  return owned.slice(owned.indexOf(BORDER) + 1);
}

/**
 * What a retry must repeat: the bytes that were sent, which read differently as time goes by, where the facade knows them; else
 * all that the event says. Never who was seen sending it. Accepted is also the second alone, by which keys were claimed before
 * the facade told of bytes.
 */
export function hashesOf(sent: SentEvent): readonly string[] {
  const { actionType, sender, visitor, contact, products, categories, order, isWithoutProfile } = sent;
  const {
    searchQuery,
    platform,
    platformVersion,
    senderVersion,
    extraFields,
    recommendationIds,
    sentDigest = "",
  } = sent;
  const occurredAt = sent.occurredAt || null;
  const said = { actionType, sender, occurredAt, visitor, contact, products, categories, order };
  const rest = {
    searchQuery,
    platform,
    platformVersion,
    senderVersion,
    extraFields,
    recommendationIds,
    isWithoutProfile,
  };
  const read = hash("sha256", JSON.stringify({ ...said, ...rest }), "base64url");
  return sentDigest === "" ? [read] : [sentDigest, read];
}
