import { type Article, areVariants, demoCatalogue } from "../catalogue.js";
import type { Random } from "./random.js";
import { createRecorder, type Recorder, type Track } from "./tracks.js";
import { chooseProject, type Visitor } from "./visitors.js";

const SECOND = 1000;

/** Bought more than one at a time. */
const BY_THE_HANDFUL = new Set([
  "gas-230",
  "gas-450",
  "camp-meal",
  "hike-socks",
  "run-socks",
  "enamel-mug",
  "seal-bag-10",
]);

/** What all visits of one simulated shop share. */
export interface Shop {
  readonly random: Random;
  /** How attractive an article is; larger is more. */
  readonly appeal: (article: Article) => number;
  readonly newOrderId: () => string;
}

/**
 * One visit: a visitor views what a project still needs, compares similar articles, puts some and their accessories into
 * the cart, and orders or leaves. Changes the visitor's cart, plans and subscription.
 */
export function simulateVisit(shop: Shop, visitor: Visitor, startAt: number): Track[] {
  const { random } = shop;
  const signedIn = visitor.userId !== "" && random.chance(0.7);
  const recorder = createRecorder(visitor, startAt, signedIn);
  if (random.chance(0.35)) step(recorder, random, () => recorder.homepage());

  const open = visitor.project.needs.filter((need, index) => !visitor.met.has(index) && random.chance(need.chance));
  const patience = 1 + Math.floor(-Math.log(1 - random.next()) * 2.2);
  for (const need of open.slice(0, patience)) {
    visitor.met.add(visitor.project.needs.indexOf(need));
    lookFor(shop, visitor, recorder, need.articles);
  }
  if (random.chance(0.25)) lookFor(shop, visitor, recorder, random.pick(demoCatalogue().categories).articles);
  if (recorder.tracks.length === 0) {
    const glance = random.pickWeighted(random.pick(visitor.project.needs).articles, shop.appeal);
    step(recorder, random, () => recorder.view(glance));
  }
  checkOut(shop, visitor, recorder, signedIn);
  newsletter(random, visitor, recorder);
  return [...recorder.tracks];
}

/** Finds the shelf, compares two or three things that are alike, takes one or none. */
function lookFor(shop: Shop, visitor: Visitor, recorder: Recorder, shelf: readonly Article[]): void {
  const { random, appeal } = shop;
  const wanted = random.pickWeighted(shelf, appeal);
  const way = random.next();
  if (way < 0.25) step(recorder, random, () => recorder.search(random.pick(visitor.project.searches)));
  else if (way < 0.65) step(recorder, random, () => recorder.category(wanted.category));

  const seen = [wanted];
  step(recorder, random, () => recorder.view(wanted));
  while (random.chance(0.52) && seen.length < 5) {
    const others = alike(wanted).filter((article) => !seen.includes(article));
    if (others.length === 0) break;
    const next = random.pickWeighted(others, (article) => appeal(article) * kinship(wanted, article));
    seen.push(next);
    step(recorder, random, () => recorder.view(next));
  }
  const choice = random.chance(0.6) ? wanted : random.pick(seen);
  if (!random.chance(0.5) || !take(visitor, recorder, random, choice)) return;
  for (const id of choice.goesWith) {
    const article = demoCatalogue().articleById(id);
    if (article === undefined || !random.chance(0.8)) continue;
    if (random.chance(0.7)) step(recorder, random, () => recorder.view(article));
    if (random.chance(0.85)) take(visitor, recorder, random, article);
  }
}

/** Puts an article into the cart; false when it cannot be bought or is there already. */
function take(visitor: Visitor, recorder: Recorder, random: Random, article: Article): boolean {
  const variants = [...visitor.cart.keys(), ...visitor.bought].some(
    (other) => other === article || areVariants(article, other),
  );
  if (!article.inStock || variants) return false;
  const quantity = BY_THE_HANDFUL.has(article.id) ? 1 + random.below(3) : 1;
  visitor.cart.set(article, quantity);
  step(recorder, random, () => recorder.addToCart(article, quantity));
  return true;
}

function checkOut(shop: Shop, visitor: Visitor, recorder: Recorder, signedIn: boolean): void {
  const { random } = shop;
  if (visitor.cart.size === 0) return;
  if (!random.chance(signedIn ? 0.85 : 0.7)) {
    if (random.chance(0.4)) visitor.cart.clear();
    return;
  }
  recorder.wait(60 * SECOND);
  const orderId = shop.newOrderId();
  recorder.order(orderId, visitor.cart);
  for (const article of visitor.cart.keys()) visitor.bought.add(article);
  visitor.cart.clear();
  if (random.chance(0.02)) {
    recorder.wait(600 * SECOND);
    recorder.cancel(orderId);
  }
  if (random.chance(0.4)) {
    visitor.project = chooseProject(random);
    visitor.met.clear();
  }
}

function newsletter(random: Random, visitor: Visitor, recorder: Recorder): void {
  const changes =
    visitor.subscribed === true ? random.chance(0.05) : random.chance(visitor.bought.size > 0 ? 0.14 : 0.04);
  if (!changes) return;
  visitor.subscribed = visitor.subscribed !== true;
  step(recorder, random, () => recorder.subscribe(visitor.subscribed === true));
}

/** Does something, then lets 6 to 60 seconds pass. */
function step(recorder: Recorder, random: Random, action: () => void): void {
  action();
  recorder.wait((6 + random.next() ** 2 * 54) * SECOND);
}

/** Other articles of the category. */
function alike(article: Article): readonly Article[] {
  const category = demoCatalogue().categories.find(({ id }) => id === article.category);
  return (category?.articles ?? []).filter((other) => other !== article);
}

/** How similar two articles are: by kind, shared tags and price. */
function kinship(a: Article, b: Article): number {
  const shared = a.product.tags.filter((tag) => b.product.tags.includes(tag)).length;
  const priceRatio = Math.min(a.cents, b.cents) / Math.max(a.cents, b.cents);
  return (a.kind === b.kind ? 6 : 0.4) * (1 + shared) * (0.4 + priceRatio);
}
