import { decodePercent } from "./form.js";

/**
 * The value of the first cookie called `name` in a Cookie header, percent-decoded, or "". Reads that one only: shops
 * have dozens of cookies, and an object made of all of them would cost more than the rest of the request.
 */
export function readCookie(header: string | undefined, name: string): string {
  if (header === undefined) return "";
  for (let from = 0; ; ) {
    const at = header.indexOf(name, from);
    if (at === -1) return "";
    const after = at + name.length;
    if (startsCookie(header, at) && header.charCodeAt(after) === 0x3d) {
      const end = header.indexOf(";", after);
      const value = header.slice(after + 1, end === -1 ? header.length : end).trim();
      return decodePercent(
        value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value,
      );
    }
    from = after;
  }
}

/** True when the text at `at` is the beginning of a cookie: the header's start, or behind a `;` and spaces. */
function startsCookie(header: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && header.charCodeAt(before) === 0x20) before--;
  return before < 0 || header.charCodeAt(before) === 0x3b;
}
