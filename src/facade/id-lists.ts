/**
 * Lists of ids in a /recommend body. Documented is text, with `|` between ids, else `,`. Clients in PHP and JavaScript
 * also send arrays, arrays as text of JSON, and objects that hold an id: these have one meaning, and are accepted.
 */
import { parseExactJson } from "../parse/exact-json.js";
import { isBeyondBounds } from "../parse/json-bounds.js";
import { cleanId, isNothing, splitList } from "./text-values.js";

/** The ids of a list, and its text where a separator might belong to an id; "" otherwise. */
export interface IdList {
  readonly ids: string[];
  readonly text: string;
}

/** Longer lists are read by their separators alone. */
const MAX_TEXT = 8192;
const JSON_BOUNDS = { depth: 4, containers: 1000, commas: 4000 };
const UNSENDABLE = /[\p{Cc}\p{Cs}]/u;

/**
 * Reads a list; undefined for a value of another type.
 * @param names Properties of an object that hold its id, the most exact one first.
 * @param most Maximum number of ids read.
 */
export function readIdList(value: unknown, names: readonly string[], most: number): IdList | undefined {
  const text = scalarText(value);
  const ids = elementIds(text === undefined ? value : parsedList(text), names);
  if (text === undefined || ids !== undefined) return ids && { ids: ids.slice(0, most), text: "" };
  if (text === "") return { ids: [], text };
  const parts = splitList(text, most).filter((part) => cleanId(part) !== "");
  const isPlain = parts.length < 2 || text.length > MAX_TEXT || UNSENDABLE.test(text);
  return { ids: parts, text: isPlain ? "" : text };
}

/** The ids of an array, or of one object; undefined for another value, and for an array that holds one. */
function elementIds(value: unknown, names: readonly string[]): string[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const elements: readonly unknown[] = Array.isArray(value) ? value : [value];
  const ids: string[] = [];
  for (const element of elements) {
    const id = scalarText(element) ?? idOf(element, names);
    if (id === undefined) return undefined;
    if (!isNothing(id) && cleanId(id) !== "") ids.push(cleanId(id));
  }
  return ids;
}

/** Text, or a number or boolean as text; "" for an absent value. Undefined for anything else. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** The id that an object holds under one of the names; undefined when it has none. */
export function idOf(value: unknown, names: readonly string[]): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const held = new Map(Object.entries(value));
  const id = names.map((name) => held.get(name)).find((one) => typeof one === "string" || typeof one === "number");
  return id === undefined ? undefined : String(id);
}

/** The array or object that a text of JSON holds; undefined for other text. */
export function parsedList(text: string): unknown {
  const trimmed = text.trim();
  const ends = `${trimmed.at(0)}${trimmed.at(-1)}`;
  if ((ends !== "[]" && ends !== "{}") || isBeyondBounds(trimmed, JSON_BOUNDS)) return undefined;
  try {
    return parseExactJson(trimmed);
  } catch {
    // text of another kind, such as [object Object]
    return undefined;
  }
}
