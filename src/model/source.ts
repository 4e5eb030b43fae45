import type { Candidates, Explanation } from "../algorithms/candidates.js";
import type { Purchases } from "../algorithms/cart-candidates.js";
import type { ProductText } from "../algorithms/embedder.js";
import type { BlendWeights } from "./blend-weights.js";

/** The kinds of algorithm a product can come from. */
export type SourceName = "association_rules" | "semantic" | "collaborative" | "cart" | "popularity";

/** A visitor's situation in the dense product indices of one model. Products the model does not know are left out. */
export interface SourceQuery {
  /** The visitor's sequence, oldest first, ending with what is being viewed now. */
  readonly session: {
    /** None twice in a row. */
    readonly items: Uint32Array;
    readonly weights: Float32Array;
    /** How often each was viewed in a row, 1 or more. */
    readonly runs: Uint32Array;
  };
  /** Products that rules start from, most relevant first. */
  readonly antecedents: Uint32Array;
  /** What complements are wanted to: the whole cart with the current products; without a cart the latter alone. */
  readonly basket: Uint32Array;
  /** True when the basket is a cart. */
  readonly hasCart: boolean;
  /** True on the page of a product the model knows. */
  readonly isViewing?: boolean;
  /** Given when the visitor did nothing but order, and views nothing: then the next order is wanted. */
  readonly purchases?: Purchases | undefined;
  /** What alternatives are alternatives to: the current products, else the last one viewed, else the last one met. */
  readonly anchor: Uint32Array;
  /** Texts of current products that came after the training, first one first: then alternatives are wanted to these. */
  readonly unseen?: readonly ProductText[] | undefined;
  /** When only these can be shown: a source that looks for products among all looks among these. By rising index. */
  readonly among?: Uint32Array | undefined;
}

/** The product alternatives are wanted to, when it is one and all that decides what they are; else undefined. */
export function loneAnchor({ anchor, unseen = [], among }: SourceQuery): number | undefined {
  return anchor.length === 1 && unseen.length === 0 && among === undefined ? anchor[0] : undefined;
}

/** One algorithm of a model, ready to answer. Synchronous and without side effects. */
export interface Source {
  readonly name: SourceName;
  /** Candidates for `recommended`. */
  complements(query: SourceQuery, k: number): Candidates;
  /** Candidates for `alternative`. */
  alternatives(query: SourceQuery, k: number): Candidates;
  /** Why it proposes a product; undefined when it does not. */
  explain(query: SourceQuery, list: List, productIndex: number): Explanation | undefined;
  /** True when its order of complements was learned for questions like this one: others then only add to its end. */
  isLearned?(query: SourceQuery): boolean;
}

export type List = "recommended" | "alternative";

/** Where texts lie among the products of a model. */
export interface TextPlacing {
  readonly dimensions: number;
  /** A unit vector; undefined when nothing of the text is known. */
  place(text: ProductText): Float32Array | undefined;
  /** The direction in which alternatives are looked for; undefined when none are wanted to anything. */
  direction(query: SourceQuery): Float32Array | undefined;
}

/** A model as recommending needs it. */
export interface ServingModel {
  readonly modelId: string;
  readonly productIds: readonly string[];
  indexOf(productId: string): number | undefined;
  readonly sources: readonly Source[];
  /** A product's unit vector, of one length for all; undefined when it has none. Absent in a model without texts. */
  readonly vectorOf?: ((productIndex: number) => Float32Array | undefined) | undefined;
  /** The space of product texts; absent in a model without texts. */
  readonly placing?: TextPlacing | undefined;
  /** Learned weights of the sources; undefined, also page by page, where there was too little to learn them from. */
  readonly blend?: BlendWeights | undefined;
  /** Product indices by falling popularity, all of them. */
  readonly byPopularity: Uint32Array;
  readonly popularity: Float32Array;
}
