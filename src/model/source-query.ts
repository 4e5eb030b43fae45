import type { Purchases } from "../algorithms/cart-candidates.js";
import type { SourceQuery } from "./source.js";

const MAX_ANTECEDENTS = 20;
const MAX_ANCHORS = 5;

/** What a visitor met, in a model's product indices. */
export interface VisitorSituation {
  /** Ends with what is being viewed; see `SourceQuery.session`. */
  readonly session: SourceQuery["session"];
  /** Products being viewed, the first one of the page first. */
  readonly here: readonly number[];
  /** Oldest first. */
  readonly cart: readonly number[];
  /** What was viewed last, else met last; undefined for nothing. */
  readonly last: number | undefined;
  readonly purchases?: Purchases | undefined;
}

/** What sources are asked in a situation: the same in serving as where their weights are learned. */
export function situationQuery({ session, here, cart, last, purchases }: VisitorSituation): SourceQuery {
  const anchor = here.length > 0 ? here : last === undefined ? [] : [last];
  return {
    session,
    antecedents: Uint32Array.from(new Set([...here, ...[...cart].reverse(), ...[...session.items].reverse()])).slice(
      0,
      MAX_ANTECEDENTS,
    ),
    basket: Uint32Array.from(new Set(cart.length > 0 ? [...cart, ...here] : anchor)),
    hasCart: cart.length > 0,
    isViewing: here.length > 0,
    purchases: here.length === 0 ? purchases : undefined,
    anchor: Uint32Array.from(anchor.slice(0, MAX_ANCHORS)),
  };
}
