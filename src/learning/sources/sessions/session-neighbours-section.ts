import type { Section, SectionArray } from "../../common/section.js";
import { createSectionReader } from "../../common/section-reader.js";
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
  return {
    formatNumber: FORMAT,
    numbers: { productCount: model.productCount, learned: model.learned, ...model.params },
    arrays,
  };
}

/** Throws an Error for a section of another format, or with a part missing or unfit. */
export function decodeSessionNeighbours(section: Section): SessionNeighbours {
  const reader = createSectionReader("Session neighbours", FORMAT, section);
  const params: Record<keyof SessionParams, number> = { ...BROWSING };
  for (const name of PARAM_NAMES) params[name] = reader.number(name);
  const productCount = reader.number("productCount");
  const items = reader.uint32("items");
  const sessionWeights = reader.float32("sessionWeights");
  const postings = reader.uint32("postings");
  reader.rows("offsets", sessionWeights.length, items.length);
  reader.rows("postingOffsets", productCount, postings.length);
  return {
    params,
    productCount,
    // Before, all were kept.
    learned: Object.hasOwn(section.numbers, "learned") ? reader.number("learned") : sessionWeights.length,
    sessions: { offsets: reader.uint32("offsets"), items },
    strengths: Object.hasOwn(section.arrays, "strengths") ? reader.float32("strengths") : undefined,
    sessionWeights,
    postingOffsets: reader.uint32("postingOffsets"),
    postings,
    similarityIdf: reader.float32("similarityIdf"),
    scoreIdf: reader.float32("scoreIdf"),
  };
}
