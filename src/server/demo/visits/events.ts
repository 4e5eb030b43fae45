import { type Article, demoCatalogue } from "../catalogue.js";
import { createSeededRandom, type Random } from "./random.js";
import { createRecorder, type Track } from "./tracks.js";
import { type Shop, simulateVisit } from "./visit.js";
import { createVisitors, DEMO_VISITOR } from "./visitors.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The newest orders of fewer visits are too few to learn the weights of the cart from. */
const VISITS = 2000;
const VISITORS = 1050;

/** Relative number of visits in each hour of the day, UTC. */
const BY_HOUR = [2, 1, 1, 1, 1, 2, 4, 6, 8, 9, 9, 10, 12, 10, 9, 9, 10, 12, 15, 19, 20, 17, 10, 5];
const BUSIEST_HOUR = 20;

/** When and how much to simulate. */
export interface DemoEventsOptions {
  /** The same seed gives the same events, byte for byte. */
  readonly seed: number;
  /** No event is later, ms. */
  readonly until: number;
  /** Days before `until` over which the visits are spread. */
  readonly days: number;
}

/**
 * Simulated events of the demo shop: some 2,000 visits of some 800 people, in order of time. A few articles and a few
 * visitors are far busier than the others. Visitors view similar articles together and buy articles together that the
 * catalogue pairs. Articles out of stock are viewed, never bought.
 */
export function demoTracks({ seed, until, days }: DemoEventsOptions): readonly Track[] {
  const random = createSeededRandom(seed);
  const appeal = createAppeal(random);
  const visitors = createVisitors(VISITORS, random);
  let orders = 0;
  const shop: Shop = {
    random,
    appeal: (article) => appeal.get(article) ?? 0,
    newOrderId: () => `LF-${10_001 + orders++}`,
  };
  const starts = Array.from({ length: VISITS }, () => until - drawAge(random, until, days)).sort((a, b) => a - b);
  const tracks = scriptedVisits(until, days);
  for (const startAt of starts) {
    const visitor = random.pickWeighted(visitors, ({ eagerness }) => eagerness);
    tracks.push(...simulateVisit(shop, visitor, startAt));
  }
  return tracks.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
}

/** How long before `until` a visit begins, ms: more of them lately, at weekends and in the evening. */
function drawAge(random: Random, until: number, days: number): number {
  for (;;) {
    const age = random.next() ** 1.15 * days * DAY;
    const start = new Date(until - age);
    const weekend = start.getUTCDay() % 6 === 0 ? 1 : 0.75;
    const hour = (BY_HOUR[start.getUTCHours()] ?? 0) / BUSIEST_HOUR;
    if (random.chance(weekend * hour)) return Math.round(age);
  }
}

/**
 * How attractive each article is, by a random rank in its category: rank 2 has 0.57 of the weight of rank 1, and so on.
 * An article with others that go with it counts twice, so that even the rarest pair is bought by somebody.
 */
function createAppeal(random: Random): ReadonlyMap<Article, number> {
  const appeal = new Map<Article, number>();
  for (const category of demoCatalogue().categories) {
    const left = [...category.articles];
    for (let rank = 1; left.length > 0; rank++) {
      const [article] = left.splice(random.below(left.length), 1);
      if (article)
        appeal.set(article, ((article.inStock ? 1 : 0.4) * (article.goesWith.length > 0 ? 2 : 1)) / rank ** 0.8);
    }
  }
  return appeal;
}

/** The visits of `DEMO_VISITOR`, the same for every seed: subscribes, then buys a daypack with its rain cover. */
function scriptedVisits(until: number, days: number): Track[] {
  const before = (share: number) => until - Math.round(share * days * DAY);
  const first = createRecorder(DEMO_VISITOR, before(0.8), true);
  first.homepage();
  first.wait(20_000);
  first.category("packs");
  first.wait(30_000);
  for (const id of ["ramble-22", "ramble-28"]) {
    first.view(article(id));
    first.wait(40_000);
  }
  first.subscribe(true);

  const second = createRecorder(DEMO_VISITOR, before(0.5), true);
  second.view(article("ramble-22"));
  second.wait(30_000);
  second.addToCart(article("ramble-22"), 1);
  second.wait(15_000);
  second.addToCart(article("pack-cover-s"), 1);
  second.wait(60_000);
  second.order(
    "LF-10000",
    new Map([
      [article("ramble-22"), 1],
      [article("pack-cover-s"), 1],
    ]),
  );

  const third = createRecorder(DEMO_VISITOR, before(0.1), true);
  third.search("two person tent");
  for (const id of ["lark-1", "lark-2", "cloudbank-mat"]) {
    third.wait(25_000);
    third.view(article(id));
  }
  return [...first.tracks, ...second.tracks, ...third.tracks];
}

function article(id: string): Article {
  const found = demoCatalogue().articleById(id);
  if (found === undefined) throw new Error(`the demo shop does not sell ${id}`);
  return found;
}
