import type { Purchases } from "../rank/carts/purchases.js";
import type { SourceQuery } from "./source.js";

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
