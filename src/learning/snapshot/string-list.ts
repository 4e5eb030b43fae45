import { isAscii } from "node:buffer";
import { DataDamaged } from "../../domain/errors.js";
import type { Section } from "../common/section.js";
import { inParts, type Steps } from "./yielding-steps.js";

const FORMAT = 1;

/** A list of texts as one section: UTF-8 bytes and where each text ends. */
export function encodeStrings(texts: readonly string[]): Section {
  const encoder = new TextEncoder();
  const parts = texts.map((text) => encoder.encode(text));
  const ends = new Uint32Array(texts.length);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const [i, part] of parts.entries()) {
    bytes.set(part, at);
    at += part.length;
    ends[i] = at;
  }
  return { formatNumber: FORMAT, numbers: {}, arrays: { bytes, ends } };
}

export function* decodeStrings(section: Section): Steps<string[]> {
  const { bytes, ends } = section.arrays;
  if (section.formatNumber !== FORMAT || !(bytes instanceof Uint8Array) || !(ends instanceof Uint32Array))
    throw new DataDamaged("A list of texts in the model snapshot cannot be read");
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // A cut out of one text takes a tenth of the time of a text from bytes. Only ASCII has a character for each byte.
  const all = isAscii(buffer) ? buffer.toString("latin1") : undefined;
  const texts: string[] = [];
  yield* inParts(ends.length, (from, to) => {
    for (let n = from, start = ends[from - 1] ?? 0; n < to; n++) {
      const end = ends[n]!;
      texts.push(all?.slice(start, end) ?? buffer.toString("utf8", start, end));
      start = end;
    }
  });
  return texts;
}
