/** `application/x-www-form-urlencoded`, against the reader of the platform. */
import { deepStrictEqual, ok } from "node:assert";
import { FORM_LIMITS, readForm } from "../../../src/facade/form.js";

export const seeds = [
  "app_id=shop&action_type=product_view&product_ids=a%2Cb&email=ada%40shop.example",
  "a=1&a=2&b=&=c&d&&e==f",
  "q=%C5%82%F0%9F%8D%B5+x&bad=%zz%&half=%C3",
];
export const dictionary = [
  "&",
  "=",
  "%",
  "+",
  "%25",
  "%00",
  "%C3%A9",
  "%F0%9F%98%80",
  "__proto__",
  "constructor",
  "%ED%A0%80",
];

export function fuzz(bytes: Buffer): void {
  const text = bytes.toString();
  const { fields, droppedFields, droppedValues } = readForm(text);
  ok(fields.size <= FORM_LIMITS.fields);
  if (droppedFields > 0 || droppedValues > 0) return;
  const expected = new Map<string, string>();
  // Lone halves of surrogates cannot come from bytes, so both readers see the same text.
  // Node's own reader cuts characters beyond Latin-1 when a `%` is wrong, so it gets them percent-encoded.
  const ascii = text.replace(/[^\0-\x7f]+/gu, encodeURIComponent);
  for (const [name, value] of new URLSearchParams(`&${ascii}`))
    if (value !== "" && !expected.has(name)) expected.set(name, value);
  deepStrictEqual([...fields], [...expected]);
}
