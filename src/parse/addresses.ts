/**
 * Keys of e-mail addresses and phone numbers. Two spellings of one address have one key, so a statement under either reaches
 * the same contact. Every way in uses these functions: events, RPC, imports, links and the calls of privacy.
 */
import { domainToASCII, domainToUnicode } from "node:url";

/** Characters without a shape: joiners, direction marks, soft hyphens, variation selectors. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Longest address that mail can be sent to (RFC 5321). */
export const MAX_EMAIL = 254;

/**
 * An e-mail address as meant: without invisible characters and outer blanks. One blank inside the local part is a `+` lost in
 * form decoding.
 */
export function readEmail(text: string): string {
  const email = text.replace(INVISIBLE, "").trim().normalize("NFC");
  return email.replace(/^([^\s"@]+) ([^\s"@]+@)/, "$1+$2");
}

/**
 * Key of an e-mail address: as `readEmail` reads it, in lower case, with the domain as its A-label (IDNA) and without a final
 * dot. "" when the text is no address.
 */
export function emailKey(text: string): string {
  const email = readEmail(text);
  const at = email.lastIndexOf("@");
  if (at < 1) return "";
  const local = localKey(email.slice(0, at));
  const domain = domainKey(email.slice(at + 1));
  const key = local === "" || domain === "" ? "" : `${local}@${domain}`;
  return key.length <= MAX_EMAIL ? key : "";
}

/** Full stops and signs of other scripts that stand for `.` and `@`. */
const STOPS = /[\u3002\uff0e\uff61]/g;
const ATS = /[\uff20\ufe6b]/g;

/** A text in which an address can be looked for by its key: without invisible characters, in lower case. */
export function comparableText(text: string): string {
  return text.replace(INVISIBLE, "").replace(STOPS, ".").replace(ATS, "@").normalize("NFC").toLowerCase();
}

/** The key with the domain as people read it; the same text for a domain in ASCII. */
export function readableEmail(key: string): string {
  const at = key.lastIndexOf("@");
  return `${key.slice(0, at + 1)}${domainToUnicode(key.slice(at + 1))}`;
}

/** What no part of an address may hold: control and private characters, halves of pairs, U+FFFD, blanks, a slash. */
const NO_TEXT = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\uFFFC\uFFFD/?]/u;
/** Without quotes: dots between atoms. */
const ATOMS = /^[^\s@"(),:;<>[\\\].]+(\.[^\s@"(),:;<>[\\\].]+)*$/u;
const QUOTED = /^"((?:[^"\\]|\\.)+)"$/u;

function localKey(local: string): string {
  const text = local.toLowerCase().normalize("NFC");
  if (ATOMS.test(text)) return NO_TEXT.test(text) ? "" : text;
  const [, quoted] = QUOTED.exec(text) ?? [];
  if (quoted === undefined || NO_TEXT.test(quoted.replaceAll(" ", ""))) return "";
  const content = quoted.replace(/\\(.)/gu, "$1");
  // Quotes around what needs none mean the same (RFC 5321, 4.1.2).
  return ATOMS.test(content) ? content : `"${content.replace(/["\\]/g, "\\$&")}"`;
}

const ASCII_LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const ASCII_ONLY = /^[\0-\x7f]*$/;

function domainKey(domain: string): string {
  const text = domain.toLowerCase().normalize("NFC");
  // A URL parser would take a path, a port, an escape or a number for something else, so only letters and dots reach it.
  if (NO_TEXT.test(text) || /[\0-,:-@[-^`{-\x7f]/.test(text)) return "";
  const isPlain = ASCII_ONLY.test(text) && !/(^|\.)xn--/.test(text);
  const ascii = (isPlain ? text : domainToASCII(text)).replace(/\.$/, "");
  const labels = ascii.split(".");
  if (labels.length < 2 || !labels.every((label) => ASCII_LABEL.test(label))) return "";
  if (/^(\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? "")) return ""; // an IP address
  return isPlain || labels.every(isReadable) ? ascii : "";
}

/** Whether a label in ASCII is an ordinary one, or an A-label that stands for other letters. Versions of Node differ in the rest. */
function isReadable(label: string): boolean {
  if (!label.startsWith("xn--")) return true;
  const readable = domainToUnicode(label);
  return !ASCII_ONLY.test(readable) && !/^-|-$/.test(readable);
}

const DIGIT = /\p{Nd}/gu;

/** Each script has its ten digits in a row, from its zero. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}

/**
 * A phone number as meant: without invisible characters and outer blanks, in ASCII digits. One leading blank is a `+` lost in
 * form decoding.
 */
export function readPhone(text: string): string {
  const plain = text.replace(INVISIBLE, "").normalize("NFKC").replace(DIGIT, asciiDigit).replace(/^tel:/i, "");
  const phone = /^ [\d(]/.test(plain) ? `+${plain.slice(1).trimEnd()}` : plain.trim();
  // Tables with a gap write whole numbers as 48601234567.0.
  return phone.replace(/^(\+?\d+)\.0+$/, "$1");
}

/** Countries whose numbers keep the 0 that others write as `(0)`: Italy, San Marino, the Vatican. */
const KEEPS_ZERO = /^(\+|00)(39|378|379)$/;

/**
 * Key of a phone number: its digits, with `+` when it is international; a leading `00` is a `+`. "" when the text has fewer than
 * 5 or more than 20 digits, or anything but digits and separators.
 */
export function phoneKey(text: string): string {
  const phone = readPhone(text).replace(/^((?:\+|00)[\d\s]+)\(0\)/, (whole, country: string) =>
    KEEPS_ZERO.test(country.replace(/\s/g, "")) ? whole : country,
  );
  if (!/^\+?[\d\s()./\p{Pd}\u2212\u00B7]+$/u.test(phone)) return "";
  const [, zeros = "", digits = ""] = /^((?:00)*)(\d*)$/.exec(phone.replace(/\D/g, "")) ?? [];
  if (digits.length < 5 || digits.length > 20) return "";
  // No country's code begins with 0: such a number is a national one.
  return (phone.startsWith("+") || zeros !== "") && !digits.startsWith("0") ? `+${digits}` : digits;
}
