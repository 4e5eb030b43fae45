/**
 * Keys are text, kept as UTF-8 and compared byte by byte. A key is the app id, a NUL, and the parts of the record's
 * own key with a NUL between them, so that the records of one app, one visitor or one contact lie together:
 *
 *   events         app \0 eventId
 *   interactions   app \0 visitorId \0 <time><ref>       time: 9 characters, see `timeText`
 *
 * Within a part NUL becomes \x01 \x01 and \x01 becomes \x01 \x02, which keeps both the order and the borders:
 * no app id, however malformed, reaches the keys of another app. A lone surrogate is kept as U+FFFD.
 */
export type Key = string;

function part(text: string): string {
  if (!text.includes("\0") && !text.includes("\x01")) return text;
  return text.replaceAll("\x01", "\x01\x02").replaceAll("\0", "\x01\x01");
}

/** The text a part was made from. */
export function unpart(text: string): string {
  if (!text.includes("\x01")) return text;
  return text.replaceAll("\x01\x01", "\0").replaceAll("\x01\x02", "\x01");
}

/** Lower and higher than every key. */
export const FIRST: Key = "\0";
export const LAST: Key = "\u{10ffff}";

/** The key of what an app has one of. */
export function appKey(appId: string): Key {
  return `${part(appId)}\0app`;
}

/** The key of one record of an app, where `prefix` is what all keys of the app begin with. */
export function keyBehind(prefix: Key, id: string): Key {
  return prefix + part(id);
}

/** The id of the app whose record has the key. */
export function appIdOf(key: Key): string {
  return unpart(key.slice(0, key.indexOf("\0")));
}

/** The key of one record, or with `id` "" what all keys of the app begin with. */
export function keyOf(appId: string, id: string): Key {
  return `${part(appId)}\0${part(id)}`;
}

/** The key of a record that belongs to another, or with `id` "" what all keys of that owner begin with. */
export function ownedKey(appId: string, owner: string, id: string): Key {
  return `${part(appId)}\0${part(owner)}\0${part(id)}`;
}

/** The key of a record in order of time within its owner. */
export function timedKey(appId: string, owner: string, at: number, id: string): Key {
  return `${part(appId)}\0${part(owner)}\0${timeText(at)}${part(id)}`;
}

/** The least key that is greater than all keys beginning with `prefix`, which ends with a NUL. */
export function afterPrefix(prefix: Key): Key {
  return `${prefix.slice(0, -1)}\x01`;
}

/** The least key greater than `key`. */
export function after(key: Key): Key {
  return `${key}\0`;
}

/** A part of the keys: from `start` up to, not including, `end`. */
export interface KeyRange {
  readonly start: Key;
  readonly end: Key;
}

/** The keys of an app, those of ids greater than `afterId` or with "" all of them. */
export function keysOf(appId: string, afterId = ""): KeyRange {
  const first = keyOf(appId, "");
  return { start: afterId === "" ? first : after(keyOf(appId, afterId)), end: afterPrefix(first) };
}

/** The keys of what belongs to one owner, likewise. */
export function keysOwnedBy(appId: string, owner: string, afterId = ""): KeyRange {
  const first = ownedKey(appId, owner, "");
  return { start: afterId === "" ? first : after(ownedKey(appId, owner, afterId)), end: afterPrefix(first) };
}

/** How many characters `timeText` gives. */
export const TIME_LENGTH = 9;

const LOW = 2 ** 24;
const OFFSET = 2 ** 29;
const ZERO = 0x30;

/** A whole number from -2^53 to 2^53 as 9 characters whose order is that of the numbers; 6 bits a character. */
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

/** The number `timeText` wrote at `start`. */
export function timeOf(key: Key, start: number): number {
  let high = 0;
  for (let i = start; i < start + 5; i++) high = high * 64 + key.charCodeAt(i) - ZERO;
  let low = 0;
  for (let i = start + 5; i < start + TIME_LENGTH; i++) low = low * 64 + key.charCodeAt(i) - ZERO;
  return (high - OFFSET) * LOW + low;
}
