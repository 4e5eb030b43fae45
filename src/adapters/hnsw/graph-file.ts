/**
 * A graph as hnswlib 0.7 saves it, little-endian: a header of 96 bytes; for each vector a record with its links on the lowest
 * level, its numbers (32-bit floats) and its label; then for each vector the length of its links on higher levels, and those.
 * A list of links is their count and room for `m` of them, on the lowest level for twice as many; 32 bits each. Aisle's
 * labels are the vectors' places, 0 to count - 1.
 */
export const FILE_HEADER_BYTES = 96;

export interface GraphShape {
  readonly count: number;
  readonly dimensions: number;
  /** Links a vector keeps on each level but the lowest. */
  readonly m: number;
}

/** Where a search begins. */
export interface Entrance {
  readonly entry: number;
  readonly topLevel: number;
}

export const numbersInRecord = (m: number) => 4 + 8 * m;
export const recordBytes = ({ dimensions, m }: GraphShape) => numbersInRecord(m) + 4 * dimensions + 8;
/** Bytes of the links of a vector of this level. */
export const upperBytes = (m: number, level: number) => level * (4 + 4 * m);

export function writeHeader(
  view: DataView,
  shape: GraphShape,
  { entry, topLevel }: Entrance,
  efConstruction: number,
): void {
  const { count, m } = shape;
  const record = recordBytes(shape);
  const longs = [0, count, count, record, record - 8, numbersInRecord(m)];
  for (const [n, value] of longs.entries()) view.setBigUint64(8 * n, BigInt(value), true);
  view.setInt32(48, topLevel, true);
  view.setUint32(52, entry, true);
  for (const [n, value] of [m, 2 * m, m].entries()) view.setBigUint64(56 + 8 * n, BigInt(value), true);
  view.setFloat64(80, 1 / Math.log(m), true);
  view.setBigUint64(88, BigInt(efConstruction), true);
}

/** Undefined when it is not the header of a graph of so many vectors and dimensions. */
export function readHeader(
  view: DataView,
  { count, dimensions }: Omit<GraphShape, "m">,
): (Entrance & { readonly m: number }) | undefined {
  if (view.byteLength < FILE_HEADER_BYTES) return undefined;
  const long = (at: number) => Number(view.getBigUint64(at, true));
  const [m, entry, topLevel] = [long(72), view.getUint32(52, true), view.getInt32(48, true)];
  if (long(16) !== count || long(24) !== recordBytes({ count, dimensions, m })) return undefined;
  return entry < count && topLevel >= 0 ? { m, entry, topLevel } : undefined;
}
