import { parseExactJson } from "../parse/exact-json.js";
import { isBeyondBounds, type JsonBounds } from "../parse/json-bounds.js";
import { Refused, TEXT } from "./errors.js";

/**
 * Limits on the structure of a body, since the parser is slow on nothing but brackets: 1 MiB of `[` takes 70 ms, 1 MiB
 * of `[[[[[]]]]],` 100 ms. In a body of known fields the shortest interactions have one array or object for each 90
 * characters and one comma for each 27.
 */
const BOUNDS = {
  /** The body of /recommend is level one, a list in it two, an element three. The rest is for unknown fields. */
  depth: 8,
  /** Allowed whatever the size. */
  pieces: 1000,
  /** Allowed in addition: one array or object, and one comma, for so many characters. */
  perContainer: 64,
  perComma: 24,
};

/** Parses a body. Throws Refused with the documented text when it is not JSON or is beyond BOUNDS. */
export function parseJson(text: string): unknown {
  const containers = text.length / BOUNDS.perContainer + BOUNDS.pieces;
  const commas = text.length / BOUNDS.perComma + BOUNDS.pieces;
  const value = parseWithin(text.replace(/^\ufeff/, ""), { depth: BOUNDS.depth, containers, commas });
  if (value === undefined) throw new Refused(400, TEXT.invalidJson);
  return value;
}

/** The value of a text; undefined when it is not JSON or is beyond the bounds. */
export function parseWithin(text: string, bounds: JsonBounds): unknown {
  if (isBeyondBounds(text, bounds)) return undefined;
  try {
    return parseExactJson(text);
  } catch {
    // no JSON, which the caller answers
    return undefined;
  }
}
