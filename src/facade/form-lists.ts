/**
 * Lists of a trace form as PHP and JavaScript clients write them: `product_ids[]=1&product_ids[]=2`, `product_ids[0]=1`,
 * `product_ids[0][id]=1`, and JSON (`["1","2"]`, `[{"id":1}]`). They become the documented text, `|` between elements.
 */
import { idOf, parsedList, scalarText } from "./id-lists.js";
import { LIST_FIELDS } from "./trace-fields.js";

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
    const list = parsedList(value);
    if (list === undefined) continue;
    const names = OBJECT_IDS.get(name) ?? [];
    const elements: readonly unknown[] = Array.isArray(list) ? list : [list];
    const texts = elements.map((element) => scalarText(element) ?? idOf(element, names));
    if (texts.every((text) => text !== undefined)) fields.set(name, listText(texts));
  }
}

/** Properties that hold the id of an object. */
const OBJECT_IDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["product_ids", ["product_id", "productId", "id"]],
  ["product_skus", ["product_sku", "productSku", "sku"]],
  ["product_category_ids", ["category_id", "categoryId", "id"]],
]);
