import type { Document } from "mongodb";
import { compare, isDocument, valueAt } from "./values.js";

/** Whether a document matches a filter. Throws for an operator that is not known here. */
export function matches(document: Document, filter: Document): boolean {
  return Object.entries(filter).every(([field, condition]) => {
    if (field === "$and") return condition.every((one: Document) => matches(document, one));
    if (field === "$or") return condition.some((one: Document) => matches(document, one));
    if (field === "$nor") return !condition.some((one: Document) => matches(document, one));
    if (field.startsWith("$")) throw new Error(`the operator ${field} is not known here`);
    return meets(valueAt(document, field), condition);
  });
}

function meets(value: unknown, condition: unknown): boolean {
  if (!isOperators(condition)) return isOrHolds(value, (one) => isEqual(one, condition));
  return Object.entries(condition).every(([operator, operand]) => meetsOperator(value, operator, operand));
}

function meetsOperator(value: unknown, operator: string, operand: unknown): boolean {
  switch (operator) {
    case "$eq":
      return isOrHolds(value, (one) => isEqual(one, operand));
    case "$ne":
      return !isOrHolds(value, (one) => isEqual(one, operand));
    case "$gt":
      return isOrHolds(value, (one) => isComparable(one, operand) && compare(one, operand) > 0);
    case "$gte":
      return isOrHolds(value, (one) => isComparable(one, operand) && compare(one, operand) >= 0);
    case "$lt":
      return isOrHolds(value, (one) => isComparable(one, operand) && compare(one, operand) < 0);
    case "$lte":
      return isOrHolds(value, (one) => isComparable(one, operand) && compare(one, operand) <= 0);
    case "$in":
      return listOf(operand).some((wanted) => isOrHolds(value, (one) => isEqual(one, wanted)));
    case "$nin":
      return !listOf(operand).some((wanted) => isOrHolds(value, (one) => isEqual(one, wanted)));
    case "$exists":
      return (value !== undefined) === Boolean(operand?.valueOf());
    case "$not":
      return !meets(value, operand);
    default:
      throw new Error(`the operator ${operator} is not known here`);
  }
}

function isOperators(condition: unknown): condition is Document {
  return isDocument(condition) && Object.keys(condition)[0]?.startsWith("$") === true;
}

function isOrHolds(value: unknown, test: (one: unknown) => boolean): boolean {
  return test(value) || (Array.isArray(value) && value.some(test));
}

/** A field that is not there equals null. */
function isEqual(value: unknown, wanted: unknown): boolean {
  return compare(value, wanted) === 0;
}

/** Only values of one type are less or greater than each other. */
function isComparable(value: unknown, operand: unknown): boolean {
  if (value === undefined) return false;
  return typeOf(value) === typeOf(operand);
}

function typeOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return typeof value === "number" ? "number" : typeof value;
  const name = value.constructor.name;
  return ["Int32", "Double", "Long"].includes(name) ? "number" : name;
}

function listOf(operand: unknown): readonly unknown[] {
  if (!Array.isArray(operand)) throw new Error("$in and $nin take a list");
  return operand;
}
