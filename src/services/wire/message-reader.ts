/**
 * Reads messages from their bytes for a third of the library's CPU: their readers are generated as code, field by field, as
 * V8 optimises a property access only for a constant name.
 *
 * A reader knows what programs send. It leaves anything unusual to the library, from the beginning: unknown fields, messages
 * in parts, malformed bytes. So only the library rejects messages.
 */
import {
  type DescField,
  type DescMessage,
  fromBinary,
  isMessage,
  type MessageShape,
  ScalarType,
} from "@bufbuild/protobuf";
import { Edition, FeatureSet_FieldPresence, isWrapperDesc } from "@bufbuild/protobuf/wkt";

/** Throws what the library throws. */
export type MessageReader<D extends DescMessage> = (bytes: Uint8Array) => MessageShape<D>;

/** Bytes that are decoded at once. Short texts are cut out of the result. */
const WINDOW_BYTES = 1024;
/** V8 copies slices of up to so many characters. A longer one would keep all the text that it is cut from in memory. */
const COPIED = 12;

/** Thrown for what is left to the library. */
const UNUSUAL = new Error("unusual bytes");

export function createMessageReader<D extends DescMessage>(desc: D): MessageReader<D> {
  const read = compile(desc, []);
  return (bytes) => {
    try {
      const message = read?.(new Cursor(bytes), bytes.length);
      if (isMessage(message, desc)) return message;
    } catch (error) {
      if (error !== UNUSUAL) throw error;
    }
    return fromBinary(desc, bytes);
  };
}

/** Reads the fields that follow; the message ends at `end`. */
type Read = (cursor: Cursor, end: number) => unknown;

/** Where a message is being read. Behind the last byte it reads nothing that passes the checks of ends. */
class Cursor {
  at = 0;
  private readonly bytes: Buffer;
  /** The text of the bytes from `from` to `to`, which are ASCII. */
  private window = "";
  private from = 0;
  private to = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** A number of up to 31 bits. */
  small(): number {
    const { bytes } = this;
    let byte = bytes[this.at++]!;
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let shift = 7; shift < 28; shift += 7) {
      byte = bytes[this.at++]!;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
    byte = bytes[this.at++]!;
    if (byte < 8) return value + byte * 2 ** 28;
    throw UNUSUAL;
  }

