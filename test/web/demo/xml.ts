const TOKEN = /<!doctype html>|<(\/?)([a-zA-Z][\w:-]*)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>|[^<]+/gi;
const REFERENCE = /&(?!#\d+;|amp;|lt;|gt;|quot;)/;

/**
 * What is wrong with a document's form, "" when nothing is: every tag closed in order, attributes quoted and not
 * repeated, no bare ampersand. Elements named in `empty` have no end tag.
 */
export function formFault(text: string, empty: readonly string[] = []): string {
  const open: string[] = [];
  let end = 0;
  for (const token of text.matchAll(TOKEN)) {
    const [whole, closing, name, attributes = "", selfClosing] = token;
    if (token.index !== end) return `unreadable at ${end}: ${text.slice(end, end + 60)}`;
    end = token.index + whole.length;
    if (REFERENCE.test(name === undefined ? whole : attributes)) return `bare ampersand: ${whole.slice(0, 60)}`;
    if (name === undefined || selfClosing === "/") continue;
    const names = attributes
      .replace(/="[^"]*"/g, "")
      .split(/\s+/)
      .filter((attribute) => attribute !== "");
    if (new Set(names).size !== names.length) return `attribute repeated: ${whole}`;
    if (closing === "/") {
      if (open.pop() !== name) return `closed out of order: ${whole}`;
    } else if (!empty.includes(name)) open.push(name);
  }
  if (end !== text.length) return `unreadable at ${end}: ${text.slice(end, end + 60)}`;
  return open.length === 0 ? "" : `never closed: ${open.join(" ")}`;
}
