/**
 * The questions for every ranking: visits and orders cut before the product to predict. Products are indices of the
 * catalogue. Only the cold start task asks for products without interactions before the cut-off.
 */

import type { InteractionType } from "../../domain/interaction.js";
import { createRandom } from "../common/random.js";
import type { Customer, Visit } from "./visits.js";

export interface Step {
  readonly productId: string;
  readonly type: InteractionType;
  readonly at: number;
}

export interface Question {
  /** What the visitor did, oldest first. */
  readonly steps: readonly Step[];
  /** The product on the page; undefined for none. */
  readonly current: string | undefined;
  readonly now: number;
  /** What counts for recall and average precision: never empty. */
  readonly wanted: ReadonlySet<number>;
  /** The one answer that counts for hit rate and reciprocal rank; undefined: any wanted one. */
  readonly next: number | undefined;
  /** Left out of every ranking before it is judged. */
  readonly excluded: ReadonlySet<number>;
  /** Steps, order lines or orders known. */
  readonly length: number;
}

export interface Questions {
  readonly asked: readonly Question[];
  /** Questions there were before the draw. */
  readonly possible: number;
}

/** What questions are made from and with. */
export interface QuestionContext {
  readonly visits: readonly Visit[];
  readonly indexOf: (productId: string) => number | undefined;
  /** True for products met before the cut-off. */
  readonly isMet: (product: number) => boolean;
  readonly maxQueries: number;
  readonly seed: number;
}

const NONE: ReadonlySet<number> = new Set();
/** How long before the question a cart was filled, ms. */
const CART_AGE_MS = 60_000;

/**
 * After each step of a visit: which product comes next? The next one is the product of a view, or of a cart addition
 * that the visit did not hold yet. With `cold`, the next product is one that was not met before the cut-off, else one
 * that was.
 */
export function nextItemQuestions(
  context: QuestionContext,
  cold: boolean,
): Questions & { /** Of the possible ones, those whose answer is new to the visit. */ readonly possibleNew: number } {
  const { visits, indexOf, isMet } = context;
  const places: { readonly steps: readonly Step[]; readonly at: number }[] = [];
  let possibleNew = 0;
  for (const visit of visits) {
    const steps = stepsOf(visit);
    const seen = new Set<string>();
    for (const [at, { productId, type }] of steps.entries()) {
      const index = indexOf(productId);
      const isNew = !seen.has(productId);
      const isNext = type === "product_view" || (type === "add_to_cart" && isNew);
      seen.add(productId);
      if (at === 0 || !isNext || index === undefined || isMet(index) === cold) continue;
      places.push({ steps, at });
      if (isNew) possibleNew++;
    }
  }
  const asked = draw(places, context).map(({ steps, at }): Question => {
    const before = steps.slice(0, at);
    const last = before.at(-1)!;
    const later = steps.slice(at).map((step) => indexOf(step.productId));
    const wanted = later.filter((index) => index !== undefined).filter((index) => isMet(index) !== cold);
    return {
      steps: before,
      current: last.productId,
      now: last.at + 1,
      wanted: new Set(wanted),
      next: indexOf(steps[at]!.productId),
      excluded: NONE,
      length: before.filter((step, i) => step.productId !== before[i - 1]?.productId).length,
    };
  });
  return { asked, possible: places.length, possibleNew };
}

/** The same question with what the visitor met already out of the race; undefined when the answer is among it. */
export function newOnly(question: Question, indexOf: QuestionContext["indexOf"]): Question | undefined {
  const met = new Set(question.steps.map((step) => indexOf(step.productId)).filter((index) => index !== undefined));
  if (question.next === undefined || met.has(question.next)) return undefined;
  return { ...question, excluded: met, wanted: new Set([...question.wanted].filter((index) => !met.has(index))) };
}

/** Of each order of two lines or more, one line drawn by the seed is to be found from the others in the cart. */
export function hiddenLineQuestions(context: QuestionContext): Questions {
  const random = createRandom(context.seed);
  const hidden = ordersOf(context).map((order) => ({ ...order, hidden: Math.floor(random() * order.products.length) }));
  const asked = draw(hidden, context).map(({ products, at, hidden: line }) =>
    cartQuestion(
      products.filter((_, i) => i !== line),
      products.filter((_, i) => i === line),
      at,
    ),
  );
  return { asked, possible: hidden.length };
}

/** All lines after the first are to be found from the first. */
export function restOfOrderQuestions(context: QuestionContext): Questions {
  const orders = ordersOf(context);
  const asked = draw(orders, context).map(({ products, at }) =>
    cartQuestion(products.slice(0, 1), products.slice(1), at),
  );
  return { asked, possible: orders.length };
}

