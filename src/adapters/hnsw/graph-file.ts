/**
 * The vectors in a file of hnswlib 0.7: a header of 96 bytes, little-endian, then one record for each vector with its links on the
 * lowest level, its numbers (32-bit floats) and its label. The header has the lengths (64 bits each): at 16 the count, at 24
 * the length of a record, at 32 and 40 the places of label and numbers in it.
 */
import { DataDamaged } from "../../domain/errors.js";

const HEADER_BYTES = 96;

/** Row by row in the order of their labels, which are 0 to count - 1. Throws DataDamaged for other files. */
export function vectorsOfGraph(file: Uint8Array, count: number, dimensions: number): Float32Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const size = (at: number) => Number(view.getBigUint64(at, true));
  if (file.length < HEADER_BYTES || size(16) !== count) throw damaged();
  const [record, labelAt, numbersAt] = [size(24), size(32), size(40)];
  if (HEADER_BYTES + count * record > file.length || numbersAt + 4 * dimensions > record || labelAt + 8 > record)
    throw damaged();
  const vectors = new Float32Array(count * dimensions);
  for (let n = 0; n < count; n++) {
    const at = HEADER_BYTES + n * record;
    const label = size(at + labelAt);
    if (label >= count) throw damaged();
    for (let d = 0; d < dimensions; d++)
      vectors[label * dimensions + d] = view.getFloat32(at + numbersAt + 4 * d, true);
  }
  return vectors;
}

const damaged = () => new DataDamaged("The vector index holds a different number of vectors");
