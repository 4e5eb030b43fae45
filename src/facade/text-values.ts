export const APP_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Maximum length of an id or key, in bytes of UTF-8. */
const MAX_ID_BYTES = 255;

/**
 * True when `text` has more than `bytes` bytes in UTF-8. Counts them only when the number of characters does not
 * decide.
 */
export function isLonger(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}

/** True for text that can be an app id. Only such text may become part of a cookie's name. */
export function isAppId(text: string): boolean {
  return APP_ID.test(text);
}

/**
 * Trims an id. Returns "" for an id that is too long, has control characters or is not Unicode: it counts as absent.
 * (JSON can contain half a surrogate pair, which no message can carry.)
 */
export function cleanId(text: string): string {
  const id = trimSpaces(text);
  return id === "" || isLonger(id, MAX_ID_BYTES) || isUnsendable(id) ? "" : id;
}

const FIRST_SURROGATE = 0xd800;
const LONE_SURROGATE = /\p{Cs}/u;

/** Removes spaces at both ends. Line ends and tabs stay, and make an id invalid. */
export function trimSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) === 0x20) start++;
  while (end > start && text.charCodeAt(end - 1) === 0x20) end--;
  return end - start === text.length ? text : text.slice(start, end);
}

/** True when a character is of the Unicode category Cc or Cs. A loop: patterns cost three times as much for a short id. */
function isUnsendable(text: string): boolean {
  let bits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
    bits |= code;
  }
  return bits >= FIRST_SURROGATE && LONE_SURROGATE.test(text);
}

const OBJECTS = /^\[object Object\](,\[object Object\])*$/;

/** True for text that scripts send instead of an absent value, with or without spaces around it. */
export function isNothing(text: string): boolean {
  const said = trimSpaces(text);
  return said === "" || said === "null" || said === "undefined" || (said.startsWith("[object ") && OBJECTS.test(said));
}

/**
 * The parts of a list separated by `|`, otherwise by `,`; trimmed, without empty and absent ones. Reads at most `most`
 * parts.
 */
export function splitList(text: string, most: number): string[] {
  const separator = text.includes("|") ? "|" : ",";
  const parts: string[] = [];
  for (let start = 0; start <= text.length && parts.length < most; ) {
    const next = text.indexOf(separator, start);
    const end = next === -1 ? text.length : next;
    const trimmed = text.slice(start, end).trim();
    if (!isNothing(trimmed)) parts.push(trimmed);
    start = end + 1;
  }
  return parts;
}

const AVAILABLE: ReadonlyMap<string, boolean> = new Map([
  ...["1", "true", "yes", "instock", "available"].map((word) => [word, true] as const),
  ...["0", "false", "no", "outofstock", "unavailable", "soldout"].map((word) => [word, false] as const),
]);

/** Senders write availability in many ways; any other text means unknown. */
export function readAvailable(text: string): boolean | undefined {
  return AVAILABLE.get(text) ?? AVAILABLE.get(text.toLowerCase().replaceAll(/[\s_-]/g, ""));
}
