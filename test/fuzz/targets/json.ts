/** JSON of storefronts: what passes the bounds is what the platform reads. */
import { deepStrictEqual, fail } from "node:assert";
import { Refused } from "../../../src/facade/errors.js";
import { parseJson } from "../../../src/facade/json-body.js";

export const seeds = [
  '{"app_id":"shop","interactions":[{"type":"view","product_id":"a","at":1}],"frame_ids":["home"]}',
  '[1,-2.5e3,true,null,"\\u00e9\\"\\\\"]',
  '\uFEFF{"a":{"b":{"c":[]}}}',
];
export const dictionary = [
  "[",
  "{",
  "}",
  "]",
  '"',
  "\\",
  '\\"',
  "\\u",
  ",",
  ":",
  "null",
  "1e999",
  '"__proto__":',
  "[[[[[[[[",
  "{}",
];

export function fuzz(bytes: Buffer): void {
  const text = bytes.toString();
  let read: unknown;
  try {
    read = parseJson(text);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return;
  }
  const exact: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
  deepStrictEqual(asDoubles(read, exact), exact);
  if (deepest(text) > 8) fail("a value that is deeper than the bound was read");
}

/** Numbers that a double cannot hold are read as their texts. */
function asDoubles(read: unknown, exact: unknown): unknown {
  if (typeof exact === "number" && typeof read === "string") return Number(read);
  if (Array.isArray(read) && Array.isArray(exact)) return read.map((one, at) => asDoubles(one, exact[at]));
  if (!isObject(read) || !isObject(exact)) return read;
  return Object.fromEntries(Object.entries(read).map(([name, one]) => [name, asDoubles(one, exact[name])]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Depth of JSON that is known to be valid. */
function deepest(text: string): number {
  let depth = 0;
  let most = 0;
  for (const [mark] of text.replace(/"(?:[^"\\]|\\.)*"/gs, "").matchAll(/[[{}\]]/g)) {
    depth += mark === "[" || mark === "{" ? 1 : -1;
    most = Math.max(most, depth);
  }
  return most;
}
