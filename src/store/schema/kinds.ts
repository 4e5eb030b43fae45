import { DataDamaged } from "../../domain/errors.js";

/** The cells of a record, or of a part of one. */
export type Cells = readonly unknown[];

/**
 * How values of type T are stored. A record is declared once, as a composition of kinds, and each store writes it in its own
 * form: the embedded store as cells by position, without names; MongoDB as a document with named fields.
 *
 * Reading trusts nothing: it throws DataDamaged for an unknown layout. Writing copies the value, so that later changes to
 * the object do not reach the store.
 */
export interface Kind<T> {
  /** How many cells a value takes. */
  readonly width: number;
  /** Writes the cells of a value from `at` on. */
  put(value: T, cells: unknown[], at: number): void;
  /** Reads the value whose first cell is `at`; the cells end before `end`. */
  take(cells: Cells, at: number, end: number): T;
  toDocument(value: T): unknown;
  fromDocument(stored: unknown): T;
  /** Of a field added later: its value in records without it. */
  readonly missing?: { readonly value: T };
}

/** A kind whose values are the same in a cell and in a field. */
function single<T>(read: (stored: unknown) => T): Kind<T> {
  return {
    width: 1,
    put: (value, cells, at) => {
      cells[at] = value;
    },
    take: (cells, at) => read(cells[at]),
    toDocument: (value) => value,
    fromDocument: read,
  };
}

export const text = single((stored): string => {
  if (typeof stored !== "string") throw wrongLayout();
  return stored;
});

export const flag = single((stored): boolean => {
  if (typeof stored !== "boolean") throw wrongLayout();
  return stored;
});

/** Documents hold NaN, infinities and -0 as text, as not every MongoDB server keeps them. */
const NUMBER_TEXTS = new Map([NaN, Infinity, -Infinity, -0].map((value) => [textOf(value), value]));

export const number: Kind<number> = {
  ...single((stored): number => {
    if (typeof stored !== "number") throw wrongLayout();
    return stored;
  }),
  toDocument: (value) => (Number.isFinite(value) && !Object.is(value, -0) ? value : textOf(value)),
  fromDocument: (stored) => {
    const value = typeof stored === "string" ? NUMBER_TEXTS.get(stored) : stored;
    if (typeof value !== "number") throw wrongLayout();
    return value;
  },
};

/** The last moment that a `Date` can hold. */
const LAST_DATE_MS = 8.64e15;

function isDate(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= LAST_DATE_MS && !Object.is(value, -0);
}

/** Milliseconds since 1970, UTC. Documents hold whole ones as dates; earlier versions held numbers. */
export const time: Kind<number> = {
  ...number,
  toDocument: (value) => (isDate(value) ? new Date(value) : number.toDocument(value)),
  fromDocument: (stored) => (stored instanceof Date ? stored.getTime() : number.fromDocument(stored)),
};

/** One of a closed list of texts and flags. */
export function oneOf<const T extends string | boolean>(...accepted: readonly T[]): Kind<T> {
  return single((stored) => {
    const found = accepted.find((one) => one === stored);
    if (found === undefined) throw wrongLayout();
    return found;
  });
}

/** Null is one cell, null. Of an inlined record, whose texts are never all empty, it is an empty text in each cell. */
export function orNull<T>(kind: Kind<T>): Kind<T | null> {
  const { width } = kind;
  const empty = width === 1 ? null : "";
  return {
    width,
    put: (value, cells, at) => {
      if (value !== null) kind.put(value, cells, at);
      else cells.fill(empty, at, at + width);
    },
    take: (cells, at, end) => {
      for (let n = at; n < at + width; n++) if (cells[n] !== empty) return kind.take(cells, at, end);
      return null;
    },
    toDocument: (value) => (value === null ? null : kind.toDocument(value)),
    fromDocument: (stored) => (stored === null ? null : kind.fromDocument(stored)),
  };
}

/** A field that was added later: records of earlier versions are read as if it were `value`. */
export function later<T>(kind: Kind<T>, value: T): Kind<T> {
  return { ...kind, missing: { value } };
}

export function list<T>(kind: Kind<T>): Kind<readonly T[]> {
  const { width } = kind;
  return {
    width: 1,
    put: (values, cells, at) => {
      const inner = new Array<unknown>(values.length * width);
      for (let n = 0; n < values.length; n++) kind.put(values[n]!, inner, n * width);
      cells[at] = inner;
    },
    take: (cells, at) => {
      const inner = listIn(cells[at]);
      const values: T[] = [];
      for (let n = 0; n < inner.length; n += width) values.push(kind.take(inner, n, inner.length));
      return values;
    },
    toDocument: (values) => values.map(kind.toDocument),
    fromDocument: (stored) => listIn(stored).map(kind.fromDocument),
  };
}

