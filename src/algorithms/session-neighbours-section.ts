import type { Section, SectionArray } from "./section.js";
import type { SessionNeighbours } from "./session-neighbours.js";
import { BROWSING, type SessionParams } from "./session-params.js";

const FORMAT = 1;
const PARAM_NAMES = Object.keys(BROWSING) as readonly (keyof SessionParams)[];

export function encodeSessionNeighbours(model: SessionNeighbours): Section {
  const arrays: Record<string, SectionArray> = {
    offsets: model.sessions.offsets,
    items: model.sessions.items,
    sessionWeights: model.sessionWeights,
    postingOffsets: model.postingOffsets,
    postings: model.postings,
    similarityIdf: model.similarityIdf,
    scoreIdf: model.scoreIdf,
  };
  if (model.strengths) arrays.strengths = model.strengths;
  return { formatNumber: FORMAT, numbers: { productCount: model.productCount, ...model.params }, arrays };
}

/** Throws an Error for a section of another format or with a part missing. */
export function decodeSessionNeighbours({ formatNumber, numbers, arrays }: Section): SessionNeighbours {
  if (formatNumber !== FORMAT) throw new Error(`Session neighbours of format ${formatNumber} are not known`);
  const number = (name: string): number => {
    const value = numbers[name];
    if (value === undefined) throw new Error(`Session neighbours lack the number ${name}`);
    return value;
  };
  const { strengths } = arrays;
  if (strengths !== undefined && !(strengths instanceof Float32Array)) throw lacking("strengths");
  const params = { ...BROWSING };
  for (const name of PARAM_NAMES) Object.assign(params, { [name]: number(name) });
  return {
    params,
    productCount: number("productCount"),
    sessions: { offsets: whole(arrays.offsets, "offsets"), items: whole(arrays.items, "items") },
    strengths,
    sessionWeights: real(arrays.sessionWeights, "sessionWeights"),
    postingOffsets: whole(arrays.postingOffsets, "postingOffsets"),
    postings: whole(arrays.postings, "postings"),
    similarityIdf: real(arrays.similarityIdf, "similarityIdf"),
    scoreIdf: real(arrays.scoreIdf, "scoreIdf"),
  };
}

function whole(array: SectionArray | undefined, name: string): Uint32Array {
  if (!(array instanceof Uint32Array)) throw lacking(name);
  return array;
}

function real(array: SectionArray | undefined, name: string): Float32Array {
  if (!(array instanceof Float32Array)) throw lacking(name);
  return array;
}

function lacking(name: string): Error {
  return new Error(`Session neighbours lack the array ${name}`);
}
