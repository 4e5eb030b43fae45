import { isBeyondBounds } from "../parse/json-bounds.js";
import { Refused, TEXT } from "./errors.js";

/**
 * What a body may be made of. Of known fields, the shortest interactions have an array or object for each 90 characters and a
 * comma for each 27; a body of nothing else would take the parser many times what they do: 1 MiB of `[` takes it 70 ms, and
 * 1 MiB of `[[[[[]]]]],` 100 ms.
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
  const containers = text.length / BOUNDS.perContainer + BOUNDS.pieces;
  const commas = text.length / BOUNDS.perComma + BOUNDS.pieces;
  if (isBeyondBounds(text, { depth: BOUNDS.depth, containers, commas })) throw new Refused(400, TEXT.invalidJson);
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    throw new Refused(400, TEXT.invalidJson);
  }
}
