/**
 * A record as text; equal records from any store give the same text. Fields are sorted by name, and each text is preceded
 * by its length. -0 becomes 0 and invalid Unicode becomes U+FFFD, since a store may convert them.
 */
export function canonicalText(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return `#${value + 0}`;
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([name, field]) => quoted(name) + canonicalText(field)).join(",")}}`;
  }
  return String(value);
}

const SURROGATE = /[\uD800-\uDFFF]/;

function quoted(text: string): string {
  const sound = SURROGATE.test(text) ? Buffer.from(text).toString() : text;
  return `${sound.length}:${sound}`;
}

/** Below 0 when key `a` comes before `b` in a store, above 0 when after it: by their bytes as UTF-8. */
export function keyOrder(a: string, b: string): number {
  if (a === b) return 0;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
