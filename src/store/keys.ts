import { InvalidArgument } from "../domain/errors.js";

/**
 * Keys are text, stored as UTF-8 and compared byte by byte. A key is the app id, a NUL, then the parts of the record's own
 * key, separated by NULs. The records of one app, visitor or contact are therefore adjacent:
 *
 *   events         app \0 eventId
 *   interactions   app \0 visitorId \0 <time><ref>       time: 9 characters, see `timeText`
 *
 * Within a part, NUL is escaped as \x01 \x01, and \x01 as \x01 \x02. This preserves the order, and no app id, however
 * malformed, reaches the keys of another app. A lone surrogate is stored as U+FFFD.
 */
export type Key = string;

function part(text: string): string {
  if (!text.includes("\0") && !text.includes("\x01")) return text;
  return text.replaceAll("\x01", "\x01\x02").replaceAll("\0", "\x01\x01");
}

/** Unescapes a part of a key. */
export function unpart(text: string): string {
  if (!text.includes("\x01")) return text;
  return text.replaceAll("\x01\x01", "\0").replaceAll("\x01\x02", "\x01");
}

/**
 * The longest key that LMDB accepts with 4 KiB pages, as lmdb-js opens it. The MongoDB store uses the same limit, so that
 * apps can move to an embedded store. Three ids of 255 bytes fit.
 */
export const MAX_KEY_BYTES = 1978;

/** True when every store can hold the key. */
export function fits(key: Key): boolean {
  return key.length * 3 <= MAX_KEY_BYTES || (key.length <= MAX_KEY_BYTES && Buffer.byteLength(key) <= MAX_KEY_BYTES);
}

/** Throws InvalidArgument for a key that cannot be stored. */
export function checkKey(key: Key): void {
  if (key.endsWith("\0")) throw new InvalidArgument("id", "missing");
  if (!fits(key)) throw new InvalidArgument("id", "invalid", `at most ${MAX_KEY_BYTES} bytes with its owner`);
}

/** Lower and higher than every key. */
export const FIRST: Key = "\0";
export const LAST: Key = "\u{10ffff}";

/** The key of a record that exists once per app. */
export function appKey(appId: string): Key {
  return `${part(appId)}\0app`;
}

/** The key of one record of an app; `prefix` is the common prefix of the app's keys. */
export function keyBehind(prefix: Key, id: string): Key {
  return prefix + part(id);
}

/** The id of the app whose record has the key. */
export function appIdOf(key: Key): string {
  return unpart(key.slice(0, key.indexOf("\0")));
}

/** The key of one record; with `id` "" the common prefix of the app's keys. */
export function keyOf(appId: string, id: string): Key {
  return `${part(appId)}\0${part(id)}`;
}

/** The key of a record that belongs to another record; with `id` "" the common prefix of that owner's keys. */
export function ownedKey(appId: string, owner: string, id: string): Key {
  return `${part(appId)}\0${part(owner)}\0${part(id)}`;
}

/** The key of a record that sorts by time within its owner. */
export function timedKey(appId: string, owner: string, at: number, id: string): Key {
  return `${part(appId)}\0${part(owner)}\0${timeText(at)}${part(id)}`;
}

/** The least key greater than all keys with `prefix`, which must end with a NUL. */
export function afterPrefix(prefix: Key): Key {
  return `${prefix.slice(0, -1)}\x01`;
}

/** The least key greater than `key`. */
export function after(key: Key): Key {
  return `${key}\0`;
}

/** Keys from `start` (included) to `end` (excluded). */
export interface KeyRange {
  readonly start: Key;
  readonly end: Key;
}

/** An app's keys with ids greater than `afterId`; "" for all. */
export function keysOf(appId: string, afterId = ""): KeyRange {
  const first = keyOf(appId, "");
  return { start: afterId === "" ? first : after(keyOf(appId, afterId)), end: afterPrefix(first) };
}

/** One owner's keys with ids greater than `afterId`; "" for all. */
export function keysOwnedBy(appId: string, owner: string, afterId = ""): KeyRange {
  const first = ownedKey(appId, owner, "");
  return { start: afterId === "" ? first : after(ownedKey(appId, owner, afterId)), end: afterPrefix(first) };
}

/** Length of the text that `timeText` returns. */
export const TIME_LENGTH = 9;

const LOW = 2 ** 24;
const OFFSET = 2 ** 29;
const ZERO = 0x30;

/** A whole number from -2^53 to 2^53 as 9 characters that sort like the numbers; 6 bits a character. */
export function timeText(at: number): string {
  if (!Number.isSafeInteger(at)) throw new RangeError("A time in a key is a whole number of milliseconds");
  const floor = Math.floor(at / LOW);
  const high = floor + OFFSET;
  const low = at - floor * LOW;
  return String.fromCharCode(
    ZERO + ((high >>> 24) & 63),
    ZERO + ((high >>> 18) & 63),
    ZERO + ((high >>> 12) & 63),
    ZERO + ((high >>> 6) & 63),
    ZERO + (high & 63),
    ZERO + ((low >>> 18) & 63),
    ZERO + ((low >>> 12) & 63),
    ZERO + ((low >>> 6) & 63),
    ZERO + (low & 63),
  );
}

/** The number that `timeText` wrote at `start`. */
export function timeOf(key: Key, start: number): number {
  let high = 0;
  for (let i = start; i < start + 5; i++) high = high * 64 + key.charCodeAt(i) - ZERO;
  let low = 0;
  for (let i = start + 5; i < start + TIME_LENGTH; i++) low = low * 64 + key.charCodeAt(i) - ZERO;
  return (high - OFFSET) * LOW + low;
}
