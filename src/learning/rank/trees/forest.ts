/**
 * Trees as flat arrays: a score is the sum over the trees of the leaf a row falls into. Nodes of a tree lie one after
 * the other with the root first.
 */
import type { Section } from "../../common/section.js";
import { createSectionReader } from "../../common/section.js";

export interface Forest {
  readonly featureCount: number;
  /** Node of the root of each tree. */
  readonly roots: Uint32Array;
  /** Feature asked by each node; not used by leaves. */
  readonly features: Uint32Array;
  /** A row goes left when its value is at most this. In a leaf: what it adds to the score. */
  readonly values: Float32Array;
  /** Where a row goes that is at most the value; 0 in a leaf. The other way lies right behind it. */
  readonly lefts: Uint32Array;
}

export function treeCount(forest: Forest): number {
  return forest.roots.length;
}

/** One forest with the trees of both, whose score is the sum of theirs. */
export function joinForests(first: Forest, second: Forest): Forest {
  const nodes = first.values.length;
  const joined = (a: Uint32Array, b: Uint32Array) => Uint32Array.of(...a, ...b);
  return {
    featureCount: first.featureCount,
    roots: joined(
      first.roots,
      second.roots.map((root) => root + nodes),
    ),
    features: joined(first.features, second.features),
    values: Float32Array.of(...first.values, ...second.values),
    lefts: joined(
      first.lefts,
      second.lefts.map((left) => (left === 0 ? 0 : left + nodes)),
    ),
  };
}

const FORMAT = 1;

export function encodeForest(forest: Forest): Section {
  const { featureCount, roots, features, values, lefts } = forest;
  return { formatNumber: FORMAT, numbers: { featureCount }, arrays: { roots, features, values, lefts } };
}

/** Throws an Error for a section of another format, with a part missing, or whose nodes lead out of it or back. */
export function decodeForest(section: Section): Forest {
  const read = createSectionReader("Boosted trees", FORMAT, section);
  const forest: Forest = {
    featureCount: read.number("featureCount"),
    roots: read.uint32("roots"),
    features: read.uint32("features"),
    values: read.float32("values"),
    lefts: read.uint32("lefts"),
  };
  const { features, values, lefts, roots, featureCount } = forest;
  const nodes = values.length;
  const sound =
    features.length === nodes &&
    lefts.length === nodes &&
    roots.every((root) => root < nodes) &&
    features.every((feature) => feature < featureCount) &&
    lefts.every((left, node) => left === 0 || (left > node && left + 1 < nodes));
  if (!sound) throw new Error("Boosted trees have nodes that do not fit");
  return forest;
}
