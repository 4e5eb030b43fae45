export type SectionArray = Uint8Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/**
 * A fitted value as plain arrays, the form in which snapshots keep it. Decoding a section gives a value that answers
 * exactly as the encoded one; a section of an unknown format number is refused with an Error.
 */
export interface Section {
  readonly formatNumber: number;
  readonly numbers: Readonly<Record<string, number>>;
  readonly arrays: Readonly<Record<string, SectionArray>>;
}

/** Typed reads from a section; each throws an Error that names the missing or unfit part. */
export interface SectionReader {
  number(name: string): number;
  uint32(name: string): Uint32Array;
  float32(name: string): Float32Array;
  /** Checks that an array holds the offsets of so many rows over so many items. */
  rows(name: string, rowCount: number, itemCount: number): void;
}

/** A section that another version of this program wrote: sound, but not to be read by this one. */
export class UnknownFormat extends Error {}

/** Throws UnknownFormat when the section's format is another one. `what` opens the error texts. */
export function createSectionReader(what: string, formatNumber: number, section: Section): SectionReader {
  if (section.formatNumber !== formatNumber)
    throw new UnknownFormat(`${what} of format ${section.formatNumber} are not known`);
  const array = (name: string): SectionArray | undefined =>
    Object.hasOwn(section.arrays, name) ? section.arrays[name] : undefined;
  const uint32 = (name: string): Uint32Array => {
    const found = array(name);
    if (!(found instanceof Uint32Array)) throw new Error(`${what} lack the array ${name}`);
    return found;
  };
  return {
    number(name) {
      const found = Object.hasOwn(section.numbers, name) ? section.numbers[name] : undefined;
      if (found === undefined) throw new Error(`${what} lack the number ${name}`);
      return found;
    },
    uint32,
    float32(name) {
      const found = array(name);
      if (!(found instanceof Float32Array)) throw new Error(`${what} lack the array ${name}`);
      return found;
    },
    rows(name, rowCount, itemCount) {
      const offsets = uint32(name);
      if (offsets.length !== rowCount + 1 || offsets[0] !== 0 || offsets.at(-1) !== itemCount)
        throw new Error(`${what} have rows that do not fit: ${name}`);
    },
  };
}
