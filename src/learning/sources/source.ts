import type { Candidates, Explanation } from "../common/candidates.js";
import type { Purchases } from "../rank/carts/purchases.js";
import type { ProductText } from "../text/embedder.js";
import type { BlendWeights } from "./blend-weights.js";
import type { DailyCounts } from "./popularity/daily-counts.js";

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
  /** Find complements to these: the cart with the current products; without a cart the current products alone. */
  readonly basket: Uint32Array;
  /** True when the basket is a cart. */
  readonly hasCart: boolean;
  /** True on the page of a product the model knows. */
  readonly isViewing?: boolean;
  /** Past orders of a visitor who only ordered and views nothing: predict the next order. */
  readonly purchases?: Purchases | undefined;
  /** Find alternatives to these: the current products, else the last one viewed, else the last one met. */
  readonly anchor: Uint32Array;
  /** Texts of current products newer than the model, in page order. If present, find alternatives to these. */
  readonly unseen?: readonly ProductText[] | undefined;
  /** Only these can be shown, by rising index. A source that searches all products searches these instead. */
  readonly among?: Uint32Array | undefined;
}

const MAX_ANTECEDENTS = 20;
const MAX_ANCHORS = 5;

/** A visitor's interactions, in a model's product indices. */
export interface VisitorSituation {
  /** Ends with the current products; see `SourceQuery.session`. */
  readonly session: SourceQuery["session"];
  /** Current products, the first one of the page first. */
  readonly here: readonly number[];
  /** Oldest first. */
  readonly cart: readonly number[];
  /**
   * The product viewed last, otherwise the last interaction; undefined for none. Ignored when there are current
   * products.
   */
  readonly last: number | undefined;
  readonly purchases?: Purchases | undefined;
}

/** Builds the query of the sources. Serving and weight learning share it, so both ask alike. */
export function situationQuery({ session, here, cart, last, purchases }: VisitorSituation): SourceQuery {
  const anchor = here.length > 0 ? here : last === undefined ? [] : [last];
  return {
    session,
    antecedents: antecedentsOf(session.items, here, cart),
    basket: distinct(cart.length > 0 ? [...cart, ...here] : anchor),
    hasCart: cart.length > 0,
    isViewing: here.length > 0,
    purchases: here.length === 0 ? purchases : undefined,
    anchor: Uint32Array.from(anchor.slice(0, MAX_ANCHORS)),
  };
}

/** Products being viewed, then the cart and the session, newest first. */
function antecedentsOf(session: Uint32Array, here: readonly number[], cart: readonly number[]): Uint32Array {
  const found: number[] = [];
  const add = (product: number) => {
    if (!found.includes(product)) found.push(product);
  };
  for (let i = 0; i < here.length && found.length < MAX_ANTECEDENTS; i++) add(here[i]!);
  for (let i = cart.length - 1; i >= 0 && found.length < MAX_ANTECEDENTS; i--) add(cart[i]!);
  for (let i = session.length - 1; i >= 0 && found.length < MAX_ANTECEDENTS; i--) add(session[i]!);
  return Uint32Array.from(found);
}

function distinct(products: readonly number[]): Uint32Array {
  return Uint32Array.from(products.length > 1 ? [...new Set(products)] : products);
}

/** The one product that alone decides the alternatives; undefined if anything else does. */
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
  /** Why the source proposes a product; undefined if it does not propose it. */
  explain(query: SourceQuery, list: List, productIndex: number): Explanation | undefined;
  /** True when its order of complements was learned for questions like this one: others then only add to its end. */
  isLearned?(query: SourceQuery): boolean;
  /** Orders with a product that others complete; 0 if none do. Called for many products of one request. */
  orderCount?(productIndex: number): number;
}

export type List = "recommended" | "alternative";

/** Where texts lie among the products of a model. */
export interface TextPlacing {
  readonly dimensions: number;
  /** A unit vector; undefined if the model knows nothing in the text. */
  place(text: ProductText): Float32Array | undefined;
  /** The search direction for alternatives; undefined if the query has no product to replace. */
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
  /** What was done with each product on each of the last days; absent in a model that did not count it. */
  readonly daily?: DailyCounts | undefined;
}
