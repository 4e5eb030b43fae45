import { crc32c } from "@node-rs/crc32";
import { Packr } from "msgpackr";
import { DataDamaged } from "../../domain/errors.js";
import type { Interaction } from "../../domain/interaction.js";
import { type Cells, type Kind, number, type RecordKind, text } from "../schema/kinds.js";
import { type Key, TIME_LENGTH, timeOf, unpart } from "./keys.js";

/**
 * A stored value is a MessagePack array: the cells of the record in a fixed order, then the checksum as a 32-bit
 * number, whose four bytes are therefore the last of the value. The checksum is the CRC32C of all bytes before it,
 * begun with the checksum of the key: a value that a flipped bit moved under another key is refused as well.
 *
 * Cells stand by position and no names are stored, so values are self-contained: nothing is learned while writing.
 * A later version may add cells at the end of a record; it may not change the meaning of one (format number).
 */

/** Converts a record to cells and back. It gets the key, since some kinds store part of the record there. */
export interface RecordCodec<T> {
  toCells(value: T): unknown[];
  fromCells(cells: Cells, key: Key): T;
}

const PLACE_OF_CHECKSUM = 0xffffffff; // packed as five bytes, the last four of which are replaced
const CHECKSUM_BYTES = 4;
const CHUNK_BYTES = 64 * 1024;

const packr = new Packr({ useRecords: false });
packr.useBuffer(Buffer.allocUnsafeSlow(CHUNK_BYTES)); // chunks of this size are asked for, each holding many values

/** The bytes of a value. No later call changes them. */
export function encode<T>(codec: RecordCodec<T>, key: Key, value: T): Buffer {
  const cells = codec.toCells(value);
  cells.push(PLACE_OF_CHECKSUM);
  const bytes = packr.pack(cells);
  const end = bytes.length - CHECKSUM_BYTES;
  bytes.writeUInt32BE(checksum(bytes, end, keyChecksum(key)), end);
  return bytes;
}

/**
 * The value that `encode` made for this key; DataDamaged for any other bytes. Only the first `length` of `buffer` count
 * (lmdb-js reads into one buffer that is as long as its longest value), and they may change afterwards.
 */
export function decode<T>(codec: RecordCodec<T>, key: Key, buffer: Uint8Array, length: number): T {
  checkBytes(key, buffer, length);
  const cells: unknown = packr.unpack(buffer, length);
  if (!Array.isArray(cells)) throw new DataDamaged("A stored value is not a record");
  return codec.fromCells(cells, key);
}

/** Throws DataDamaged unless `encode` made the bytes for this key. */
export function checkBytes(key: Key, buffer: Uint8Array, length: number): void {
  const end = length - CHECKSUM_BYTES;
  if (end < 1 || uint32(buffer, end) !== checksum(buffer, end, keyChecksum(key))) {
    throw new DataDamaged("A stored value does not match its checksum");
  }
}

function uint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** Up to this length a native call costs more than the checksum in JavaScript. */
const SHORT = 128;

/** CRC32C of the first `length` bytes, begun with `crc`. */
function checksum(bytes: Uint8Array, length: number, crc: number): number {
  if (length > SHORT) return crc32c(bytes.subarray(0, length), crc);
  let rest = ~crc;
  for (let i = 0; i < length; i++) rest = TABLE[(rest ^ bytes[i]!) & 255]! ^ (rest >>> 8);
  return ~rest >>> 0;
}

/**
 * CRC32C of the key's UTF-16 code units, one byte for a unit below 256 and two for others. Computed here rather than
 * natively: for the length of a key the call would cost more than the work.
 */
function keyChecksum(key: Key): number {
  let crc = -1;
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    crc = TABLE[(crc ^ unit) & 255]! ^ (crc >>> 8);
    if (unit > 255) crc = TABLE[(crc ^ (unit >>> 8)) & 255]! ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}

/** The codec of records of a kind: their cells, without another list around them. */
export function codecOf<T>(kind: Kind<T> | RecordKind<T>): RecordCodec<T> {
  const row = "inline" in kind ? kind.inline : kind;
  return {
    toCells: (value) => {
      const cells = new Array<unknown>(row.width);
      row.put(value, cells, 0);
      return cells;
    },
    fromCells: (cells) => row.take(cells, 0, cells.length - 1), // the last cell is the checksum
  };
}

const BOT = "";

const TYPES = ["product_view", "add_to_cart", "order"] as const;

/**
 * An interaction's time and ref are stored only in its key. An empty id after the product ids marks a bot; an older Aisle
 * reads that as an unknown product.
 */
export const interactionCodec: RecordCodec<Interaction> = {
  toCells: ({ type, productIds, bot }) => [TYPES.indexOf(type), ...productIds, ...(bot ? [BOT] : [])],
  fromCells: (cells, key) => {
    const start = key.indexOf("\0", key.indexOf("\0") + 1) + 1;
    const type = TYPES[number.take(cells, 0, cells.length)];
    if (type === undefined) throw new DataDamaged("A stored interaction has an unknown type");
    const productIds: string[] = [];
    for (let n = 1; n < cells.length - 1; n++) productIds.push(text.take(cells, n, cells.length)); // the last cell is the checksum
    const isBot = productIds.at(-1) === BOT;
    if (isBot) productIds.pop();
    return {
      type,
      at: timeOf(key, start),
      productIds,
      ref: unpart(key.slice(start + TIME_LENGTH)),
      ...(isBot && { bot: true }),
    };
  },
};

/** Keys are UTF-8. Values are passed through as bytes, in lmdb-js's own buffer. */
export const AS_BYTES = {
  encoding: "binary",
  compression: false,
  keyEncoder: {
    writeKey: (key: Key, target: Buffer, start: number): number => start + target.write(key, start),
    readKey: (source: Buffer, start: number, end: number): Key => source.toString("utf8", start, end),
  },
  encoder: {
    encode: (bytes: Uint8Array): Uint8Array => bytes,
    decode: (bytes: Uint8Array): Uint8Array => bytes,
  },
} as const;
