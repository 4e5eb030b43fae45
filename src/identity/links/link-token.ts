/**
 * The token of a link in a mail: app, contact, purpose and end of validity. A signature keeps others from making one or
 * changing its purpose. It holds no address, as others log links.
 *
 *   APP.PAYLOAD.MAC     payload and mac in Base64url
 *   payload             version, purpose, channel (a byte each), end of validity (6 bytes, seconds since 1970), contact id
 *   mac                 HMAC-SHA256 with the app's key over the app id, the payload and the address, first 16 bytes
 *
 * The signature covers the address: a link to a phone number that the contact no longer has is void.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Channel } from "../../domain/contact.js";

/** What following a link does: `confirm` proves the address and completes a subscription, `unsubscribe` ends one. */
export type LinkPurpose = "confirm" | "unsubscribe";

export interface Link {
  readonly appId: string;
  readonly purpose: LinkPurpose;
  readonly channel: Channel;
  readonly contactId: string;
  /** Milliseconds since 1970, kept in whole seconds. */
  readonly validUntil: number;
}

const VERSION = 1;
const PURPOSES: readonly LinkPurpose[] = ["confirm", "unsubscribe"];
const CHANNELS: readonly Channel[] = ["email", "sms"];
const HEAD_BYTES = 9;
const MAC_BYTES = 16;
const MAX_LENGTH = 1024;

/** @param address Key of the address the link is sent to, as `emailKey` and `phoneKey` make it. */
export function writeLinkToken(key: Uint8Array, link: Link, address: string): string {
  const payload = payloadOf(link);
  return `${link.appId}.${payload.toString("base64url")}.${macOf(key, link.appId, payload, address).toString("base64url")}`;
}

/** A parsed token that is not verified yet. */
export interface UncheckedLink extends Link {
  /** True when the app made it for this address and it has not expired at `now`. */
  isGood(key: Uint8Array, address: string, now: number): boolean;
}

/**
 * What mail programs and people leave behind an address: `.`, `>`, `</a>`, `&gt;`, `=20`. The mac's length is known, so it ends
 * there, and no letter or digit follows at once.
 */
const LEFT_BEHIND = /[_-]{0,16}(?:[^A-Za-z0-9_-].*)?$/.source;
const TOKEN = new RegExp(
  `^[<("'\\s]{0,4}([A-Za-z0-9_-]{1,64})\\.([A-Za-z0-9_-]+)\\.([A-Za-z0-9_-]{22})${LEFT_BEHIND}`,
  "su",
);

/** Undefined for text that is not a token. */
export function readLinkToken(text: string): UncheckedLink | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, appId = "", payloadText = "", macText = ""] = TOKEN.exec(text) ?? [];
  const payload = Buffer.from(payloadText, "base64url");
  const mac = Buffer.from(macText, "base64url");
  // Base64url has several spellings of the same bytes; only one of them is a token.
  if (payload.toString("base64url") !== payloadText || mac.toString("base64url") !== macText) return undefined;
  if (payload.length <= HEAD_BYTES || payload[0] !== VERSION) return undefined;
  const purpose = PURPOSES[payload[1] ?? -1];
  const channel = CHANNELS[payload[2] ?? -1];
  if (purpose === undefined || channel === undefined) return undefined;
  const validUntil = payload.readUIntBE(3, 6) * 1000;
  const link: Link = { appId, purpose, channel, contactId: payload.toString("utf8", HEAD_BYTES), validUntil };
  return {
    ...link,
    isGood: (key, address, now) => now < validUntil && timingSafeEqual(mac, macOf(key, appId, payload, address)),
  };
}

function payloadOf({ purpose, channel, contactId, validUntil }: Link): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = VERSION;
  head[1] = PURPOSES.indexOf(purpose);
  head[2] = CHANNELS.indexOf(channel);
  head.writeUIntBE(Math.floor(validUntil / 1000), 3, 6);
  return Buffer.concat([head, Buffer.from(contactId)]);
}

function macOf(key: Uint8Array, appId: string, payload: Uint8Array, address: string): Buffer {
  const mac = createHmac("sha256", key).update(`${appId}\0`).update(payload).update(`\0${address}`).digest();
  return mac.subarray(0, MAC_BYTES);
}
