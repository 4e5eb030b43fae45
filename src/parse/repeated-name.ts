import { endOfString } from "./json-bounds.js";

/** The first name that stands twice in one object of JSON, at any depth. `JSON.parse` keeps its last value and drops the others. */
export function repeatedName(json: string): string | undefined {
  /** The names of each open object; null for a list. */
  const open: (Set<string> | null)[] = [];
  let namesFollow = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === 0x22) {
      const end = endOfString(json, at);
      if (end === -1) return undefined;
      const names = namesFollow ? open.at(-1) : null;
      if (names) {
        const name: string = JSON.parse(json.slice(at, end + 1));
        if (names.has(name)) return name;
        names.add(name);
      }
      namesFollow = false;
      at = end;
    } else if (code === 0x7b || code === 0x5b) {
      namesFollow = code === 0x7b;
      open.push(namesFollow ? new Set() : null);
    } else if (code === 0x7d || code === 0x5d) {
      open.pop();
      namesFollow = false;
    } else if (code === 0x2c) namesFollow = true;
  }
  return undefined;
}