/** Alternating names and values. The names are data, and a document may not use all of them for fields (`$`, `.`). */
export function map<T>(kind: Kind<T>): Kind<Readonly<Record<string, T>>> {
  const read = (turns: Cells, valueAt: (n: number) => T) => {
    if (turns.length % 2 !== 0) throw wrongLayout();
    const pairs: [string, T][] = [];
    for (let n = 0; n < turns.length; n += 2) pairs.push([text.take(turns, n, turns.length), valueAt(n + 1)]);
    return Object.fromEntries(pairs);
  };
  return {
    width: 1,
    put: (values, cells, at) => {
      const turns: unknown[] = [];
      for (const name of Object.keys(values)) {
        const value = values[name]; // entries would cost four times as much
        if (value === undefined) continue;
        turns.push(name, undefined);
        kind.put(value, turns, turns.length - 1);
      }
      cells[at] = turns;
    },
    take: (cells, at) => {
      const turns = listIn(cells[at]);
      return read(turns, (n) => kind.take(turns, n, turns.length));
    },
    toDocument: (values) => Object.entries(values).flatMap(([name, value]) => [name, kind.toDocument(value)]),
    fromDocument: (stored) => {
      const turns = listIn(stored);
      return read(turns, (n) => kind.fromDocument(turns[n]));
    },
  };
}

export interface RecordKind<T> extends Kind<T> {
  /** The same without a cell around its cells. */
  readonly inline: Kind<T>;
}

interface RecordOptions<T> {
  /** Positions of removed fields. Their cells are written as null. */
  readonly gone?: readonly number[];
  /** Completes a record of an earlier version. */
  readonly complete?: (value: T) => T;
}

/**
 * A record with a kind for each field of T, in the order of their cells. A new field comes last and is `later`. The meaning of
 * a field never changes. Unknown fields of a document are ignored.
 */
export function record<T extends object>(
  fields: { readonly [K in keyof T & string]-?: Kind<T[K]> },
  { gone = [], complete = (value) => value }: RecordOptions<T> = {},
): RecordKind<T> {
  const { starts, width } = placesOf(fields, gone);
  const made = compile<T>(fields, starts, gone);
  const inline: Kind<T> = {
    width,
    put: made.put,
    take: (cells, at, end) => complete(made.take(cells, at, end)),
    toDocument: made.toDocument,
    fromDocument: (stored) => {
      if (typeof stored !== "object" || stored === null) throw wrongLayout();
      return complete(made.fromDocument(stored));
    },
  };
  return {
    ...inline,
    width: 1,
    put: (value, cells, at) => {
      const inner = new Array<unknown>(width);
      inline.put(value, inner, 0);
      cells[at] = inner;
    },
    take: (cells, at) => {
      const inner = listIn(cells[at]);
      return inline.take(inner, 0, inner.length);
    },
    inline,
  };
}

/**
 * Generates the functions of a record as code, field by field. A loop over field names takes twice the time, as V8 optimises
 * a property access only for a constant name. The code contains only names of the schema, never data.
 */
function compile<T extends object>(fields: object, starts: readonly number[], gone: readonly number[]) {
  const names = Object.keys(fields).map((name) => JSON.stringify(name));
  const each = (line: (name: string, n: number) => string) => names.map(line).join("\n");
  const missing = (n: number) => `(k${n}.missing === undefined ? damaged() : k${n}.missing.value)`;
  const source = `"use strict";
    const [${names.map((_, n) => `k${n}`).join(", ")}] = kinds;
    return {
      put(value, cells, at) {
        ${gone.map((cell) => `cells[at + ${cell}] = null;`).join("\n")}
        ${each((name, n) => `k${n}.put(value[${name}], cells, at + ${starts[n]});`)}
      },
      take(cells, at, end) {
        return {
          ${each((name, n) => `${name}: at + ${starts[n]} + k${n}.width <= end ? k${n}.take(cells, at + ${starts[n]}, end) : ${missing(n)},`)}
        };
      },
      toDocument(value) {
        return { ${each((name, n) => `${name}: k${n}.toDocument(value[${name}]),`)} };
      },
      fromDocument(stored) {
        return {
          ${each((name, n) => `${name}: Object.hasOwn(stored, ${name}) || k${n}.missing === undefined ? k${n}.fromDocument(Object.hasOwn(stored, ${name}) ? stored[${name}] : undefined) : ${missing(n)},`)}
        };
      },
    };`;
  const damaged = () => {
    throw wrongLayout();
  };
  const make: unknown = new Function("kinds", "damaged", source);
  if (!isMaker<T>(make)) throw new TypeError("A function was expected");
  return make(Object.values(fields), damaged);
}

type Compiled<T> = Pick<Kind<T>, "put" | "take" | "toDocument" | "fromDocument">;

function isMaker<T>(made: unknown): made is (kinds: readonly unknown[], damaged: () => never) => Compiled<T> {
  return typeof made === "function";
}

/** Where the cells of each field begin, with the cells that are gone between them. */
function placesOf(fields: { readonly [name: string]: { readonly width: number } }, gone: readonly number[]) {
  const starts: number[] = [];
  let width = 0;
  for (const kind of Object.values(fields)) {
    while (gone.includes(width)) width++;
    starts.push(width);
    width += kind.width;
  }
  return { starts, width };
}

function listIn(stored: unknown): Cells {
  if (!Array.isArray(stored)) throw wrongLayout();
  return stored;
}

function textOf(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

function wrongLayout(): DataDamaged {
  return new DataDamaged("A stored record has an unknown layout");
}
