/** A value as JSON has it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const STEP = /^(\w+)(?:\[([^\]]+)\])?$/;

/**
 * The value at a path, undefined where there is none. Names are joined by dots, and a list says in brackets which of its
 * rows is meant: `rows[name=Aisle,connections=max].cpuMicros` is of Aisle's rows the one with the most connections.
 * `rows.length` is how many a list has.
 */
export function valueAt(json: Json, path: string): Json | undefined {
  let value: Json | undefined = json;
  for (const step of path.split(".")) {
    const [, name = "", wanted] = STEP.exec(step) ?? [];
    if (name === "") throw new Error(`${path}: ${step} is neither a name nor a name with a row in brackets`);
    value = fieldOf(value, name);
    if (wanted !== undefined) value = rowOf(value, wanted);
  }
  return value;
}

/** The number at a path; undefined where there is none. */
export function numberAt(json: Json, path: string): number | undefined {
  const value = valueAt(json, path);
  return typeof value === "number" ? value : undefined;
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (isList(value)) return name === "length" ? value.length : undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function rowOf(value: Json | undefined, wanted: string): Json | undefined {
  let rows = value !== undefined && isList(value) ? value : [];
  for (const condition of wanted.split(",")) {
    const [name = "", text = ""] = condition.split("=");
    const most = Math.max(...rows.map((row) => Number(fieldOf(row, name) ?? Number.NaN)).filter(Number.isFinite));
    rows = rows.filter((row) => (text === "max" ? fieldOf(row, name) === most : String(fieldOf(row, name)) === text));
  }
  return rows[0];
}

/** Array.isArray knows nothing of readonly lists. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
