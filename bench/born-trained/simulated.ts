/**
 * Simulated shops of many kinds and sizes, to learn a forest from that may be shipped. Products lie in groups. A visitor
 * is interested in a group and a taste within it, and goes on to what is near, popular or beside it on the shelf. At times
 * the visitor looks again, or turns to a related group, to a promotion or to anything. Products come and go.
 * How much of each there is differs from shop to shop and is drawn by the seed.
 */
import { createRandom } from "../../src/learning/common/random.js";
import { type Shop, type ShopSession, shopOf } from "./shops.js";

const DAY = 86_400_000;
const BEGIN = Date.UTC(2026, 0, 1);
const DIMENSIONS = 3;
const RELATED = 4;
/** The greatest chance of a look at the same product again. */
const MOST_AGAIN = 0.8;
/** Steps after which a product draws back a third as much. */
const RECENT = 2.5;

/** What one shop is like. Shares and chances are 0 to 1. */
export interface Habits {
  readonly products: number;
  readonly sessions: number;
  readonly days: number;
  readonly groupSize: number;
  /** Powers of the rank by which groups, and products of a group, are popular. */
  readonly groupSkew: number;
  readonly productSkew: number;
  /** Steps of a mean visit, and the share of the visits that end after the first. */
  readonly length: number;
  readonly bounce: number;
  /** Chances of a step: the same product again, one seen before, the next of the shelf, another group, anything, a promotion. */
  readonly again: number;
  readonly back: number;
  readonly shelf: number;
  /** Chance that after a return the same product follows as before; how much what was seen often draws back. */
  readonly retrace: number;
  readonly often: number;
  readonly turn: number;
  readonly anything: number;
  readonly promoted: number;
  /** How narrow tastes are. */
  readonly narrow: number;
  /** Share of the products that are not sold all the time. */
  readonly passing: number;
}

/** From what the forest that ships is learned. */
export const SHIPPED_OPTIONS = { shops: 80, questionsPerShop: 250, seed: 20_261_124 } as const;

/** Larger shops learn from their own visits, and take more time to simulate. */
const MOST_SESSIONS = 5_000;

/** Shops of the first seeds whose habits make no large shop. */
export function simulatedShops(count: number): Shop[] {
  const shops: Shop[] = [];
  for (let seed = 1; shops.length < count; seed++)
    if (drawHabits(seed).sessions <= MOST_SESSIONS) shops.push(simulatedShop(seed));
  return shops;
}

/** What the shop of a seed is like. */
export function drawHabits(seed: number): Habits {
  const random = createRandom(seed);
  const between = (low: number, high: number) => low + (high - low) * random();
  const byPowers = (low: number, high: number) => low * (high / low) ** random();
  const sessions = Math.round(byPowers(200, 12_000));
  const returning = random() < 0.35;
  return {
    sessions,
    products: Math.max(60, Math.round(sessions * byPowers(0.2, 10))),
    days: byPowers(7, 180),
    groupSize: byPowers(10, 150),
    groupSkew: between(0.3, 1),
    productSkew: between(0.3, 1),
    length: returning ? byPowers(4, 12) : byPowers(2.5, 7),
    bounce: random() < 0.5 ? 0 : between(0, 0.5),
    again: random() < 0.1 ? 0 : between(0.05, 0.45),
    back: returning ? between(0.2, 0.55) : between(0.05, 0.25),
    shelf: between(0, 0.3),
    retrace: between(0, 0.2),
    often: between(0, 1.2),
    turn: between(0.05, 0.35),
    anything: between(0.03, 0.3),
    promoted: random() < 0.5 ? 0 : between(0, 0.1),
    narrow: byPowers(0.5, 10),
    passing: between(0, 0.6),
  };
}

/** The shop of a seed. Same seed, same visits. */
export function simulatedShop(seed: number, habits: Habits = drawHabits(seed)): Shop {
  return shopOf(`simulation ${seed}`, simulate(habits, createRandom(seed ^ 0x5eed)));
}

interface Product {
  readonly id: string;
  readonly group: number;
  readonly place: Float64Array;
  readonly popularity: number;
  /** Share of the time at which it comes and goes. */
  readonly from: number;
  readonly until: number;
}

interface Group {
  readonly products: readonly Product[];
  readonly popularity: number;
  readonly related: readonly number[];
}

function simulate(habits: Habits, random: () => number): ShopSession[] {
  const groups = createGroups(habits, random);
  const all = groups.flatMap(({ products }) => products);
  const begins = Array.from({ length: habits.sessions }, () => random()).sort((a, b) => a - b);
  let promoted: readonly Product[] = [];
  return begins.map((time, s) => {
    if (s % Math.ceil(habits.sessions / 12) === 0)
      promoted = Array.from({ length: 3 }, () => pick(all, () => 1, random));
    const items = visit({ habits, groups, all, promoted, random }, time).map(({ id }) => id);
    return { items, endedAt: BEGIN + Math.round(time * habits.days * DAY) };
  });
}

