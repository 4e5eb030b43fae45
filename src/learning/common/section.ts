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
