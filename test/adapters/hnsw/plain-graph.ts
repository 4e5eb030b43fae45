/** The file of a graph read into objects, and the search of the paper over them. */

export interface PlainGraph {
  readonly entry: number;
  readonly nodes: readonly {
    readonly numbers: Float32Array;
    /** Of each level, the lowest first. */
    readonly links: readonly (readonly number[])[];
  }[];
}

export function readGraph(file: Uint8Array): PlainGraph {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const long = (at: number) => Number(view.getBigUint64(at, true));
  const [count, record, labelIn, numbersIn, m] = [long(16), long(24), long(32), long(40), long(72)];
  const list = (at: number) =>
    Array.from({ length: view.getUint16(at, true) }, (_, n) => view.getUint32(at + 4 + 4 * n, true));
  let upperAt = 96 + count * record;
  const nodes = Array.from({ length: count }, (_, id) => {
    const at = 96 + id * record;
    const dimensions = (labelIn - numbersIn) / 4;
    const numbers = Float32Array.from({ length: dimensions }, (_, d) => view.getFloat32(at + numbersIn + 4 * d, true));
    const upper = view.getUint32(upperAt, true);
    const links = [list(at)];
    for (let offset = 0; offset < upper; offset += 4 + 4 * m) links.push(list(upperAt + 4 + offset));
    upperAt += 4 + upper;
    return { numbers, links };
  });
  return { entry: view.getUint32(52, true), nodes };
}

/** Similarities of the nearest `width` that a search meets. */
export function searchPlainly({ entry, nodes }: PlainGraph, query: Float32Array, width: number): number[] {
  const distanceTo = (id: number) => 1 - nodes[id]!.numbers.reduce((sum, value, d) => sum + value * query[d]!, 0);
  let nearest = entry;
  for (let level = nodes[entry]!.links.length - 1; level > 0; level--) {
    for (let before = -1; before !== nearest; ) {
      before = nearest;
      for (const id of nodes[before]!.links[level]!) if (distanceTo(id) < distanceTo(nearest)) nearest = id;
    }
  }
  const met = new Set([nearest]);
  let candidates = [nearest];
  let found = [nearest];
  const byDistance = (a: number, b: number) => distanceTo(a) - distanceTo(b);
  for (let next = candidates.shift(); next !== undefined; next = candidates.shift()) {
    if (distanceTo(next) > distanceTo(found.at(-1)!)) break;
    for (const id of nodes[next]!.links[0]!) {
      if (met.has(id)) continue;
      met.add(id);
      if (found.length >= width && distanceTo(id) >= distanceTo(found.at(-1)!)) continue;
      candidates = [...candidates, id].sort(byDistance);
      found = [...found, id].sort(byDistance).slice(0, width);
    }
  }
  return found.map((id) => 1 - distanceTo(id));
}
