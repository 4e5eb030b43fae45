import { DataDamaged } from "../../domain/errors.js";

/**
 * How a value is kept in BSON. `write` copies, so that what was written does not change with the object it was;
 * `read` believes nothing: other programs can write to a database. It throws DataDamaged for another layout.
 */
export interface Shape<T> {
  write(value: T): unknown;
  read(stored: unknown): T;
}

export const text: Shape<string> = {
  write: (value) => value,
  read: (stored) => {
    if (typeof stored !== "string") throw wrongLayout();
    return stored;
  },
};

/** Not every server keeps the numbers that are none, and the sign of nothing: those few are text. */
const NUMBER_TEXTS = new Map([NaN, Infinity, -Infinity, -0].map((value) => [textOf(value), value]));

export const number: Shape<number> = {
  write: (value) => (Number.isFinite(value) && !Object.is(value, -0) ? value : textOf(value)),
  read: (stored) => {
    const value = typeof stored === "string" ? NUMBER_TEXTS.get(stored) : stored;
    if (typeof value !== "number") throw wrongLayout();
    return value;
  },
};

export const flag: Shape<boolean> = {
  write: (value) => value,
  read: (stored) => {
    if (typeof stored !== "boolean") throw wrongLayout();
    return stored;
  },
};

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return {
    write: (value) => (value === null ? null : shape.write(value)),
    read: (stored) => (stored === null ? null : shape.read(stored)),
  };
}

/** A field that is not there is `value`. */
export function orElse<T>(shape: Shape<T>, value: T): Shape<T> {
  return {
    write: shape.write,
    read: (stored) => (stored === undefined ? value : shape.read(stored)),
  };
}

/** One of a closed list of texts. */
export function oneOf<T extends string>(...accepted: readonly T[]): Shape<T> {
  return {
    write: (value) => value,
    read: (stored) => {
      const found = accepted.find((one) => one === stored);
      if (found === undefined) throw wrongLayout();
      return found;
    },
  };
}

export function list<T>(shape: Shape<T>): Shape<readonly T[]> {
  return {
    write: (values) => values.map((value) => shape.write(value)),
    read: (stored) => {
      if (!Array.isArray(stored)) throw wrongLayout();
      return stored.map((one: unknown) => shape.read(one));
    },
  };
}

/** Names and values in turns: names are data, and a field of a document may not be called everything (`$`, `.`). */
export function map<T>(shape: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    write: (values) => Object.entries(values).flatMap(([name, value]) => [name, shape.write(value)]),
    read: (stored) => {
      if (!Array.isArray(stored) || stored.length % 2 !== 0) throw wrongLayout();
      const pairs: [string, T][] = [];
      for (let n = 0; n < stored.length; n += 2) pairs.push([text.read(stored[n]), shape.read(stored[n + 1])]);
      return Object.fromEntries(pairs);
    },
  };
}

/** A document with a field for each of `fields`; other fields of it are passed over. */
export function record<T extends object>(fields: { readonly [K in keyof T]-?: Shape<T[K]> }): Shape<T> {
  const names = keysOf(fields);
  return {
    write: (value) => {
      const stored: Partial<Record<keyof T, unknown>> = {};
      for (const name of names) stored[name] = fields[name].write(value[name]);
      return stored;
    },
    read: (stored) => {
      if (typeof stored !== "object" || stored === null) throw wrongLayout();
      const found = new Map<PropertyKey, unknown>(Object.entries(stored));
      const value: Partial<T> = {};
      for (const name of names) value[name] = fields[name].read(found.get(name));
      if (!isWhole(value, names)) throw wrongLayout();
      return value;
    },
  };
}

function keysOf<T extends object>(fields: T): (keyof T)[] {
  const names: (keyof T)[] = [];
  for (const name in fields) names.push(name);
  return names;
}

function isWhole<T extends object>(value: Partial<T>, names: readonly (keyof T)[]): value is T {
  return names.every((name) => name in value);
}

function textOf(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

function wrongLayout(): DataDamaged {
  return new DataDamaged("A stored record has an unknown layout");
}
