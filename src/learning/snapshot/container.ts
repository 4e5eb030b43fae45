import { DataDamaged } from "../../domain/errors.js";
import type { ModelManifest, SnapshotBytes } from "../../domain/model.js";
import type { Section, SectionArray } from "../common/section.js";

/**
 * A snapshot as one run of bytes:
 *
 *   "AISLEMOD" | format number u32 | length of header u32 | header JSON | arrays, each begins at a multiple of 8
 *
 * The header holds the manifest and where each array lies. Numbers are little-endian. The same manifest and sections
 * give the same bytes. The bytes carry no checksum of their own: the model store adds one.
 *
 * The run is kept in pieces. A large array is a piece of its own, so that it leaves memory when nobody reads it any more.
 * Any cut between two arrays can be read, for example none at all.
 */
const CONTAINER_FORMAT = 1;

const MAGIC = "AISLEMOD";
const ALIGNMENT = 8;
/** Arrays make pieces of this length, or are one when they are longer. */
const LARGE_BYTES = 2 ** 24;

const ARRAY_TYPES = {
  u8: { size: 1, view: (b: ArrayBufferLike, from: number, length: number) => new Uint8Array(b, from, length) },
  u32: { size: 4, view: (b: ArrayBufferLike, from: number, length: number) => new Uint32Array(b, from, length) },
  i32: { size: 4, view: (b: ArrayBufferLike, from: number, length: number) => new Int32Array(b, from, length) },
  f32: { size: 4, view: (b: ArrayBufferLike, from: number, length: number) => new Float32Array(b, from, length) },
  f64: { size: 8, view: (b: ArrayBufferLike, from: number, length: number) => new Float64Array(b, from, length) },
} as const;

type ArrayType = keyof typeof ARRAY_TYPES;

interface ArrayPlace {
  readonly type: ArrayType;
  readonly offset: number;
  readonly length: number;
}

interface Header {
  readonly manifest: ModelManifest;
  readonly sections: Record<
    string,
    {
      readonly formatNumber: number;
      readonly numbers: Record<string, number>;
      readonly arrays: Record<string, ArrayPlace>;
    }
  >;
}

export interface Container {
  readonly manifest: ModelManifest;
  readonly sections: ReadonlyMap<string, Section>;
}

/** Allocates zeros for a piece. */
export type Room = (length: number) => Uint8Array;

export function encodeContainer(
  { manifest, sections }: Container,
  room: Room = (length) => new Uint8Array(length),
  largeBytes = LARGE_BYTES,
): SnapshotBytes {
  const header: Header = { manifest, sections: {} };
  const arrays: SectionArray[] = [];
  let offset = 0;
  for (const [name, section] of sections) {
    const places: Record<string, ArrayPlace> = {};
    for (const [arrayName, array] of Object.entries(section.arrays)) {
      places[arrayName] = { type: typeOf(array), offset, length: array.length };
      arrays.push(array);
      offset = aligned(offset + array.byteLength);
    }
    header.sections[name] = { formatNumber: section.formatNumber, numbers: { ...section.numbers }, arrays: places };
  }
  const headerBytes = new TextEncoder().encode(JSON.stringify(header));
  const beginning = new Uint8Array(aligned(MAGIC.length + 8 + headerBytes.length));
  beginning.set(new TextEncoder().encode(MAGIC));
  const view = new DataView(beginning.buffer);
  view.setUint32(MAGIC.length, CONTAINER_FORMAT, true);
  view.setUint32(MAGIC.length + 4, headerBytes.length, true);
  beginning.set(headerBytes, MAGIC.length + 8);
  return inPieces([beginning, ...arrays], largeBytes).map((together) => {
    const piece = room(together.reduce((sum, { byteLength }) => sum + aligned(byteLength), 0));
    let at = 0;
    for (const { buffer, byteOffset, byteLength } of together) {
      piece.set(new Uint8Array(buffer, byteOffset, byteLength), at);
      at += aligned(byteLength);
    }
    return piece;
  });
}

/** Which arrays, in their order, lie together in a piece. */
function inPieces(arrays: readonly SectionArray[], largeBytes: number): readonly (readonly SectionArray[])[] {
  const pieces: SectionArray[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const array of arrays) {
    if (length + array.byteLength > largeBytes) {
      pieces.push([]);
      length = 0;
    }
    pieces.at(-1)!.push(array);
    length += array.byteLength;
  }
  return pieces;
}

/** Reads a container; its arrays are views of `bytes`. Throws DataDamaged for bytes of another or a newer format. */
export function decodeContainer(bytes: SnapshotBytes): Container {
  const pieces = bytes.map((piece) => (piece.byteOffset % ALIGNMENT === 0 ? piece : piece.slice()));
  const ends: number[] = [];
  for (const piece of pieces) ends.push((ends.at(-1) ?? 0) + piece.length);
  const header = readHeader(pieces[0] ?? new Uint8Array(0));
  const start = aligned(MAGIC.length + 8 + header.length);
  const sections = new Map<string, Section>();
  for (const [name, { formatNumber, numbers, arrays }] of Object.entries(header.value.sections)) {
    const views: Record<string, SectionArray> = {};
    for (const [arrayName, place] of Object.entries(arrays)) {
      const from = start + place.offset;
      const n = ends.findIndex((end) => from < end);
      // An empty array may stand at the very end.
      const piece = n < 0 ? pieces.length - 1 : n;
      views[arrayName] = viewOf(pieces[piece]!, from - (ends[piece - 1] ?? 0), place);
    }
    sections.set(name, { formatNumber, numbers, arrays: views });
  }
  return { manifest: header.value.manifest, sections };
}

function readHeader(bytes: Uint8Array): { readonly value: Header; readonly length: number } {
  if (bytes.length < MAGIC.length + 8 || new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) !== MAGIC)
    throw new DataDamaged("The file is not a model snapshot");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = view.getUint32(MAGIC.length, true);
  if (format !== CONTAINER_FORMAT)
    throw new DataDamaged(`The model snapshot has format ${format}; this program reads format ${CONTAINER_FORMAT}`);
  const length = view.getUint32(MAGIC.length + 4, true);
  try {
    const text = new TextDecoder("utf8", { fatal: true }).decode(bytes.subarray(MAGIC.length + 8).subarray(0, length));
    const value: Header = JSON.parse(text);
    return { value, length };
  } catch (cause) {
    throw new DataDamaged("The header of the model snapshot is unreadable", { cause });
  }
}

function viewOf(piece: Uint8Array, from: number, { type, length }: ArrayPlace): SectionArray {
  const kind = ARRAY_TYPES[type];
  if (kind === undefined || from + length * kind.size > piece.length)
    throw new DataDamaged("An array of the model snapshot lies outside of it");
  return kind.view(piece.buffer, piece.byteOffset + from, length);
}

function typeOf(array: SectionArray): ArrayType {
  if (array instanceof Uint8Array) return "u8";
  if (array instanceof Uint32Array) return "u32";
  if (array instanceof Int32Array) return "i32";
  return array instanceof Float32Array ? "f32" : "f64";
}

function aligned(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}
