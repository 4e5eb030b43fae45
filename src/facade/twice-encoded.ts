/**
 * Some senders encode each value before they hand it to a form encoder that encodes it again. After the form is
 * decoded such a value still reads `buyer%2B1%40example.com` or `1%7C2`. It is recognised by a valid `%XX` in text that
 * holds nothing but what an encoder leaves: `A-Z a-z 0-9 * . _ ~ + % -`.
 *
 * One such value marks the whole body: a `+` in its other values of that alphabet is an encoded space (`Anna+Maria`).
 * Phone numbers without an escape of their own are excepted, because a `+` there is far more often a plus.
 */
import { decodePart } from "./form.js";

const ENCODED = /^[A-Za-z0-9*._~+%-]+$/;
const ESCAPE = /%[0-9A-Fa-f]{2}/;

/** Decodes the values of `known` names once more, in place, where their sender encoded them twice. */
export function decodeTwiceEncoded(fields: Map<string, string>, known: ReadonlySet<string>): void {
  if (!hasPercent(fields)) return;
  const found = [...fields].some(([name, value]) => known.has(name) && ENCODED.test(value) && ESCAPE.test(value));
  if (!found) return;
  for (const [name, value] of fields) {
    if (!known.has(name) || !ENCODED.test(value)) continue;
    if (name !== "phone" || ESCAPE.test(value)) fields.set(name, decodePart(value));
  }
}

/** Nearly no form has one, and to know it costs less than to look at names. */
function hasPercent(fields: ReadonlyMap<string, string>): boolean {
  for (const value of fields.values()) if (value.includes("%")) return true;
  return false;
}
