/**
 * Questions with known answers, made of orders: what a cart ranking learns from and is judged on.
 *
 *   cart   one product of an order is to be found from all the others, or from the first alone
 *   order  a product of a customer's order is to be found from the customer's earlier orders
 */

import { type Rows, rowOf } from "../../common/rows.js";
import type { CartQuestion } from "./candidates.js";
import { purchasesOf } from "./purchases.js";

/** Marks an order without a known customer. */
export const NO_CUSTOMER = 0xffff_ffff;

/** Orders by time, each product once. */
export interface Orders {
  readonly baskets: Rows;
  /** ms. */
  readonly at: Float64Array;
  /** A number for each customer; `NO_CUSTOMER` if unknown. */
  readonly customers: Uint32Array;
}

export interface AnsweredQuestion {
  readonly question: CartQuestion;
  readonly answer: number;
  /** Further right answers, or products not to propose: they are no candidates of this question. */
  readonly leftOut: ReadonlySet<number>;
  /** Row of the order. */
  readonly row: number;
}

const HIDDEN = 4;
const FROM_FIRST = 1;
const NEW = 4;
const REPEATED = 2;

/** Questions about what completes the orders of rows `from` up to, not including, `to`. */
export function cartQuestions(orders: Orders, from: number, to: number, random: () => number): AnsweredQuestion[] {
  const found: AnsweredQuestion[] = [];
  for (let row = from; row < to; row++) {
    const products = rowOf(orders.baskets, row);
    if (products.length < 2) continue;
    for (const answer of draw([...products], HIDDEN, random)) {
      const items = products.filter((product) => product !== answer);
      found.push({ question: { items }, answer, leftOut: new Set(), row });
    }
    const rest = [...products.subarray(1)];
    const question = { items: products.slice(0, 1) };
    for (const answer of draw(rest, FROM_FIRST, random)) {
      const leftOut = new Set(rest.filter((product) => product !== answer));
      found.push({ question, answer, leftOut, row });
    }
  }
  return found;
}

/** Questions about orders of returning customers, rows `from` up to `to`: products new to them, and products bought again. */
export function orderQuestions(orders: Orders, from: number, to: number, random: () => number): AnsweredQuestion[] {
  const found: AnsweredQuestion[] = [];
  const history = new Map<number, { at: number; products: Uint32Array }[]>();
  const asked = new Set(orders.customers.subarray(from, to));
  for (let row = 0; row < to; row++) {
    const customer = orders.customers[row]!;
    if (customer === NO_CUSTOMER || !asked.has(customer)) continue;
    const products = rowOf(orders.baskets, row);
    const at = orders.at[row]!;
    const earlier = history.get(customer) ?? [];
    if (row >= from && earlier.length > 0) {
      const purchases = purchasesOf(earlier, at);
      const question = { items: purchases.products, purchases };
      const bought = new Set(purchases.products);
      const ask = (answer: number, leftOut: ReadonlySet<number>) => found.push({ question, answer, leftOut, row });
      const fresh = [...products].filter((product) => !bought.has(product));
      const again = [...products].filter((product) => bought.has(product));
      for (const answer of draw(fresh, NEW, random)) ask(answer, without(new Set([...bought, ...fresh]), answer));
      for (const answer of draw(again, REPEATED, random)) ask(answer, without(new Set(products), answer));
    }
    earlier.push({ at, products });
    history.set(customer, earlier);
  }
  return found;
}

function without(products: Set<number>, product: number): Set<number> {
  products.delete(product);
  return products;
}

/** Up to `count` of the products, with equal probability; the list is shuffled. */
function draw(products: number[], count: number, random: () => number): number[] {
  for (let i = 0; i < Math.min(count, products.length); i++) {
    const at = i + Math.floor(random() * (products.length - i));
    [products[i], products[at]] = [products[at]!, products[i]!];
  }
  return products.slice(0, count);
}
