/**
 * JSON whose numbers keep their digits. `JSON.parse` reads 12345678901234567891 as another number; where an id is documented, it
 * would be another id.
 */
import { endOfString } from "./json-bounds.js";

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** A double holds every number of 15 digits and a small exponent. */
const MAY_BE_INEXACT = /[\d.]{16}|\d[eE][+-]?\d\d/;
const IN_NUMBER = /[\d.eE+-]/;
const NAME_FOLLOWS = /[\t\n\r ]*:/y;

/**
 * As `JSON.parse`, but a number that a double cannot hold is its text. `whole`: only one beyond 2^53; programs write prices as
 * 0.10000000000000001. Throws SyntaxError for what is no JSON.
 */
export function parseExactJson(text: string, kept: "all" | "whole" = "all"): unknown {
  return JSON.parse(
    MAY_BE_INEXACT.test(text) ? quoteInexact(text, kept === "all" ? 0 : Number.MAX_SAFE_INTEGER) : text,
  );
}

/** Puts inexact numbers of at least this size between quotation marks. Text that is no JSON stays none. */
function quoteInexact(text: string, least: number): string {
  let quoted = "";
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
      if (at === -1) break;
      continue;
    }
    if (code !== 0x2d && (code < 0x30 || code > 0x39)) continue;
    NUMBER.lastIndex = at;
    const number = NUMBER.exec(text)?.[0];
    if (number === undefined) continue;
    const end = at + number.length;
    NAME_FOLLOWS.lastIndex = end;
    const isNumber = !NAME_FOLLOWS.test(text) && !IN_NUMBER.test(text.charAt(end));
    if (isNumber && Math.abs(Number(number)) >= least && !isExact(number)) {
      quoted += `${text.slice(copied, at)}"${number}"`;
      copied = end;
    }
    at = Math.max(at, passNumber(text, end) - 1);
  }
  return quoted + text.slice(copied);
}

/** Where the characters of numbers end: a malformed one must not be taken for two. */
function passNumber(text: string, from: number): number {
  let at = from;
  while (IN_NUMBER.test(text.charAt(at))) at++;
  return at;
}

/** Whether the double nearest to the number, as JavaScript writes it, has the same value. */
function isExact(number: string): boolean {
  const [read, written] = [decimal(number), decimal(String(Number(number)))];
  return written !== undefined && read === written;
}

/** The value as sign, digits and power of ten, the same for every way to write it; undefined for what is no number. */
function decimal(number: string): string | undefined {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = PARTS.exec(number) ?? [];
  if (whole === "") return undefined;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}
