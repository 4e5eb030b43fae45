import { decodeHTMLStrict } from "entities";
import { comparableText, emailKey } from "./addresses.js";

const URL_ESCAPES = /(?:%[0-9a-f]{2})+/gi;
const JSON_ESCAPES = /\\(?:u([0-9a-f]{4})|[nrt]|(['"/\\]))/gi;
/** Browsers read these without their semicolon, too. */
const OPEN_ENTITIES = /&#(?:x[\da-f]+(?![\da-f;])|\d+(?![\d;]))/gi;
/** In a query `+` is a blank. */
const QUERY = /[?=].*\+/s;
/** URLs in URLs: what they carry is escaped once more at each level. */
const LEVELS = 3;

/**
 * A text with its escapes of URLs, HTML and JSON decoded, comparable with e-mail keys; none for a text without an address. A half
 * decoded one would set off a part of an address: `o&#39;ann@x.de`.
 */
export function spellingsOf(text: string): string[] {
  const texts = QUERY.test(text) ? [text, text.replaceAll("+", " ")] : [text];
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
/** An address among others in a text: of the signs that addresses have and that set nothing off. */
const ADDRESS = /[\p{L}\p{N}\p{M}.'+_-]+@[\p{L}\p{N}\p{M}._-]+/gu;
const PLAIN = new RegExp(`^(?:${ADDRESS.source})$`, "u");
/** Quotes, bullets and marks before an address, and what ends a sentence behind it. */
const AROUND = /^[.'+_-]+|[._-]+$/gu;

/**
 * Whether the address with this key stands in a spelling of a text, and not as a part of another address: `mary-ann@x.de`,
 * `ann@x.de.example`. In what is no address, such as `order-ann@x.de-7`, it is found as well.
 */
export function namesEmail(spelling: string, email: string): boolean {
  const whole = WHOLE.test(spelling.trim()) || spelling.startsWith('"') ? keyOf(spelling) : "";
  if (whole !== "") return whole === email;
  if (!spelling.includes(email)) return false;
  if (!PLAIN.test(email)) return holdsApart(spelling, email);
  return [...spelling.matchAll(ADDRESS)].some(([found]) => {
    const address = found.replace(AROUND, "");
    const key = keyOf(address);
    return key === "" ? holdsApart(address, email) : key === email;
  });
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
