import { createRandom } from "../common/random.js";
import { evenly, rowOf } from "../common/rows.js";
import { queryOf } from "../rank/visits/questions.js";
import type { BlendPage } from "../sources/blend-weights.js";
import type { SourceQuery } from "../sources/source.js";
import { situationQuery } from "../sources/source.js";
import type { Dataset } from "./dataset.js";
import { type HeldBackModel, visitsOf } from "./held-back-model.js";
import { CARTED, ORDERED } from "./history-sessions.js";

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
  const steps: Record<"browsing" | "browsing_with_cart", Step[]> = { browsing: [], browsing_with_cart: [] };
  for (const row of older.sessions) addSteps(data, older.isMet, row, steps);
  const random = createRandom(seed);
  const lines: Line[] = [];
  for (const row of older.orders) addLines(data, older.isMet, row, random, lines);
  // A large shop has millions of steps, so that only the chosen ones become questions.
  return {
    browsing: evenly(steps.browsing, MOST).map((step) => stepSituation(data, step)),
    browsing_with_cart: evenly(steps.browsing_with_cart, MOST).map((step) => stepSituation(data, step)),
    cart: evenly(lines, MOST).map((line) => lineSituation(data, older.isMet, line)),
  };
}

/** A step of a session that another one follows. */
interface Step {
  readonly session: number;
  /** Its place in the session. */
  readonly at: number;
}

function addSteps(
  data: Dataset,
  isMet: Uint8Array,
  session: number,
  found: Record<"browsing" | "browsing_with_cart", Step[]>,
): void {
  const begin = data.sessions.offsets[session]!;
  const end = data.sessions.offsets[session + 1]!;
  let hasCart = false;
  for (let at = begin; at + 1 < end; at++) {
    const marks = data.sessionMarks[at]!;
    if ((marks & CARTED) !== 0) hasCart = true;
    if ((marks & ORDERED) !== 0) hasCart = false;
    if (isMet[data.sessions.items[at + 1]!] !== 1) continue;
    found[hasCart ? "browsing_with_cart" : "browsing"].push({ session, at: at - begin });
  }
}

function stepSituation(data: Dataset, { session, at }: Step): FollowedSituation {
  const products = rowOf(data.sessions, session);
  const begin = data.sessions.offsets[session]!;
  let cart: number[] = [];
  for (let step = 0; step <= at; step++) {
    const marks = data.sessionMarks[begin + step]!;
    if ((marks & CARTED) !== 0 && !cart.includes(products[step]!)) cart.push(products[step]!);
    if ((marks & ORDERED) !== 0) cart = [];
  }
  const here = products[at]!;
  const answer = products[at + 1]!;
  const { items, runs } = queryOf(visitsOf(data), { session, at, run: data.sessionRuns[begin + at]!, next: answer });
  const isRepeat = items.includes(answer);
  const query = situationQuery({
    session: { items, runs, weights: new Float32Array(items.length).fill(1) },
    here: [here],
    cart,
    last: here,
  });
  return { query, answer, excluded: new Set(isRepeat ? [] : items), isRepeat, row: session };
}

/** A line of an order, to be found from the first line or from all others. */
interface Line {
  readonly row: number;
  readonly answer: number;
  readonly fromFirst: boolean;
}

/** One line drawn by the seed from all others, and one of those after the first from the first. */
function addLines(data: Dataset, isMet: Uint8Array, row: number, random: () => number, found: Line[]): void {
  const lines = knownLines(data, isMet, row);
  if (lines.length < 2) return;
  found.push({ row, answer: lines[Math.floor(random() * lines.length)]!, fromFirst: false });
  if (lines.length < 3) return;
  found.push({ row, answer: lines[1 + Math.floor(random() * (lines.length - 1))]!, fromFirst: true });
}

function lineSituation(data: Dataset, isMet: Uint8Array, { row, answer, fromFirst }: Line): FollowedSituation {
  const lines = knownLines(data, isMet, row);
  const others = lines.filter((line) => line !== answer);
  return {
    query: cartQuery(fromFirst ? lines.slice(0, 1) : others),
    answer,
    excluded: new Set(others),
    isRepeat: false,
    row,
  };
}

function knownLines(data: Dataset, isMet: Uint8Array, row: number): number[] {
  return [...rowOf(data.baskets, row)].filter((product) => isMet[product] === 1);
}

function cartQuery(cart: readonly number[]): SourceQuery {
  const session = {
    items: Uint32Array.from(cart),
    weights: new Float32Array(cart.length).fill(CART_WEIGHT),
    runs: new Uint32Array(cart.length).fill(1),
  };
  return situationQuery({ session, here: [], cart, last: cart.at(-1) });
}
