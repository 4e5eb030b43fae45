/**
 * Lists of ids in the notations that clients use besides the documented one, text with `|` between ids. In /recommend these
 * are arrays, objects that hold an id, and text of JSON. In forms they are JSON, and elements as PHP and JavaScript write
 * them: `product_ids[]=1&product_ids[]=2`, `product_ids[0]=1`, `product_ids[0][id]=1`.
 */
import { parseWithin } from "./json-body.js";
import { cleanId, isNothing, splitList } from "./text-values.js";
import { LIST_FIELDS } from "./trace-fields.js";

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
 * Reads a list of /recommend; undefined for a value of another type.
 * @param names Properties of an object that hold its id, the most exact one first.
 * @param most Maximum number of ids read.
 */
export function readIdList(value: unknown, names: readonly string[], most: number): IdList | undefined {
  const text = scalarText(value);
  const elements = elementTexts(text === undefined ? value : parsedList(text), names);
  if (elements !== undefined) {
    const ids = elements.map((element) => (isNothing(element) ? "" : cleanId(element))).filter((id) => id !== "");
    return { ids: ids.slice(0, most), text: "" };
  }
  if (text === undefined) return undefined;
  const parts = splitList(text, most).filter((part) => cleanId(part) !== "");
  const isPlain = parts.length < 2 || text.length > MAX_TEXT || UNSENDABLE.test(text);
  return { ids: parts, text: isPlain ? "" : text };
}

/** The texts of an array, or of one object; undefined for another value, and for an array that holds one. */
function elementTexts(value: unknown, names: readonly string[]): string[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const elements: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = elements.map((element) => scalarText(element) ?? idOf(element, names));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** Text, or a number or boolean as text; "" for an absent value. Undefined for anything else. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** The id that an object holds under one of the names; undefined when it has none. */
function idOf(value: unknown, names: readonly string[]): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const held = new Map(Object.entries(value));
  const id = names.map((name) => held.get(name)).find((one) => typeof one === "string" || typeof one === "number");
  return id === undefined ? undefined : String(id);
}

/** The array or object that a text of JSON holds; undefined for other text, such as [object Object]. */
function parsedList(text: string): unknown {
  const trimmed = text.trim();
  const ends = `${trimmed.at(0)}${trimmed.at(-1)}`;
  return ends === "[]" || ends === "{}" ? parseWithin(trimmed, JSON_BOUNDS) : undefined;
}

/** Elements of each field in their order; an index may be left out. */
export type ListElements = Map<string, string[]>;

const MAX_INDEX = 1000;
const ELEMENT = /^([a-z_]{1,32})\[(\d{0,4})\](?:\[id\])?$/;

/** Adds an element of a list field. Returns false for another name. */
export function addElement(lists: ListElements, name: string, value: string): boolean {
  if (!name.endsWith("]")) return false;
  const [, field = "", digits = ""] = ELEMENT.exec(name) ?? [];
  if (!LIST_FIELDS.has(field)) return false;
  const list = lists.get(field) ?? [];
  lists.set(field, list);
  const index = digits === "" ? list.length : Number(digits);
  if (index <= MAX_INDEX) list[index] ??= value;
  return true;
}

/** True when the name from `start` to `end` of an undecoded form ends as an element does. */
export function mayBeElement(text: string, start: number, end: number): boolean {
  return text[end - 1] === "]" || (end - start > 3 && text.slice(end - 3, end).toLowerCase() === "%5d");
}

/** The elements as one text. */
export function listText(elements: readonly string[]): string {
  if (elements.length === 1) return elements[0] ?? "";
  return Array.from(elements, (element = "") => element.replaceAll("|", " ")).join("|");
}

/** Replaces lists of JSON by the documented text, in place. Text that is none stays. */
export function flattenJsonLists(fields: Map<string, string>): void {
  for (const [name, value] of fields) {
    if ((value[0] !== "[" && value[0] !== "{") || !LIST_FIELDS.has(name)) continue;
    const texts = elementTexts(parsedList(value), OBJECT_IDS.get(name) ?? []);
    if (texts !== undefined) fields.set(name, listText(texts));
  }
}

/** Properties that hold the id of an object. */
const OBJECT_IDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["product_ids", ["product_id", "productId", "id"]],
  ["product_skus", ["product_sku", "productSku", "sku"]],
  ["product_category_ids", ["category_id", "categoryId", "id"]],
]);
