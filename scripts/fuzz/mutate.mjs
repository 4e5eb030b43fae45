// Random changes of an input.

/** Longer inputs are cut. */
export const MAX_BYTES = 8192;

const EDGES = [0x00, 0x01, 0x0a, 0x0d, 0x20, 0x22, 0x25, 0x26, 0x3c, 0x3d, 0x7f, 0x80, 0xbf, 0xc0, 0xed, 0xf4, 0xff];

/** Numbers in [0, 1) that follow from the seed alone: Mulberry32 by Tommy Ettinger (public domain). */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns a function that changes an input at random, with pieces of another input and of the dictionary. */
export function createMutator(random, dictionary) {
  const below = (limit) => Math.floor(random() * limit);
  const replaced = (bytes, from, to, ...pieces) =>
    Buffer.concat([bytes.subarray(0, from), ...pieces, bytes.subarray(to)]);
  const range = (bytes) => {
    const from = below(bytes.length + 1);
    return [from, Math.min(bytes.length, from + 1 + below(random() < 0.8 ? 16 : bytes.length + 1))];
  };
  const changes = [
    (bytes) => {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[below(copy.length)] ^= 1 << below(8);
      return copy;
    },
    (bytes) => {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[below(copy.length)] = random() < 0.5 ? below(256) : EDGES[below(EDGES.length)];
      return copy;
    },
    (bytes) => replaced(bytes, ...range(bytes)),
    (bytes) => {
      const at = below(bytes.length + 1);
      return replaced(bytes, at, at, Buffer.from([EDGES[below(EDGES.length)]]));
    },
    (bytes) => {
      const at = below(bytes.length + 1);
      return replaced(bytes, at, at, Buffer.from(Array.from({ length: 1 + below(8) }, () => below(256))));
    },
    // Copies a piece to another place.
    (bytes) => {
      const [from, to] = range(bytes);
      const at = below(bytes.length + 1);
      return replaced(bytes, at, at, bytes.subarray(from, to));
    },
    // Repeats a piece many times: finds code whose time grows faster than its input.
    (bytes) => {
      const [from, to] = range(bytes);
      return replaced(
        bytes,
        to,
        to,
        ...Array.from({ length: 1 << below(random() < 0.9 ? 4 : 10) }, () => bytes.subarray(from, to)),
      );
    },
    (bytes, other) => {
      const [from, to] = range(other);
      return replaced(bytes, ...range(bytes), other.subarray(from, to));
    },
    ...(dictionary.length === 0 ? [] : [word, word, word]),
  ];
  function word(bytes) {
    const at = below(bytes.length + 1);
    const [, end] = random() < 0.5 ? [at, at] : range(bytes);
    return replaced(bytes, at, Math.max(at, end), dictionary[below(dictionary.length)]);
  }
  return (input, other) => {
    let bytes = input;
    for (let left = 1 << below(5); left > 0; left--)
      bytes = changes[below(changes.length)](bytes, other).subarray(0, MAX_BYTES);
    return bytes;
  };
}
