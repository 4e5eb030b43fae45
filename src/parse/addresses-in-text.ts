import { decodeHTMLStrict } from "entities";
import { comparableText, emailKey } from "./addresses.js";

const URL_ESCAPES = /(?:%[0-9a-f]{2})+/gi;
const JSON_ESCAPES = /\\(?:u([0-9a-f]{4})|[nrt])/gi;
/** Browsers read these without their semicolon, too. */
const OPEN_ENTITIES = /&#(?:x[\da-f]+(?![\da-f;])|\d+(?![\d;]))/gi;
/** URLs in URLs: what they carry is escaped once more at each level. */
const LEVELS = 3;

/** A text as it is and with its escapes of URLs, HTML and JSON decoded, where that gives an address; comparable with e-mail keys. */
export function spellingsOf(text: string): string[] {
  const spellings: string[] = [];
  let decoded = text;
  for (let level = 0; level <= LEVELS; level++) {
    if (decoded.includes("@")) spellings.push(comparableText(decoded));
    const next = unescaped(decoded);
    if (next === decoded) break;
    decoded = next;
  }
  return spellings;
}

function unescaped(text: string): string {
  let plain = text;
  if (plain.includes("%"))
    plain = plain.replace(URL_ESCAPES, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8"));
  if (plain.includes("\\"))
    plain = plain.replace(JSON_ESCAPES, (_, hex = "20") => String.fromCharCode(Number.parseInt(hex, 16)));
  return plain.includes("&") ? decodeHTMLStrict(plain.replace(OPEN_ENTITIES, "$&;")) : plain;
}

/** Whether the address with this key stands in a spelling of a text, and not as a part of another: `joann@x.de`, `ann@x.de.example`. */
export function namesEmail(spelling: string, email: string): boolean {
  for (let at = spelling.indexOf(email); at >= 0; at = spelling.indexOf(email, at + 1)) {
    const end = at + email.length;
    const isEnd = /^(?!\.?[\p{L}\p{N}])/u.test(spelling.slice(end, end + 2));
    if (isEnd && !/[\p{L}\p{N}\p{M}.]$/u.test(spelling.slice(Math.max(0, at - 1), at))) return true;
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
