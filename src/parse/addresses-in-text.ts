import { decodeHTMLStrict } from "entities";
import { comparableText, emailKey } from "./addresses.js";

const URL_ESCAPES = /(?:%[0-9a-f]{2})+/gi;
const JSON_ESCAPES = /\\(?:u([0-9a-f]{4})|[nrt]|(['"/\\]))/gi;
/** Browsers read these without their semicolon, too. */
const OPEN_ENTITIES = /&#(?:x[\da-f]+(?![\da-f;])|\d+(?![\d;]))/gi;
/** URLs in URLs: what they carry is escaped once more at each level. */
const LEVELS = 3;

/**
 * A text with its escapes of URLs, HTML and JSON decoded, comparable with e-mail keys; none for a text without an address. A half
 * decoded one would set off a part of an address: `o&#39;ann@x.de`.
 */
export function spellingsOf(text: string): string[] {
  // In a query `+` is a blank.
  const isQuery = text.includes("+") && /[?=]/.test(text.slice(0, text.lastIndexOf("+")));
  const texts = isQuery ? [text, text.replaceAll("+", " ")] : [text];
  return texts.map(decoded).filter((plain) => plain.includes("@"));
}

function decoded(text: string): string {
  let plain = text;
  for (let level = 0; level < LEVELS; level++) {
    const next = unescaped(plain);
    if (next === plain) break;
    plain = next;
  }
  return comparableText(plain);
}

function unescaped(text: string): string {
  let plain = text;
  if (plain.includes("%"))
    plain = plain.replace(URL_ESCAPES, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8"));
  if (plain.includes("\\"))
    plain = plain.replace(JSON_ESCAPES, (_, hex = "20", sign = "") =>
      sign === "" ? String.fromCharCode(Number.parseInt(hex, 16)) : sign,
    );
  return plain.includes("&") ? decodeHTMLStrict(plain.replace(OPEN_ENTITIES, "$&;")) : plain;
}

/** A text that is an address as a whole. */
const WHOLE = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}.!$%'*+^_`~-]*@[\p{L}\p{N}\p{M}._-]+$/u;
/** Signs that addresses have and that set nothing off in a text. */
const LOCAL = /[\p{L}\p{N}\p{M}.'+_-]/u;
const DOMAIN = /[\p{L}\p{N}\p{M}._-]/u;

/**
 * Whether the address with this key stands in a spelling of a text, and not as a part of another address: `mary-ann@x.de`,
 * `ann@x.de.example`. In what is no address, such as `order-ann@x.de-7`, it is found as well.
 */
export function namesEmail(spelling: string, email: string): boolean {
  const whole = WHOLE.test(spelling.trim()) || spelling.startsWith('"') ? keyOf(spelling) : "";
  if (whole !== "") return whole === email;
  for (let at = spelling.indexOf(email); at >= 0; at = spelling.indexOf(email, at + 1)) {
    const address = addressAround(spelling, at, at + email.length);
    const key = keyOf(address);
    if (key === "" ? holdsApart(address, email) : key === email) return true;
  }
  return false;
}

/**
 * As much around a place as can belong to one address, without quotes and bullets before it and the end of a sentence behind it. A
 * stranger's text is long, so no pattern looks for it twice.
 */
function addressAround(text: string, at: number, end: number): string {
  let from = at;
  while (from > 0 && LOCAL.test(text.charAt(from - 1))) from--;
  while (from < at && ".'+_-".includes(text.charAt(from))) from++;
  let to = end;
  while (to < text.length && DOMAIN.test(text.charAt(to))) to++;
  while (to > end && "._-".includes(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

/** The key of an address without blanks whose domain may exist: its last label is of letters. */
function keyOf(address: string): string {
  const key = /\s/.test(address.trim()) ? "" : emailKey(address);
  return /\.(\p{L}+|xn--[a-z0-9-]+)$/u.test(key) ? key : "";
}

function holdsApart(text: string, email: string): boolean {
  for (let at = text.indexOf(email); at >= 0; at = text.indexOf(email, at + 1)) {
    const end = at + email.length;
    const isEnd = /^(?!\.?[\p{L}\p{N}])/u.test(text.slice(end, end + 2));
    if (isEnd && !/[\p{L}\p{N}\p{M}.]$/u.test(text.slice(Math.max(0, at - 1), at))) return true;
  }
  return false;
}

/** The end of a local part, and what may be a domain. */
const LIKE_EMAIL = /[^\s@/?#&=:;,|<>(){}[\]\\]@([\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+)/gu;
/** `tent@2x.png`: no domain ends like that. */
const FILE = /\.(png|jpe?g|jfif|webp|gif|avif|svg|bmp|ico|heic|mp4|webm|pdf|js|css|html?|php|json|xml)$/;

/** Whether a text holds an e-mail address, also one that is escaped for URLs, HTML or JSON. */
export function holdsEmail(text: string): boolean {
  return spellingsOf(text).some((spelling) =>
    [...spelling.matchAll(LIKE_EMAIL)].some(([, domain = ""]) => !FILE.test(domain) && emailKey(`a@${domain}`) !== ""),
  );
}
