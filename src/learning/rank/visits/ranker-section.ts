import { decodeItemGraph, encodeItemGraph } from "../../common/item-graph.js";
import type { Section } from "../../common/section.js";
import { createSectionReader } from "../../common/section.js";
import type { SessionNeighbours } from "../../sources/sessions/session-neighbours.js";
import { decodeForest, encodeForest } from "../trees/forest.js";
import { FEATURE_COUNT, FEATURES_FORMAT } from "./feature-names.js";
import type { Ranker } from "./ranker.js";
import { STATS } from "./ranker-sources.js";

export const RANKER_PARTS = ["near", "products", "trees"] as const;

/** A ranker's parts by name, without its neighbours, which are kept once for all who ask them. */
export type RankerSections = Readonly<Record<(typeof RANKER_PARTS)[number], Section>>;

export function encodeRanker({ sources, forest }: Ranker): RankerSections {
  const { near, embedding, embeddedBy, stats } = sources;
  const { dimensions, vectors, placeWeights, productWeights } = embedding;
  return {
    near: encodeItemGraph(near),
    products: {
      formatNumber: FEATURES_FORMAT,
      numbers: { dimensions, byVisits: embeddedBy === "visits" ? 1 : 0 },
      arrays: { vectors, placeWeights, productWeights, stats },
    },
    trees: encodeForest(forest),
  };
}

/** Throws an Error for parts of another format, or that do not fit each other. */
export function decodeRanker(sections: RankerSections, neighbours: SessionNeighbours): Ranker {
  const read = createSectionReader("Ranked products", FEATURES_FORMAT, sections.products);
  const { productCount } = neighbours;
  const dimensions = read.number("dimensions");
  const embedding = {
    dimensions,
    vectors: read.float32("vectors"),
    placeWeights: read.float32("placeWeights"),
    productWeights: read.float32("productWeights"),
  };
  const stats = read.float32("stats");
  const near = decodeItemGraph(sections.near);
  const forest = decodeForest(sections.trees);
  if (
    near.edges.offsets.length !== productCount + 1 ||
    embedding.vectors.length !== productCount * dimensions ||
    embedding.productWeights.length !== productCount ||
    stats.length !== productCount * STATS.length ||
    forest.featureCount !== FEATURE_COUNT
  )
    throw new Error("Ranked products have numbers that do not fit");
  const sources = {
    neighbours,
    near,
    embedding,
    embeddedBy: read.number("byVisits") === 1 ? ("visits" as const) : ("graph" as const),
    stats,
  };
  return { sources, forest };
}
