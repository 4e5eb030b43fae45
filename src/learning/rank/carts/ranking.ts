/** The ranking of candidates: by boosted trees that start from the sources' scores, or by one source alone. */
import { decodeItemGraph, encodeItemGraph, type ItemGraph } from "../../common/item-graph.js";
import type { Section, SectionArray } from "../../common/section.js";
import { createSectionReader, UnknownFormat } from "../../common/section.js";
import type { CartSales } from "../../sources/carts/sales.js";
import { decodeForest, encodeForest, type Forest } from "../trees/forest.js";
import { createForestScorer } from "../trees/forest-scorer.js";
import { CART_FEATURES } from "./features.js";

/** Who ranks candidates: the trees, or one source alone. The numbers are part of the snapshot. */
export const CART_LEADS = ["trees", "ridge", "neighbours", "ridge_and_neighbours", "confidence"] as const;
export type CartLead = (typeof CART_LEADS)[number];

/** The ranking for one kind of question. */
export interface CartOrder {
  readonly lead: CartLead;
  /** Without trees unless these lead. */
  readonly forest: Forest;
  /** Questions judged on the newest orders. */
  readonly judged: number;
  /**
   * On these questions: share of answers among the first 20, and mean of 1 / rank, of the trees and of the best source
   * alone.
   */
  readonly hitRate: number;
  readonly reciprocalRank: number;
  readonly bestSource: CartLead;
  readonly bestSourceHitRate: number;
  readonly bestSourceReciprocalRank: number;
}

export interface CartRanking {
  /** Ranks complements of a cart. */
  readonly cart: CartOrder;
  /** Ranks the next order of a returning customer. */
  readonly customer: CartOrder;
}

export const EMPTY_FOREST: Forest = {
  featureCount: CART_FEATURES.length,
  roots: new Uint32Array(0),
  features: new Uint32Array(0),
  values: new Float32Array(0),
  lefts: new Uint32Array(0),
};

/** Gives each row of features a score, larger is better. */
export type LeadScorer = (rows: Float32Array) => Float64Array;

export function createLeadScorer(lead: CartLead, forest: Forest): LeadScorer {
  if (lead === "trees") {
    const addScores = createForestScorer(forest);
    return (rows) => {
      const scores = Float64Array.from(startingScores(rows));
      addScores(rows, scores.length, scores);
      return scores;
    };
  }
  const width = CART_FEATURES.length;
  const columns = COLUMNS[lead].map((name) => CART_FEATURES.indexOf(name));
  return (rows) =>
    Float64Array.from({ length: rows.length / width }, (_, r) =>
      columns.reduce((sum, column) => sum + rows[r * width + column]!, 0),
    );
}

/** Start scores of the trees: the logarithm of ridge weights and neighbours together, nearly a probability. */
export function startingScores(rows: Float32Array): Float32Array {
  const width = CART_FEATURES.length;
  return Float32Array.from({ length: rows.length / width }, (_, r) =>
    Math.log(Math.max(LEAST_SHARE, rows[r * width + RIDGE]! + rows[r * width + NEIGHBOURS]!)),
  );
}

const RIDGE = CART_FEATURES.indexOf("ridge");
const NEIGHBOURS = CART_FEATURES.indexOf("neighbours");
const LEAST_SHARE = 1e-3;

const COLUMNS = {
  ridge: ["ridge"],
  neighbours: ["neighbours"],
  ridge_and_neighbours: ["ridge", "neighbours"],
  confidence: ["confidence"],
} as const satisfies Record<Exclude<CartLead, "trees">, readonly (typeof CART_FEATURES)[number][]>;

const FORMAT = 2;
const QUESTIONS = ["cart", "customer"] as const;

/** A ranking with what it alone looks at. */
export interface CartRankingParts {
  readonly ranking: CartRanking;
  readonly sales: CartSales;
  readonly near: ItemGraph;
}

export function encodeCartRanking({ ranking, sales, near }: CartRankingParts): Section {
  const numbers: Record<string, number> = { features: CART_FEATURES.length, productCount: sales.overall.length };
  const arrays: Record<string, SectionArray> = { ...sales };
  for (const [name, array] of Object.entries(encodeItemGraph(near).arrays)) arrays[`near.${name}`] = array;
  for (const question of QUESTIONS) {
    const order = ranking[question];
    numbers[`${question}.lead`] = CART_LEADS.indexOf(order.lead);
    numbers[`${question}.bestSource`] = CART_LEADS.indexOf(order.bestSource);
    for (const figure of FIGURES) numbers[`${question}.${figure}`] = order[figure];
    for (const [name, array] of Object.entries(encodeForest(order.forest).arrays))
      arrays[`${question}.${name}`] = array;
  }
  return { formatNumber: FORMAT, numbers, arrays };
}

const FIGURES = [
  "judged",
  "hitRate",
  "reciprocalRank",
  "bestSourceHitRate",
  "bestSourceReciprocalRank",
] as const satisfies readonly (keyof CartOrder)[];

/** Throws UnknownFormat for a section of another format or other features, an Error for one that does not fit. */
export function decodeCartRanking(section: Section): CartRankingParts {
  const read = createSectionReader("Cart rankings", FORMAT, section);
  const features = read.number("features");
  if (features !== CART_FEATURES.length) throw new UnknownFormat(`Cart rankings of ${features} features are not known`);
  const productCount = read.number("productCount");
  const float32 = (name: string): Float32Array => {
    const array = read.float32(name);
    if (array.length !== productCount) throw new Error(`Cart rankings have an array that does not fit: ${name}`);
    return array;
  };
  const lead = (name: string) => {
    const found = CART_LEADS[read.number(name)];
    if (found === undefined) throw new Error(`Cart rankings have a lead that is not known: ${name}`);
    return found;
  };
  const order = (question: (typeof QUESTIONS)[number]): CartOrder => ({
    lead: lead(`${question}.lead`),
    bestSource: lead(`${question}.bestSource`),
    judged: read.number(`${question}.judged`),
    hitRate: read.number(`${question}.hitRate`),
    reciprocalRank: read.number(`${question}.reciprocalRank`),
    bestSourceHitRate: read.number(`${question}.bestSourceHitRate`),
    bestSourceReciprocalRank: read.number(`${question}.bestSourceReciprocalRank`),
    forest: decodeForest({
      formatNumber: 1,
      numbers: { featureCount: features },
      arrays: {
        roots: read.uint32(`${question}.roots`),
        features: read.uint32(`${question}.features`),
        values: read.float32(`${question}.values`),
        lefts: read.uint32(`${question}.lefts`),
      },
    }),
  });
  const near = decodeItemGraph({
    formatNumber: 1,
    numbers: {},
    arrays: {
      offsets: read.uint32("near.offsets"),
      items: read.uint32("near.items"),
      weights: read.float32("near.weights"),
    },
  });
  if (near.edges.offsets.length !== productCount + 1) throw new Error("Cart rankings have a graph that does not fit");
  return {
    ranking: { cart: order("cart"), customer: order("customer") },
    sales: {
      overall: float32("overall"),
      days90: float32("days90"),
      days30: float32("days30"),
      days7: float32("days7"),
      firstDays: float32("firstDays"),
      lastDays: float32("lastDays"),
    },
    near,
  };
}
