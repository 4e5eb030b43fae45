import { create } from "@bufbuild/protobuf";
import { TimestampSchema, timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { KNOWN_ACTIONS } from "../../../src/domain/event.js";
import { EventSchema } from "../../../src/gen/aisle/v1/event_pb.js";
import { Availability } from "../../../src/gen/aisle/v1/product_pb.js";
import { emailKey } from "../../../src/parse/addresses.js";
import { demoProducts } from "../../../src/server/demo/catalogue.js";
import { DEMO_VISITOR } from "../../../src/server/demo/curl-lines.js";
import { demoEvents } from "../../../src/server/demo/visits.js";

const DAY = 86_400_000;
const UNTIL = Date.UTC(2026, 4, 20, 9, 30);

const events = demoEvents(UNTIL).map((event) => create(EventSchema, event));
const timeOf = (event: (typeof events)[number]) => timestampMs(event.eventTime ?? create(TimestampSchema));
const baskets = events
  .filter(({ actionType }) => actionType === "order")
  .map(({ products }) => products.map(({ productId }) => productId));

describe("the demo shop's visits", () => {
  it("come in order of time, within the days asked for, none after the end", () => {
    const times = events.map(timeOf);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(UNTIL - 42 * DAY);
    expect(times.at(-1)).toBeLessThanOrEqual(UNTIL);
    expect(times.at(-1)).toBeGreaterThan(UNTIL - DAY);
  });

  it("are between 1,800 and 2,200", () => {
    const lastSeen = new Map<string, number>();
    let visits = 0;
    for (const event of events) {
      const visitor = event.visitor?.clientId ?? "";
      if (timeOf(event) - (lastSeen.get(visitor) ?? 0) > 30 * 60_000) visits++;
      lastSeen.set(visitor, timeOf(event));
    }
    expect(visits).toBeGreaterThanOrEqual(1800);
    expect(visits).toBeLessThanOrEqual(2200);
  });

  it("contain every known action except other", () => {
    const actions = new Set(events.map(({ actionType }) => actionType));
    expect(actions).toEqual(new Set(KNOWN_ACTIONS.filter((action) => action !== "other")));
  });

  it("name only products of the shop, and order none that is out of stock", () => {
    const products = demoProducts({ baseUrl: "http://localhost" });
    const known = new Set(products.map(({ productId }) => productId));
    const out = products.filter(({ availability }) => availability === Availability.OUT_OF_STOCK);
    const named = events.flatMap(({ products }) => products.map(({ productId }) => productId));
    expect(named.filter((productId) => !known.has(productId))).toEqual([]);
    const ordered = new Set(baskets.flat());
    expect(out.filter(({ productId }) => ordered.has(productId ?? ""))).toEqual([]);
    expect(ordered.size).toBeGreaterThan(known.size * 0.85);
  });

  it("come from visitors with both ids, some of whom return or sign in", () => {
    expect(events.filter(({ visitor }) => !visitor?.clientId || !visitor.fingerprintId)).toEqual([]);
    const days = new Map<string, Set<number>>();
    for (const event of events) {
      const visitor = event.visitor?.clientId ?? "";
      days.set(visitor, (days.get(visitor) ?? new Set()).add(Math.floor(timeOf(event) / DAY)));
    }
    const returning = [...days.values()].filter(({ size }) => size > 1).length;
    const signedIn = new Set(
      events.filter(({ visitor }) => visitor?.userId !== "").map(({ visitor }) => visitor?.userId),
    );
    expect(days.size).toBeGreaterThan(700);
    expect(returning).toBeGreaterThan(days.size / 4);
    expect(returning).toBeLessThan(days.size);
    expect(signedIn.size).toBeGreaterThan(100);
  });

  it("give every visitor one fingerprint id and one e-mail address, all in a reserved domain", () => {
    const pairs = new Set(events.map(({ visitor }) => `${visitor?.clientId} ${visitor?.fingerprintId}`));
    const clients = new Set(events.map(({ visitor }) => visitor?.clientId));
    const named = events.filter(({ contact }) => contact !== undefined);
    const contacts = new Set(named.map(({ visitor, contact }) => `${visitor?.clientId} ${contact?.email}`));
    const emails = new Set(named.map(({ contact }) => contact?.email ?? ""));
    expect(pairs.size).toBe(clients.size);
    expect(contacts.size).toBe(emails.size);
    expect([...emails].filter((email) => emailKey(email) !== email || !email.endsWith("@example.com"))).toEqual([]);
  });

  it("have one order id for each order and the sum of its lines as payment", () => {
    const orders = events.filter(({ actionType }) => actionType === "order");
    expect(new Set(orders.map(({ order }) => order?.orderId)).size).toBe(orders.length);
    for (const { order, products } of orders) {
      const sum = products.reduce((total, { price, quantity }) => total + Number(price?.amount) * quantity, 0);
      expect(order?.payment?.amount).toBe(sum.toFixed(2));
    }
  });

  it("are skewed: the most viewed fifth of the products gets over two fifths of the views", () => {
    const views = new Map<string, number>();
    for (const { actionType, products } of events)
      if (actionType === "product_view")
        for (const { productId } of products) views.set(productId, (views.get(productId) ?? 0) + 1);
    const counts = [...views.values()].sort((a, b) => b - a);
    const all = counts.reduce((sum, count) => sum + count, 0);
    const busiest = counts.slice(0, Math.floor(counts.length / 5)).reduce((sum, count) => sum + count, 0);
    expect(busiest / all).toBeGreaterThan(0.4);
  });

  it("end with enough orders of several lines to learn the weights of the cart from", () => {
    // A quarter asks about carts, and its last three tenths judge: one question of two lines, two of more.
    const newest = baskets.slice(-Math.floor(baskets.length * 0.25 * 0.3));
    const questions = newest.reduce((sum, { length }) => sum + Math.min(2, length - 1), 0);
    expect(questions).toBeGreaterThanOrEqual(50);
  });

  it("predict later orders from earlier ones at least three times as well as popularity", () => {
    const cut = Math.floor(baskets.length * 0.8);
    const { companions, popular } = learn(baskets.slice(0, cut));
    let found = 0;
    let foundByPopularity = 0;
    for (const basket of baskets.slice(cut)) {
      const hidden = basket.at(-1) ?? "";
      const cart = basket.slice(0, -1);
      if (cart.length === 0) continue;
      if (companions(cart).includes(hidden)) found++;
      if (
        popular
          .filter((id) => !cart.includes(id))
          .slice(0, 5)
          .includes(hidden)
      )
        foundByPopularity++;
    }
    expect(found).toBeGreaterThan(3 * foundByPopularity);
  });

  it("subscribe the visitor of the curl lines and never unsubscribe them", () => {
    const subscribed = events.filter(
      ({ actionType, visitor }) => actionType === "subscribe" && visitor?.fingerprintId === DEMO_VISITOR.fingerprintId,
    );
    expect(subscribed.map(({ contact }) => [contact?.email, contact?.emailSubscribed])).toEqual([
      [DEMO_VISITOR.email, true],
    ]);
  });

  it("both subscribe and unsubscribe people", () => {
    const changes = events
      .filter(({ actionType }) => actionType === "subscribe")
      .map(({ contact }) => contact?.emailSubscribed);
    expect(changes.filter((subscribed) => subscribed === true).length).toBeGreaterThan(100);
    expect(changes.filter((subscribed) => subscribed === false).length).toBeGreaterThan(5);
  });
});

/** The simplest recommender there is: five products most often ordered with those of the cart; and all by popularity. */
function learn(baskets: readonly (readonly string[])[]) {
  const pairs = new Map<string, Map<string, number>>();
  const counts = new Map<string, number>();
  for (const basket of baskets) {
    for (const id of basket) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
      const others = pairs.get(id) ?? new Map<string, number>();
      for (const other of basket) if (other !== id) others.set(other, (others.get(other) ?? 0) + 1);
      pairs.set(id, others);
    }
  }
  const ranked = (scores: ReadonlyMap<string, number>) => [...scores].sort((a, b) => b[1] - a[1]).map(([id]) => id);
  const companions = (cart: readonly string[]) => {
    const scores = new Map<string, number>();
    for (const id of cart)
      for (const [other, count] of pairs.get(id) ?? [])
        if (!cart.includes(other)) scores.set(other, (scores.get(other) ?? 0) + count);
    return ranked(scores).slice(0, 5);
  };
  return { companions, popular: ranked(counts) };
}
