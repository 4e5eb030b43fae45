import { type Document, Double, Int32, Long } from "mongodb";
import { compare, isDocument, isNumber, numberOf, valueAt } from "./values.js";

/** The document after an update: a replacement, or operators. Throws for an operator that is not known here. */
export function updated(before: Document, update: Document, isInsert: boolean): Document {
  if (!isOperators(update)) return { _id: before._id ?? update._id, ...update };
  const after = structured(before);
  for (const [operator, fields] of Object.entries(update))
    for (const [path, operand] of Object.entries(fields as Document)) apply(after, operator, path, operand, isInsert);
  return after;
}

export function isOperators(update: Document): boolean {
  return Object.keys(update)[0]?.startsWith("$") === true;
}

/** What an upsert begins with: the fields that its filter sets equal to something. */
export function seedOf(filter: Document): Document {
  const seed: Document = {};
  for (const [field, condition] of Object.entries(filter)) {
    if (field === "$and") for (const one of condition) Object.assign(seed, seedOf(one));
    if (field.startsWith("$")) continue;
    if (!isDocument(condition) || !isOperators(condition)) put(seed, field, condition);
    else if ("$eq" in condition) put(seed, field, condition.$eq);
  }
  return seed;
}

function apply(document: Document, operator: string, path: string, operand: unknown, isInsert: boolean): void {
  const now = valueAt(document, path);
  if (operator === "$unset") remove(document, path);
  else if (operator !== "$setOnInsert" || isInsert) {
    const value = valueAfter(now, operator, operand);
    if (value !== now) put(document, path, value);
  }
}

/** The value of a field after an operator; `now` itself when it stays. */
function valueAfter(now: unknown, operator: string, operand: unknown): unknown {
  switch (operator) {
    case "$set":
    case "$setOnInsert":
      return operand;
    case "$currentDate":
      return new Date();
    case "$inc":
      return sumOf(now ?? new Int32(0), operand);
    case "$max":
      return now === undefined || compare(operand, now) > 0 ? operand : now;
    case "$min":
      return now === undefined || compare(operand, now) < 0 ? operand : now;
    case "$push":
      return pushed(now, operand);
    case "$addToSet":
      return withAdded(now, operand);
    case "$pull":
      return listAt(now).filter((one) => compare(one, operand) !== 0);
    default:
      throw new Error(`the operator ${operator} is not known here`);
  }
}

function sumOf(a: unknown, b: unknown): unknown {
  if (!isNumber(a) || !isNumber(b)) throw new Error("$inc takes numbers");
  const sum = numberOf(a) + numberOf(b);
  if (a instanceof Double || b instanceof Double) return new Double(sum);
  return a instanceof Int32 && b instanceof Int32 && Math.abs(sum) < 2 ** 31 ? new Int32(sum) : Long.fromNumber(sum);
}

function pushed(now: unknown, operand: unknown): unknown[] {
  if (!isDocument(operand) || !("$each" in operand)) return [...listAt(now), operand];
  let list = [...listAt(now), ...operand.$each];
  const { $sort: sort, $slice: slice } = operand;
  if (sort !== undefined) list.sort((a, b) => compareBy(a, b, sort));
  if (slice !== undefined) {
    const count = numberOf(slice);
    list = count < 0 ? list.slice(count) : list.slice(0, count);
  }
  return list;
}

function compareBy(a: unknown, b: unknown, sort: unknown): number {
  if (!isDocument(sort)) return compare(a, b) * numberOf(sort);
  for (const [path, direction] of Object.entries(sort)) {
    const order = compare(valueAt(a, path), valueAt(b, path)) * numberOf(direction);
    if (order !== 0) return order;
  }
  return 0;
}

function withAdded(now: unknown, operand: unknown): unknown[] {
  const list = [...listAt(now)];
  const added = isDocument(operand) && "$each" in operand ? operand.$each : [operand];
  for (const one of added) if (!list.some((other) => compare(one, other) === 0)) list.push(one);
  return list;
}

function listAt(now: unknown): readonly unknown[] {
  if (now === undefined) return [];
  if (!Array.isArray(now)) throw new Error("the field holds no list");
  return now;
}

function put(document: Document, path: string, value: unknown): void {
  const parts = path.split(".");
  const last = parts.pop() ?? "";
  let at: Document = document;
  for (const part of parts) at = at[part] ??= {};
  at[last] = value;
}

function remove(document: Document, path: string): void {
  const parts = path.split(".");
  const last = parts.pop() ?? "";
  const at = parts.length === 0 ? document : valueAt(document, parts.join("."));
  if (isDocument(at)) delete at[last];
}

/** A copy whose documents and lists are its own. */
function structured<T>(value: T): T {
  if (Array.isArray(value)) return value.map(structured) as T;
  if (!isDocument(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, structured(one)])) as T;
}