interface Scene {
  readonly habits: Habits;
  readonly groups: readonly Group[];
  readonly all: readonly Product[];
  readonly promoted: readonly Product[];
  readonly random: () => number;
}

function visit({ habits, groups, all, promoted, random }: Scene, time: number): Product[] {
  const isSold = ({ from, until }: Product) => time >= from && time <= until;
  const taste = normals(random);
  let group = pick(groups, ({ popularity }) => popularity, random);
  const steps: Product[] = [];
  const chosen = (): Product =>
    pick(
      group.products,
      (one) => (isSold(one) && !steps.includes(one) ? one.popularity * nearness(one.place, taste, habits.narrow) : 0),
      random,
    );
  steps.push(chosen());
  if (random() < habits.bounce) return steps;
  // Some visitors look again and again, some look at anything, others never do.
  const again = Math.min(MOST_AGAIN, -Math.log(1 - random()) * habits.again);
  const back = Math.min(MOST_AGAIN, -Math.log(1 - random()) * habits.back);
  const more = 1 / Math.max(1.2, habits.length - 1);
  const anything = Math.min(MOST_AGAIN, -Math.log(1 - random()) * habits.anything);
  do {
    const last = steps.at(-1)!;
    let chance = random();
    const happens = (share: number) => {
      chance -= share;
      return chance < 0;
    };
    const before = steps.slice(0, -1).lastIndexOf(last);
    if (happens(again)) steps.push(last);
    else if (before >= 0 && steps[before + 1] !== last && random() < habits.retrace) steps.push(steps[before + 1]!);
    else if (happens(back) && steps.length > 1) steps.push(backTo(steps, habits.often, random));
    else if (happens(habits.promoted)) steps.push(pick(promoted, () => 1, random));
    else if (happens(anything)) steps.push(pick(all, (one) => (isSold(one) ? one.popularity : 0), random));
    else {
      if (random() < habits.turn) {
        group = groups[pick(group.related, () => 1, random)] ?? group;
        steps.push(chosen());
      } else steps.push(random() < habits.shelf ? besideOf(last, groups) : chosen());
    }
  } while (random() > more && steps.length < 60);
  return steps;
}

/** A product seen before, sooner one seen lately or often. */
function backTo(steps: readonly Product[], often: number, random: () => number): Product {
  const seen = new Map<Product, number>();
  const times = new Map<Product, number>();
  for (const [at, product] of steps.entries()) {
    times.set(product, (times.get(product) ?? 0) + 1);
    seen.set(product, times.get(product)! ** often * Math.exp((at - steps.length) / RECENT));
  }
  seen.delete(steps.at(-1)!);
  return seen.size === 0 ? steps[0]! : pick([...seen.keys()], (product) => seen.get(product)!, random);
}

function besideOf({ group, id }: Product, groups: readonly Group[]): Product {
  const { products } = groups[group]!;
  return products[(products.findIndex((one) => one.id === id) + 1) % products.length]!;
}

function createGroups(habits: Habits, random: () => number): Group[] {
  const count = Math.max(2, Math.round(habits.products / habits.groupSize));
  const centres = Array.from({ length: count }, () => normals(random));
  const sizes = Array.from({ length: count }, () => 0.3 + random() ** 2 * 3);
  const total = sizes.reduce((a, b) => a + b, 0);
  return sizes.map((size, group) => {
    const length = Math.max(2, Math.round((habits.products * size) / total));
    const products = Array.from({ length }, (_, rank): Product => {
      const isPassing = random() < habits.passing;
      const from = isPassing ? random() * 1.2 - 0.2 : 0;
      return {
        id: `${group}.${rank}`,
        group,
        place: normals(random),
        popularity: (1 + Math.floor(random() * length)) ** -habits.productSkew,
        from,
        until: isPassing ? from + 0.1 + random() : 1,
      };
    });
    const related = [...centres.keys()]
      .filter((other) => other !== group)
      .sort((a, b) => distance(centres[a]!, centres[group]!) - distance(centres[b]!, centres[group]!))
      .slice(0, RELATED);
    const popularity = length * (1 + Math.floor(random() * count)) ** -habits.groupSkew;
    return { products, popularity, related };
  });
}

function nearness(place: Float64Array, taste: Float64Array, narrow: number): number {
  return Math.exp((-narrow * distance(place, taste)) / DIMENSIONS) + 1e-9;
}

function distance(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, d) => sum + (value - b[d]!) ** 2, 0);
}

function normals(random: () => number): Float64Array {
  return Float64Array.from(
    { length: DIMENSIONS },
    () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
}

/** One of the list, as often as its weight says; any when all weights are 0. */
function pick<T>(list: readonly T[], weightOf: (one: T) => number, random: () => number): T {
  let total = 0;
  for (const one of list) total += weightOf(one);
  let left = random() * total;
  for (const one of list) {
    left -= weightOf(one);
    if (left < 0) return one;
  }
  return list[Math.floor(random() * list.length)]!;
}
