import { Refused, TEXT } from "./errors.js";

/**
 * What a body may be made of. Of known fields, the shortest interactions have an array or object for each 90 characters and a
 * comma for each 27; a body of nothing else would take the parser many times what they do.
 */
const BOUNDS = {
  /** The body of /recommend is one level, a list in it two, an element three; the rest is for fields nobody reads. */
  depth: 8,
  /** So many of each whatever the size. */
  pieces: 1000,
  /** Besides, an array or object for so many characters, and a comma. */
  perContainer: 64,
  perComma: 24,
};

/** The value in a body. Throws Refused with the documented text when it is no JSON, or beyond BOUNDS. */
export function parseJson(text: string): unknown {
  if (isBeyondBounds(text)) throw new Refused(400, TEXT.invalidJson);
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    throw new Refused(400, TEXT.invalidJson);
  }
}

/**
 * Looked at before parsing: 1 MiB of `[` takes the parser 70 ms, and 1 MiB of `[[[[[]]]]],` 100 ms. Costs half of what
 * parsing does; strings are passed over by a search for their end.
 */
function isBeyondBounds(text: string): boolean {
  const containersOver = text.length / BOUNDS.perContainer + BOUNDS.pieces;
  const commasOver = text.length / BOUNDS.perComma + BOUNDS.pieces;
  let depth = 0;
  let containers = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
      if (at === -1) return false;
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > BOUNDS.depth || ++containers > containersOver) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x2c && ++commas > commasOver) return true;
  }
  return false;
}

/** Where the string that begins at `start` has its closing quotation mark, -1 when it has none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}
