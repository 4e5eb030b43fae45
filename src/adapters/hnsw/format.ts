/**
 * The bytes of an index: a header of eight 32-bit numbers (magic, format, kind, count, dimensions, efSearch, length of
 * the payload, CRC-32 of all else), then the payload: a graph's file, as hnswlib saves it. hnswlib trusts what it reads and
 * would crash on damaged bytes, so no payload is used whose checksum was not compared, here or by the store that keeps it.
 */
import { crc32 } from "node:zlib";
import { DataDamaged } from "../../domain/errors.js";

const MAGIC = 0x57_4e_48_41; // "AHNW" in byte order
const FORMAT = 1;
const HEADER_BYTES = 32;
const CHECKSUM_AT = 28;

export const EXACT = 0;
export const HNSW = 1;

export interface IndexFacts {
  readonly kind: number;
  readonly count: number;
  readonly dimensions: number;
  readonly efSearch: number;
}

export function encodeIndex(facts: IndexFacts, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + payload.length);
  const header = new DataView(bytes.buffer);
  const { kind, count, dimensions, efSearch } = facts;
  const numbers = [MAGIC, FORMAT, kind, count, dimensions, efSearch, payload.length];
  for (const [i, value] of numbers.entries()) header.setUint32(4 * i, value, true);
  bytes.set(payload, HEADER_BYTES);
  header.setUint32(CHECKSUM_AT, checksum(bytes), true);
  return bytes;
}

export interface DecodedIndex {
  readonly facts: IndexFacts;
  readonly payload: Uint8Array;
}

/** Throws DataDamaged for bytes that `encodeIndex` did not write. */
export function decodeIndex(bytes: Uint8Array): DecodedIndex {
  const { decoded, expected } = readHeader(bytes);
  return checked(decoded, checksum(bytes), expected);
}

/** The same for bytes whose checksum was checked by whoever keeps them. */
export function decodeChecked(bytes: Uint8Array): DecodedIndex {
  return readHeader(bytes).decoded;
}

function readHeader(bytes: Uint8Array): { readonly decoded: DecodedIndex; readonly expected: number } {
  if (bytes.length < HEADER_BYTES) throw new DataDamaged("The vector index is cut off");
  const header = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const number = (i: number) => header.getUint32(4 * i, true);
  if (number(0) !== MAGIC) throw new DataDamaged("The file is not a vector index");
  if (number(1) !== FORMAT)
    throw new DataDamaged(`The vector index has format ${number(1)}, this version reads ${FORMAT}`);
  const payload = bytes.subarray(HEADER_BYTES);
  if (payload.length !== number(6)) throw new DataDamaged(UNLIKE_CHECKSUM);
  const facts = { kind: number(2), count: number(3), dimensions: number(4), efSearch: number(5) };
  return { decoded: { facts, payload }, expected: header.getUint32(CHECKSUM_AT, true) };
}

function checked(decoded: DecodedIndex, found: number, expected: number): DecodedIndex {
  if (found !== expected) throw new DataDamaged(UNLIKE_CHECKSUM);
  return decoded;
}

const UNLIKE_CHECKSUM = "The vector index does not match its checksum";

function checksum(bytes: Uint8Array): number {
  return crc32(bytes.subarray(HEADER_BYTES), crc32(bytes.subarray(0, CHECKSUM_AT)));
}

/** Throws RangeError for an invalid query: hnswlib would accept NaN or zeros and return nonsense. */
export function checkQuery(query: Float32Array, dimensions: number): void {
  if (query.length !== dimensions) throw new RangeError(`query must hold ${dimensions} numbers`);
  let isZero = dimensions > 0;
  for (let d = 0; d < dimensions; d++) {
    const value = query[d]!;
    if (!Number.isFinite(value)) throw new RangeError("query must hold finite numbers");
    if (value !== 0) isZero = false;
  }
  if (isZero) throw new RangeError("query must point somewhere");
}
