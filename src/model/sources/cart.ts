import { NO_CANDIDATES } from "../../algorithms/candidates.js";
import { type CartComplements, complementsOf, explainComplement } from "../../algorithms/cart-complements.js";
import type { Source } from "../source.js";

/** Complements of the whole cart; with an empty cart, of what is being viewed. They say nothing about alternatives. */
export function cartSource(fitted: CartComplements): Source {
  return {
    name: "cart",
    complements: (query, k) => (query.basket.length === 0 ? NO_CANDIDATES : complementsOf(fitted, query.basket, k)),
    alternatives: () => NO_CANDIDATES,
    explain: (query, list, product) =>
      list === "recommended" && query.basket.length > 0 ? explainComplement(fitted, query.basket, product) : undefined,
  };
}
