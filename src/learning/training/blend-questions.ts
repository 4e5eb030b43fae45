import { createRandom } from "../common/random.js";
import { evenly, rowOf } from "../common/rows.js";
import type { BlendPage } from "../model/blend-weights.js";
import type { SourceQuery } from "../model/source.js";
import { situationQuery } from "../model/source-query.js";
import { queryOf } from "../ranking/reranker/questions.js";
import { CARTED, type Dataset, ORDERED } from "./dataset.js";
import { type HeldBackModel, visitsOf } from "./held-back-model.js";

/** A situation of the newest visits or orders, and what followed. */
export interface FollowedSituation {
  readonly query: SourceQuery;
  readonly answer: number;
  /** Not proposed, or right as well. */
  readonly excluded: ReadonlySet<number>;
  /** True when the visitor had met it already: nothing is learned from it. */
  readonly isRepeat: boolean;
  /** Row of the session or order it is of. */
  readonly row: number;
}

export type FollowedSituations = Readonly<Record<BlendPage, readonly FollowedSituation[]>>;

/** Most situations of a page that are asked. */
const MOST = 1_500;
/** As in serving: a cart addition says more than a view. */
const CART_WEIGHT = 1.5;

/**
 * The situations to learn a blend for. On product pages the target is the visitor's next new product: viewed, put into the
 * cart or ordered. Products seen before need no recommendation and come last in a list. New products of a visit are both
 * complements and substitutes, in the shares that visitors ask for. Steps back to seen products only judge, for frames
 * that show them again. In the cart the target is a line of the order, given the other lines or the first.
 */
export function followedSituations(data: Dataset, older: HeldBackModel, seed: number): FollowedSituations {
  const pages = { browsing: [], browsing_with_cart: [], cart: [] } satisfies Record<BlendPage, FollowedSituation[]>;
  const found: Record<BlendPage, FollowedSituation[]> = pages;
  for (const row of older.sessions) addSteps(data, older.isMet, row, found);
  const random = createRandom(seed);
  for (const row of older.orders) addLines(data, older.isMet, row, random, found.cart);
  return {
    browsing: evenly(found.browsing, MOST),
    browsing_with_cart: evenly(found.browsing_with_cart, MOST),
    cart: evenly(found.cart, MOST),
  };
}

function addSteps(
  data: Dataset,
  isMet: Uint8Array,
  session: number,
  found: Record<"browsing" | "browsing_with_cart", FollowedSituation[]>,
): void {
  const begin = data.sessions.offsets[session]!;
  const end = data.sessions.offsets[session + 1]!;
  let cart: number[] = [];
  for (let at = begin; at + 1 < end; at++) {
    const here = data.sessions.items[at]!;
    const marks = data.sessionMarks[at]!;
    if ((marks & CARTED) !== 0 && !cart.includes(here)) cart.push(here);
    if ((marks & ORDERED) !== 0) cart = [];
    const answer = data.sessions.items[at + 1]!;
    const { items, runs } = queryOf(visitsOf(data), {
      session,
      at: at - begin,
      run: data.sessionRuns[at]!,
      next: answer,
    });
    if (isMet[answer] !== 1) continue;
    const isRepeat = items.includes(answer);
    const query = situationQuery({
      session: { items, runs, weights: new Float32Array(items.length).fill(1) },
      here: [here],
      cart: [...cart],
      last: here,
    });
    found[cart.length > 0 ? "browsing_with_cart" : "browsing"].push({
      query,
      answer,
      excluded: new Set(isRepeat ? [] : items),
      isRepeat,
      row: session,
    });
  }
}

/** One line drawn by the seed from all others, and one of those after the first from the first. */
function addLines(
  data: Dataset,
  isMet: Uint8Array,
  row: number,
  random: () => number,
  found: FollowedSituation[],
): void {
  const lines = [...rowOf(data.baskets, row)].filter((product) => isMet[product] === 1);
  if (lines.length < 2) return;
  const hidden = lines[Math.floor(random() * lines.length)]!;
  const others = lines.filter((line) => line !== hidden);
  found.push({ query: cartQuery(others), answer: hidden, excluded: new Set(others), isRepeat: false, row });
  if (lines.length < 3) return;
  const rest = lines.slice(1);
  const answer = rest[Math.floor(random() * rest.length)]!;
  const excluded = new Set(lines);
  excluded.delete(answer);
  found.push({ query: cartQuery(lines.slice(0, 1)), answer, excluded, isRepeat: false, row });
}

function cartQuery(cart: readonly number[]): SourceQuery {
  const session = {
    items: Uint32Array.from(cart),
    weights: new Float32Array(cart.length).fill(CART_WEIGHT),
    runs: new Uint32Array(cart.length).fill(1),
  };
  return situationQuery({ session, here: [], cart, last: cart.at(-1) });
}