  /** A number of up to 49 bits. */
  long(): bigint {
    let value = 0;
    for (let factor = 1; factor < 2 ** 49; factor *= 128) {
      const byte = this.bytes[this.at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return BigInt(value);
    }
    throw UNUSUAL;
  }

  flag(): boolean {
    const byte = this.bytes[this.at++]!;
    if (byte > 1) throw UNUSUAL;
    return byte === 1;
  }

  /** The end of the value whose length comes now, within what ends at `outer`. */
  end(outer: number): number {
    const end = this.small() + this.at;
    if (end > outer) throw UNUSUAL;
    return end;
  }

  text(outer: number): string {
    const end = this.end(outer);
    const start = this.at;
    this.at = end;
    if (end > this.to) this.moveWindow(start);
    if (end > this.to) return this.anyText(start, end);
    if (end - start > COPIED) return this.bytes.toString("latin1", start, end);
    return this.window.slice(start - this.from, end - this.from);
  }

  /** To the ASCII that begins at `start`. */
  private moveWindow(start: number): void {
    const { bytes } = this;
    const most = Math.min(bytes.length, start + WINDOW_BYTES);
    let to = start;
    while (to < most && bytes[to]! < 128) to++;
    this.from = start;
    this.to = to;
    this.window = bytes.toString("latin1", start, to);
  }

  private anyText(start: number, end: number): string {
    const text = this.bytes.toString("utf8", start, end);
    if (text.includes("\ufffd")) throw UNUSUAL; // it stands for malformed bytes
    return text;
  }
}

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** The scalars that a reader knows: their zero values, wire types, and how they are read. */
const SCALARS: ReadonlyMap<ScalarType, readonly [zero: string, wireType: number, read: string]> = new Map([
  [ScalarType.STRING, ['""', LENGTH_DELIMITED, "cursor.text(end)"]],
  [ScalarType.BOOL, ["false", VARINT, "cursor.flag()"]],
  [ScalarType.INT32, ["0", VARINT, "cursor.small()"]],
  [ScalarType.UINT32, ["0", VARINT, "cursor.small()"]],
  [ScalarType.INT64, ["0n", VARINT, "cursor.long()"]],
]);

/** Undefined for a message with anything a reader does not know. `around` are the messages that contain it. */
function compile(desc: DescMessage, around: readonly DescMessage[]): Read | undefined {
  if (desc.file.edition !== Edition.EDITION_PROTO3 || desc.oneofs.length > 0 || around.includes(desc)) return undefined;
  if (isWrapperDesc(desc) || desc.typeName === "google.protobuf.Struct") return undefined;
  const nested: Read[] = [];
  const fields = desc.fields.map((field, n) => {
    const inner = field.message && compile(field.message, [...around, desc]);
    if (inner !== undefined) nested.push(inner);
    if (field.message !== undefined && inner === undefined) return undefined;
    return codeOf(field, `f${n}`, `r${nested.length - 1}`);
  });
  const known = fields.filter((field) => field !== undefined);
  if (known.length < fields.length) return undefined;
  const each = (line: (field: FieldCode, n: number) => string) => known.map(line).join("\n");
  const name = (n: number) => JSON.stringify(desc.fields[n]?.localName);
  const source = `"use strict";
    ${nested.map((_, n) => `const r${n} = nested[${n}];`).join("\n")}
    return function read(cursor, end) {
      ${each(({ zero }, n) => `let f${n} = ${zero};`)}
      while (cursor.at < end) {
        switch (cursor.small()) {
          ${each(({ tag, read }) => `case ${tag}: { ${read} break; }`)}
          default: throw unusual;
        }
      }
      if (cursor.at !== end) throw unusual;
      const message = { $typeName: ${JSON.stringify(desc.typeName)}, ${each(({ zero }, n) => (zero === "undefined" ? "" : `${name(n)}: f${n},`))} };
      ${each(({ zero }, n) => (zero === "undefined" ? `if (f${n} !== undefined) message[${name(n)}] = f${n};` : ""))}
      return message;
    };`;
  const make: unknown = new Function("nested", "unusual", source);
  if (!isMaker(make)) throw new TypeError("A function was expected");
  return make(nested, UNUSUAL);
}

function isMaker(made: unknown): made is (nested: readonly Read[], unusual: Error) => Read {
  return typeof made === "function";
}

interface FieldCode {
  /** `undefined` for a field that a message may lack. */
  readonly zero: string;
  readonly tag: number;
  /** Reads a value into the field's variable. */
  readonly read: string;
}

/** The code of a field; undefined for one that is left to the library. `into` is its variable, `inner` reads its message. */
function codeOf(field: DescField, into: string, inner: string): FieldCode | undefined {
  const ofMessage = `const to = cursor.end(end); const value = ${inner}(cursor, to);`;
  const tagged = (wireType: number) => field.number * 8 + wireType;
  switch (field.fieldKind) {
    case "scalar": {
      const known = SCALARS.get(field.scalar);
      if (known === undefined || field.longAsString) return undefined;
      const [zero, wireType, read] = known;
      const mayLack = field.presence !== FeatureSet_FieldPresence.IMPLICIT;
      return { zero: mayLack ? "undefined" : zero, tag: tagged(wireType), read: `${into} = ${read};` };
    }
    case "enum":
      if (!field.enum.open || field.presence !== FeatureSet_FieldPresence.IMPLICIT) return undefined;
      return { zero: "0", tag: tagged(VARINT), read: `${into} = cursor.small();` };
    case "message": {
      const read = `if (${into} !== undefined) throw unusual; ${ofMessage} ${into} = value;`;
      return { zero: "undefined", tag: tagged(LENGTH_DELIMITED), read };
    }
    case "list": {
      const isText = field.listKind === "scalar" && field.scalar === ScalarType.STRING;
      if (!isText && field.listKind !== "message") return undefined;
      const read = isText ? `${into}.push(cursor.text(end));` : `${ofMessage} ${into}.push(value);`;
      return { zero: "[]", tag: tagged(LENGTH_DELIMITED), read };
    }
    case "map": {
      const isOfTexts = field.mapKey === ScalarType.STRING && field.scalar === ScalarType.STRING;
      if (!isOfTexts) return undefined;
      const read = `
        const to = cursor.end(end);
        let key = "", value = "";
        while (cursor.at < to) {
          switch (cursor.small()) {
            case 10: key = cursor.text(to); break;
            case 18: value = cursor.text(to); break;
            default: throw unusual;
          }
        }
        if (cursor.at !== to || key === "__proto__") throw unusual;
        ${into}[key] = value;`;
      return { zero: "{}", tag: tagged(LENGTH_DELIMITED), read };
    }
  }
}
