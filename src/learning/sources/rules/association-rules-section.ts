import type { Section } from "../../common/section.js";
import { createSectionReader } from "../../common/section.js";
import type { Rules } from "./association-rules.js";

const FORMAT = 1;

export function encodeRules(rules: Rules): Section {
  const { basketCount, productCount, ...arrays } = rules;
  return { formatNumber: FORMAT, numbers: { basketCount, productCount }, arrays };
}

/** Throws an Error for a section of another format, with a part missing or with rows that do not fit each other. */
export function decodeRules(section: Section): Rules {
  const read = createSectionReader("Association rules", FORMAT, section);
  const rules: Rules = {
    basketCount: read.number("basketCount"),
    productCount: read.number("productCount"),
    productCounts: read.uint32("productCounts"),
    pairOffsets: read.uint32("pairOffsets"),
    pairSeconds: read.uint32("pairSeconds"),
    pairCounts: read.uint32("pairCounts"),
    offsets: read.uint32("offsets"),
    consequents: read.uint32("consequents"),
    counts: read.uint32("counts"),
  };
  read.rows("pairOffsets", rules.productCount, rules.pairSeconds.length);
  read.rows("offsets", rules.productCount + rules.pairSeconds.length, rules.consequents.length);
  return rules;
}
