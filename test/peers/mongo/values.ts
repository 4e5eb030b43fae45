/** Order and equality of BSON values, and paths into documents. */
import { Binary, BSON, type Document, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from "mongodb";

/** Ranks of the types, in MongoDB's order of comparison. */
function rankOf(value: unknown): number {
  if (value instanceof MinKey) return 0;
  if (value === undefined || value === null) return 1;
  if (isNumber(value)) return 2;
  if (typeof value === "string") return 3;
  if (value instanceof Binary) return 6;
  if (value instanceof ObjectId) return 7;
  if (typeof value === "boolean") return 8;
  if (value instanceof Date) return 9;
  if (value instanceof Timestamp) return 10;
  if (value instanceof MaxKey) return 12;
  return Array.isArray(value) ? 5 : 4;
}

export function isNumber(value: unknown): value is number | bigint | Int32 | Double | Long {
  return (
    typeof value === "number" ||
    typeof value === "bigint" ||
    value instanceof Int32 ||
    value instanceof Double ||
    (value instanceof Long && !(value instanceof Timestamp))
  );
}

export function numberOf(value: unknown): number {
  if (value instanceof Long) return value.toNumber();
  return Number(isNumber(value) ? value.valueOf() : value);
}

/** Below 0 when `a` comes before `b`. */
export function compare(a: unknown, b: unknown): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  if (isNumber(a)) return numberOf(a) - numberOf(b);
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "boolean") return Number(a) - Number(b);
  if (a instanceof Date && b instanceof Date) return a.getTime() - b.getTime();
  if (a instanceof Binary && b instanceof Binary)
    return a.length() - b.length() || a.sub_type - b.sub_type || Buffer.compare(a.buffer, b.buffer);
  if (a instanceof ObjectId && b instanceof ObjectId) return Buffer.compare(a.id, b.id);
  if (a instanceof Timestamp && b instanceof Timestamp) return a.comp(b);
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b);
  if (isDocument(a) && isDocument(b)) {
    return compareLists(Object.keys(a), Object.keys(b)) || compareLists(Object.values(a), Object.values(b));
  }
  return 0;
}

const SURROGATE = /[\ud800-\udfff]/;

/** By bytes of UTF-8. Without surrogates that is the order of UTF-16, too. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (let n = 0; n < Math.min(a.length, b.length); n++) {
    const order = compare(a[n], b[n]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

export function isDocument(value: unknown): value is Document {
  return rankOf(value) === 4 && typeof value === "object";
}

/** Text that is equal for equal values: a key of maps. */
export function keyOf(value: unknown): string {
  if (typeof value === "string") return `s${value}`;
  if (isNumber(value)) return `n${numberOf(value)}`;
  return `b${Buffer.from(BSON.serialize({ value: value ?? null })).toString("base64")}`;
}

/** The value at a path such as `v.contactId`; undefined when there is none. */
export function valueAt(document: unknown, path: string): unknown {
  let value = document;
  for (const part of path.split(".")) {
    if (Array.isArray(value)) value = value[Number(part)];
    else if (isDocument(value)) value = value[part];
    else return undefined;
  }
  return value;
}
