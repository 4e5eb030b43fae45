/**
 * Reads `application/x-www-form-urlencoded` as the URL standard does (https://url.spec.whatwg.org/#urlencoded-parsing):
 * `+` is a space, a `%` without two hex digits stays, bytes that are no UTF-8 become U+FFFD, nothing is an error.
 * What we add: an empty value counts as not sent, of a repeated name the first value wins, and limits.
 *
 * `node:querystring` silently stops after 1,000 names and decodes differently; `URLSearchParams` keeps everything and
 * costs about three times as much. test/facade/form.test.ts holds this reader against URLSearchParams.
 */

import { addElement, type ListElements, listText, mayBeElement } from "./lists.js";
import { isLonger } from "./text-values.js";

/** Limits of a form. Fields beyond them are dropped and counted; the form is still accepted. */
export interface FormLimits {
  /** Number of names with a value. */
  readonly fields: number;
  /** Bytes of one value, in UTF-8. */
  readonly valueBytes: number;
}

export const FORM_LIMITS: FormLimits = { fields: 128, valueBytes: 128 * 1024 };

/** Maximum decoded pairs of a form, repeated names included: each costs as much as a field. */
const MAX_PAIRS = 1024;

/** A Map, so that `__proto__` is a plain name. */
export interface Form {
  readonly fields: Map<string, string>;
  /** Elements of lists that came one by one, until `joinLists` makes fields of them. */
  readonly lists: ListElements;
  /** Number of values that were too long. */
  droppedValues: number;
  /** Number of values beyond the limit of fields. */
  droppedFields: number;
}

export function emptyForm(): Form {
  return { fields: new Map(), lists: new Map(), droppedValues: 0, droppedFields: 0 };
}

/** Adds a decoded pair to the form, by the rules above. */
export function addField(form: Form, name: string, value: string, limits: FormLimits = FORM_LIMITS): void {
  if (addElement(form.lists, name, value) || value === "") return;
  if (form.fields.size >= limits.fields) form.droppedFields++;
  else if (form.fields.has(name)) return;
  else if (isLonger(value, limits.valueBytes)) form.droppedValues++;
  else form.fields.set(name, value);
}

/** Makes fields of the lists that came element by element. A field that came as text wins. */
export function joinLists(form: Form, limits: FormLimits = FORM_LIMITS): Form {
  for (const [name, elements] of form.lists) addField(form, name, listText(elements), limits);
  form.lists.clear();
  return form;
}

/**
 * Reads a body or a query string (without its `?`). Never throws. Dropped fields are not decoded: a body of
 * 100,000 names costs little more than the search for its `&`.
 */
export function readForm(text: string, limits: FormLimits = FORM_LIMITS): Form {
  const form = emptyForm();
  const { fields } = form;
  const decode = percentDecoder();
  const end = text.length;
  let equals = -1;
  let pairs = 0;
  for (let start = 0; start < end; ) {
    let stop = text.indexOf("&", start);
    if (stop === -1) stop = end;
    // Searched again only after it was passed: a body of many names without `=` must not be scanned once for each name.
    if (equals < start) equals = text.indexOf("=", start);
    if (equals === -1) break;
    // Most pairs that senders post have no value: skip them undecoded, but for elements, which keep their place.
    if (equals < stop - 1 || (equals === stop - 1 && mayBeElement(text, start, equals))) {
      if (fields.size >= limits.fields || ++pairs > MAX_PAIRS) form.droppedFields++;
      else {
        const name = decodePart(text.slice(start, equals), decode);
        if (!fields.has(name)) addField(form, name, decodePart(text.slice(equals + 1, stop), decode), limits);
      }
    }
    start = stop + 1;
  }
  return joinLists(form, limits);
}

/** One name or value of a form, decoded. */
export function decodePart(text: string, decode = decodePercent): string {
  return decode(text.includes("+") ? text.replaceAll("+", " ") : text);
}

/** Decodes `%XX` as UTF-8 and leaves everything else as it is. */
export function decodePercent(text: string): string {
  return percentDecoder()(text);
}

/**
 * `decodePercent` for many texts. decodeURIComponent throws at a bare `%` and at bytes that are no UTF-8, which costs
 * fifteen times as much as `decodeBytes`, and a body can cause 100,000 of these exceptions. So after the first one, all
 * texts are decoded byte by byte.
 */
function percentDecoder(): (text: string) => string {
  let wasRefused = false;
  return (text) => {
    if (!text.includes("%")) return text;
    if (wasRefused) return decodeBytes(text);
    try {
      return decodeURIComponent(text);
    } catch {
      // invalid UTF-8: decode byte by byte
      wasRefused = true;
      return decodeBytes(text);
    }
  };
}

function decodeBytes(text: string): string {
  const bytes = Buffer.from(text).toString("latin1");
  const decoded = bytes.replace(ESCAPES, (hex) => String.fromCharCode(Number.parseInt(hex.slice(1), 16)));
  return Buffer.from(decoded, "latin1").toString();
}

const ESCAPES = /%[0-9A-Fa-f]{2}/g;

/**
 * Some senders encode each value before they hand it to a form encoder that encodes it again. After the form is
 * decoded such a value still reads `buyer%2B1%40example.com` or `1%7C2`. It is recognised by a valid `%XX` in text that
 * holds nothing but what an encoder leaves: `A-Z a-z 0-9 * . _ ~ + % -`.
 *
 * One such value marks the whole body: a `+` in its other values of that alphabet is an encoded space (`Anna+Maria`).
 * Phone numbers without an escape of their own are excepted, because a `+` there is far more often a plus.
 */
const ENCODED = /^[A-Za-z0-9*._~+%-]+$/;
const ESCAPE = /%[0-9A-Fa-f]{2}/;

/** Decodes the values of `known` names a second time, in place, when their sender encoded them twice. */
export function decodeTwiceEncoded(fields: Map<string, string>, known: ReadonlySet<string>): void {
  let isFound = false;
  fields.forEach((value, name) => {
    isFound ||= isTwiceEncoded(value) && known.has(name);
  });
  if (!isFound) return;
  for (const [name, value] of fields) {
    if (!known.has(name) || !ENCODED.test(value)) continue;
    if (name !== "phone" || ESCAPE.test(value)) fields.set(name, decodePart(value));
  }
}

/**
 * An id as `decodeTwiceEncoded` leaves it, for readers of other bodies: the same visitor must be the same there. A cookie that
 * holds `%3D` reaches a page as these three characters.
 */
export function decodeTwiceEncodedId(id: string): string {
  return isTwiceEncoded(id) ? decodePart(id) : id;
}

/** Almost no value has a percent sign, and this check is the cheapest. */
function isTwiceEncoded(value: string): boolean {
  return value.includes("%") && ENCODED.test(value) && ESCAPE.test(value);
}
