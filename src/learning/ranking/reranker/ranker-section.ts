import { decodeItemGraph, encodeItemGraph, type ItemGraph } from "../../common/item-graph.js";
import type { Section } from "../../common/section.js";
import { createSectionReader, type SectionReader } from "../../common/section-reader.js";
import type { ItemVectors } from "../../session/item-vectors.js";
import type { SessionNeighbours } from "../../session/session-neighbours.js";
import { decodeForest, encodeForest } from "../gradient-boosting/forest.js";
import { FEATURE_COUNT, FEATURES_FORMAT } from "./feature-names.js";
import type { Ranker } from "./ranker.js";
import { STATS } from "./ranker-sources.js";

export const RANKER_PARTS = ["near", "next", "products", "trees"] as const;

/** A ranker's parts by name, without its neighbours, which are kept once for all who ask them. */
export type RankerSections = Readonly<Record<(typeof RANKER_PARTS)[number], Section>>;

export function encodeRanker({ sources, forest }: Ranker): RankerSections {
  const { near, next, vectors, stats, dimensions, learned } = sources;
  return {
    near: encodeItemGraph(near),
    next: encodeItemGraph(next),
    products: {
      formatNumber: FEATURES_FORMAT,
      numbers: { dimensions, learnedDimensions: learned?.dimensions ?? 0 },
      arrays: { vectors, stats, ...(learned && encodeLearned(learned)) },
    },
    trees: encodeForest(forest),
  };
}

/** Throws an Error for parts of another format, or that do not fit each other. */
export function decodeRanker(sections: RankerSections, neighbours: SessionNeighbours): Ranker {
  const read = createSectionReader("Ranked products", FEATURES_FORMAT, sections.products);
  const { productCount } = neighbours;
  const dimensions = read.number("dimensions");
  const vectors = read.float32("vectors");
  const stats = read.float32("stats");
  const graphOf = (section: Section): ItemGraph => {
    const graph = decodeItemGraph(section);
    if (graph.edges.offsets.length !== productCount + 1) throw new Error("Ranked products have graphs that do not fit");
    return graph;
  };
  const forest = decodeForest(sections.trees);
  if (
    vectors.length !== productCount * dimensions ||
    stats.length !== productCount * STATS.length ||
    forest.featureCount !== FEATURE_COUNT
  )
    throw new Error("Ranked products have numbers that do not fit");
  const sources = {
    neighbours,
    near: graphOf(sections.near),
    next: graphOf(sections.next),
    vectors,
    dimensions,
    stats,
    learned: decodeLearned(read, productCount),
  };
  return { sources, forest };
}

function encodeLearned({ vectors, placeWeights, productWeights }: ItemVectors) {
  return { learnedVectors: vectors, placeWeights, productWeights };
}

function decodeLearned(read: SectionReader, productCount: number): ItemVectors | undefined {
  const dimensions = read.number("learnedDimensions");
  if (dimensions === 0) return undefined;
  const vectors = read.float32("learnedVectors");
  const productWeights = read.float32("productWeights");
  if (vectors.length !== productCount * dimensions || productWeights.length !== productCount)
    throw new Error("Ranked products have learned vectors that do not fit");
  return { dimensions, vectors, placeWeights: read.float32("placeWeights"), productWeights };
}
