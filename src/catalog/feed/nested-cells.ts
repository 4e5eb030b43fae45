type Cell = readonly [name: string, value: unknown];

/** Levels inside a field. What stands deeper stays an object, which no field takes. */
const MAX_LEVELS = 32;
/** What the parts of a pair are called: `{"key": "newsletter", "value": "no"}` says what `{"newsletter": "no"}` says. */
const NAMES = ["key", "name", "code", "attribute_code", "field", "label", "slug", "id"];
const VALUES = ["value", "values", "field_value", "fieldValue", "val"];

/** The cells of fields: each value inside an object or a list of objects is a cell, named by its path with full stops. */
export function nestedCells(cells: Iterable<Cell>): Cell[] {
  const flat: Cell[] = [];
  for (const [name, value] of cells) addCells(flat, name, unpacked(value), 0);
  return flat;
}

function addCells(flat: Cell[], path: string, value: unknown, level: number): void {
  if (!isObject(value) || level >= MAX_LEVELS || (Array.isArray(value) && !value.some(isObject)))
    flat.push([path, value]);
  else if (Array.isArray(value)) for (const item of value) addCells(flat, path, item, level + 1);
  else for (const [name, inner] of partsOf(value)) addCells(flat, `${path}.${name}`, inner, level + 1);
}

/** The parts of an object; of a pair also the one that it names. */
function partsOf(value: object): Cell[] {
  const parts = Object.entries(value);
  const called = parts.find(([name, part]) => NAMES.includes(name) && typeof part === "string");
  const said = parts.find(([name]) => VALUES.includes(name));
  return called === undefined || said === undefined ? parts : [...parts, [String(called[1]), said[1]]];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** A cell of CSV may hold JSON. */
function unpacked(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*(\{|\[\s*\{)/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    // a text that begins like JSON
    return value;
  }
}
