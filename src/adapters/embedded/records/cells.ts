import { DataDamaged } from "../../../domain/errors.js";
import type { Category } from "../../../domain/product.js";
import type { VisitorIds } from "../../../domain/visitor.js";
import type { Cells } from "../codec.js";

/** Reads cells with their types. A checksum vouches for the bytes, these for the layout: DataDamaged otherwise. */
export function text(cells: Cells, i: number): string {
  const cell = cells[i];
  if (typeof cell !== "string") throw wrongLayout();
  return cell;
}

export function number(cells: Cells, i: number): number {
  const cell = cells[i];
  if (typeof cell !== "number") throw wrongLayout();
  return cell;
}

/** Whether a record has a cell that was added later; the last of its cells is the checksum. */
export function hasLater(cells: Cells, i: number): boolean {
  return i < cells.length - 1;
}

/** A number that records of earlier versions do not have. */
export function numberOr(cells: Cells, i: number, value: number): number {
  return hasLater(cells, i) ? number(cells, i) : value;
}

export function flag(cells: Cells, i: number): boolean {
  const cell = cells[i];
  if (typeof cell !== "boolean") throw wrongLayout();
  return cell;
}

/** A flag that was added to a record later. */
export function laterFlag(cells: Cells, i: number): boolean {
  return hasLater(cells, i) && flag(cells, i);
}

export function flagOrNull(cells: Cells, i: number): boolean | null {
  return cells[i] === null ? null : flag(cells, i);
}

export function numberOrNull(cells: Cells, i: number): number | null {
  return cells[i] === null ? null : number(cells, i);
}

export function list(cells: Cells, i: number): Cells {
  const cell = cells[i];
  if (!Array.isArray(cell)) throw wrongLayout();
  return cell;
}

export function texts(cells: Cells, i: number): string[] {
  const from = list(cells, i);
  const to = new Array<string>(from.length);
  for (let n = 0; n < from.length; n++) to[n] = text(from, n);
  return to;
}

/** Rows within a record, each an array of cells. */
export function rows<T>(cells: Cells, i: number, read: (row: Cells) => T): T[] {
  const from = list(cells, i);
  const to: T[] = [];
  for (let n = 0; n < from.length; n++) to.push(read(list(from, n)));
  return to;
}

/** One of a closed list of texts. */
export function oneOf<T extends string>(cells: Cells, i: number, accepted: readonly T[]): T {
  const found = accepted.find((one) => one === cells[i]);
  if (found === undefined) throw wrongLayout();
  return found;
}

/** Names and texts in turns, so that no name becomes a key of a plain object while reading or writing. */
export function fromTextMap(map: Readonly<Record<string, string>>): string[] {
  const cells: string[] = [];
  for (const name of Object.keys(map)) cells.push(name, map[name] ?? ""); // entries cost four times as much
  return cells;
}

export function textMap(cells: Cells, i: number): Record<string, string> {
  const flat = list(cells, i);
  const pairs: [string, string][] = [];
  for (let n = 0; n < flat.length; n += 2) pairs.push([text(flat, n), text(flat, n + 1)]);
  return Object.fromEntries(pairs);
}

export function fromNumberMap(map: Readonly<Record<string, number>>): (string | number)[] {
  return Object.entries(map).flat();
}

export function numberMap(cells: Cells, i: number): Record<string, number> {
  const flat = list(cells, i);
  const pairs: [string, number][] = [];
  for (let n = 0; n < flat.length; n += 2) pairs.push([text(flat, n), number(flat, n + 1)]);
  return Object.fromEntries(pairs);
}

export function fromCategories(categories: readonly Category[]): string[] {
  const cells: string[] = [];
  for (const category of categories) cells.push(category.categoryId, category.name);
  return cells;
}

export function categories(cells: Cells, i: number): Category[] {
  const flat = list(cells, i);
  const found: Category[] = [];
  for (let n = 0; n < flat.length; n += 2) found.push({ categoryId: text(flat, n), name: text(flat, n + 1) });
  return found;
}

/** Three cells: client, fingerprint and user id. */
export function visitorIds(cells: Cells, i: number): VisitorIds {
  return { clientId: text(cells, i), fingerprintId: text(cells, i + 1), userId: text(cells, i + 2) };
}

function wrongLayout(): DataDamaged {
  return new DataDamaged("A stored record has an unknown layout");
}
