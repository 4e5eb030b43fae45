import type { TextStorage } from "./environment.js";

/**
 * Values of one app in local storage, as JSON under `aisle:{app}:{name}`. Every read goes to the storage, since other
 * tabs write too. Without storage, or when it is full, values live as long as the page.
 */
export interface Shelf {
  /** The value, unchecked; undefined when there is none or it is not JSON. */
  read(name: string): unknown;
  write(name: string, value: unknown): void;
  remove(name: string): void;
}

export function createShelf(storage: TextStorage | undefined, appId: string): Shelf {
  const kept = new Map<string, string>();
  const keyOf = (name: string) => `aisle:${appId}:${name}`;
  const textOf = (name: string): string | null | undefined => {
    if (kept.has(name)) return kept.get(name);
    try {
      return storage?.getItem(keyOf(name));
    } catch {
      // the browser refuses storage, or it is full
      return undefined;
    }
  };
  return {
    read(name) {
      const text = textOf(name);
      if (typeof text !== "string") return undefined;
      try {
        return JSON.parse(text) as unknown;
      } catch {
        // the browser refuses storage, or it is full
        return undefined;
      }
    },
    write(name, value) {
      const text = JSON.stringify(value);
      try {
        if (storage === undefined) throw new Error("no storage");
        storage.setItem(keyOf(name), text);
        kept.delete(name);
      } catch {
        // the browser refuses storage, or it is full
        kept.set(name, text);
      }
    },
    remove(name) {
      kept.delete(name);
      try {
        storage?.removeItem(keyOf(name));
      } catch {
        // What cannot be reached cannot be read either.
      }
    },
  };
}

/** The elements of a list that pass the check; none when the value is no list. */
export function listOf<T>(value: unknown, isOne: (element: unknown) => element is T): T[] {
  return Array.isArray(value) ? value.filter(isOne) : [];
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