/** What customers order next, from their orders before the cut-off alone: what they bought may come again. */
export function nextOrderQuestions(
  customers: readonly Customer[],
  context: QuestionContext,
): Questions & { /** Of the possible ones, those with a product not bought before. */ readonly possibleNew: number } {
  const places = customers.flatMap((customer) => {
    const wanted = metProducts(customer.next.productIds, context).map(({ index }) => index);
    return wanted.length === 0 ? [] : [{ customer, wanted }];
  });
  const asked = draw(places, context).map(({ customer: { earlier, next }, wanted }): Question => {
    const steps = earlier.flatMap(({ type, at, productIds }) =>
      productIds.map((productId) => ({ productId, type, at })),
    );
    return {
      steps,
      current: undefined,
      now: next.at,
      wanted: new Set(wanted),
      next: undefined,
      excluded: NONE,
      length: earlier.length,
    };
  });
  const possibleNew = places.filter(({ customer: { earlier }, wanted }) => {
    const bought = new Set(earlier.flatMap(({ productIds }) => productIds.map(context.indexOf)));
    return wanted.some((index) => !bought.has(index));
  }).length;
  return { asked, possible: places.length, possibleNew };
}

/** The same question without what was bought before; undefined when nothing else is wanted. */
export function notBought(question: Question, indexOf: QuestionContext["indexOf"]): Question | undefined {
  const bought = new Set(question.steps.map((step) => indexOf(step.productId)).filter((index) => index !== undefined));
  const wanted = [...question.wanted].filter((index) => !bought.has(index));
  return wanted.length === 0 ? undefined : { ...question, excluded: bought, wanted: new Set(wanted) };
}

/** Each product of a class of two or more, asked with nothing else; wanted are the others of its class. */
export function similarQuestions(
  classes: ReadonlyMap<string, readonly OrderLine[]>,
  context: QuestionContext,
): Questions {
  const all = [...classes.values()].filter((members) => members.length > 1);
  const places = all.flatMap((members) => members.map((product) => ({ product, members })));
  const asked = draw(places, context).map(({ product, members }) => {
    const wanted = members.filter((member) => member !== product).map((member) => member.index);
    return productQuestion(product, wanted);
  });
  return { asked, possible: places.length };
}

/** Each product that others are named for, asked with nothing else; wanted are these. */
export function namedQuestions(
  named: readonly { readonly product: OrderLine; readonly wanted: readonly number[] }[],
  context: QuestionContext,
): Questions {
  const asked = draw(named, context).map(({ product, wanted }) => productQuestion(product, wanted));
  return { asked, possible: named.length };
}

function productQuestion(product: OrderLine, wanted: readonly number[]): Question {
  return {
    steps: [],
    current: product.productId,
    now: 0,
    wanted: new Set(wanted),
    next: undefined,
    excluded: new Set([product.index]),
    length: 0,
  };
}

/** A product under both its names. */
export interface OrderLine {
  readonly productId: string;
  readonly index: number;
}

function ordersOf(context: QuestionContext) {
  const orders: { readonly products: readonly OrderLine[]; readonly at: number }[] = [];
  for (const { type, productIds, at } of context.visits.flat()) {
    if (type !== "order") continue;
    const products = metProducts(productIds, context);
    if (products.length > 1) orders.push({ products, at });
  }
  return orders;
}

/** The products with interactions before the cut-off, each once. */
function metProducts(productIds: readonly string[], { indexOf, isMet }: QuestionContext): OrderLine[] {
  return [...new Set(productIds)].flatMap((productId): OrderLine[] => {
    const index = indexOf(productId);
    return index === undefined || !isMet(index) ? [] : [{ productId, index }];
  });
}

function cartQuestion(given: readonly OrderLine[], wanted: readonly OrderLine[], at: number): Question {
  return {
    steps: given.map(({ productId }, i) => ({ productId, type: "add_to_cart", at: at - CART_AGE_MS + i })),
    current: undefined,
    now: at,
    wanted: new Set(wanted.map(({ index }) => index)),
    next: undefined,
    excluded: new Set(given.map(({ index }) => index)),
    length: given.length,
  };
}

function stepsOf(visit: Visit): Step[] {
  return visit.flatMap(({ type, at, productIds }) => productIds.map((productId) => ({ productId, type, at })));
}

/** As many as may be asked, drawn by the seed, in their order. */
function draw<T>(all: readonly T[], { maxQueries, seed }: QuestionContext): readonly T[] {
  if (all.length <= maxQueries) return all;
  const random = createRandom(seed);
  const places = Uint32Array.from(all.keys());
  for (let i = 0; i < maxQueries; i++) {
    const at = i + Math.floor(random() * (all.length - i));
    [places[i], places[at]] = [places[at]!, places[i]!];
  }
  return Array.from(places.subarray(0, maxQueries).sort(), (place) => all[place]!);
}
