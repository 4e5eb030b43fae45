import { isNobody, isNoValue, spellingsOfNobody } from "../parse/words-for-nothing.js";

/** Longest id or key, in bytes of UTF-8. */
const MAX_ID_BYTES = 255;

const CONTROL = /\p{Cc}/u;
const APP_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Owns records that belong to no app. It is no app id. */
export const INSTALLATION = "*";

/** True for an app id: 1 to 64 of `A-Z a-z 0-9 _ -`. Frame ids follow the same rule. */
export function isAppId(text: string): boolean {
  return APP_ID.test(text);
}

/**
 * Returns the id, or "" when it is longer than 255 bytes or contains control characters: such an id counts as absent.
 */
export function cleanId(text: string): string {
  if (text.length === 0 || text.length > MAX_ID_BYTES || CONTROL.test(text)) return "";
  return text.length * 3 <= MAX_ID_BYTES || Buffer.byteLength(text) <= MAX_ID_BYTES ? text : "";
}

/** The ids of a visitor; "" for an unknown one. */
export interface VisitorIds {
  readonly clientId: string;
  readonly fingerprintId: string;
  readonly userId: string;
}

/** One id of a visitor with its kind: `c:` client id, `f:` fingerprint id, `u:` user id. */
export type VisitorKey = string;

/** The id of a person as `cleanId` gives it; "" also for one that names nobody. */
export function personId(text: string): string {
  const id = cleanId(text);
  return id === "" || isNobody(id) ? "" : id;
}

/** The id of a thing, such as an order or a product, as `cleanId` gives it; "" also for a word that stands for none. */
export function valueId(text: string): string {
  const id = cleanId(text);
  return id === "" || isNoValue(id) ? "" : id;
}

/** The keys of the ids that name somebody, in the order client, fingerprint, user. */
export function visitorKeys(ids: VisitorIds): VisitorKey[] {
  const keys: VisitorKey[] = [];
  const add = (kind: string, id: string) => {
    const clean = personId(id);
    if (clean !== "") keys.push(`${kind}:${clean}`);
  };
  add("c", ids.clientId);
  add("f", ids.fingerprintId);
  add("u", ids.userId);
  return keys;
}

/** Whether a key is of an id that names nobody. Earlier versions took such ids for persons. */
export function namesNobody(key: VisitorKey): boolean {
  return /^[cfu]:/.test(key) && isNobody(key.slice(2));
}

/** The keys that usual spellings of ids that name nobody have in stores of earlier versions. */
export function usualKeysOfNobody(): VisitorKey[] {
  return spellingsOfNobody().flatMap((id) => [`c:${id}`, `f:${id}`, `u:${id}`]);
}

/** Whether a text is the key of a visitor, and not the id of an event. */
export function isVisitorKey(key: string): key is VisitorKey {
  return /^[cfu]:/.test(key);
}

/** Whether a key is of a user id, which can be guessed, and not of a browser. */
export function isUserKey(key: VisitorKey): boolean {
  return key.startsWith("u:");
}

/** Milliseconds since 1970 in a UUIDv7, 0 for other text. */
export function timeOfId(id: string): number {
  const hex = id.replace("-", "").slice(0, 12);
  return /^[0-9a-f]{12}$/i.test(hex) ? Number.parseInt(hex, 16) : 0;
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;
const COUNT_AT = 15;
const RANDOM_AT = 18;

/** The id itself if it sorts behind `other`; otherwise the first one behind that, with the random part of `id`. */
export function idBehind(id: string, other: string): string {
  if (id > other || !UUID_V7.test(other)) return id;
  const count = Number.parseInt(other.slice(COUNT_AT, RANDOM_AT), 16) + 1;
  const random = id.slice(RANDOM_AT);
  if (count > 0xfff) return `${idAt(timeOfId(other) + 1)}7000${random}`;
  return `${other.slice(0, COUNT_AT)}${count.toString(16).padStart(3, "0")}${random}`;
}

/** Text that sorts before the UUIDv7 of this time and after earlier ones. */
export function idAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-`;
}
