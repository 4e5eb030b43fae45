import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { EventSchema } from "../../../src/gen/aisle/v1/event_pb.js";
import { nextStep, type Standing, todaysEvents, warnings } from "../../../web/console/today.js";

const NOW = Date.UTC(2026, 10, 24, 12);
const DAY_MS = 86_400_000;
const well: Standing = {
  appId: "shop",
  hasProducts: true,
  lastEventAt: NOW - 1000,
  modelMadeAt: NOW - DAY_MS,
  hasResults: true,
  lastRejectedAt: undefined,
  unknownEvents: 0,
};

const event = (actionType: string, at: number, productId = "a", orderId = "") =>
  create(EventSchema, {
    actionType,
    eventTime: timestampFromMs(at),
    products: [{ productId }],
    ...(orderId !== "" && { order: { orderId } }),
  });

it("counts the events since midnight in UTC, copies of an order once, and the products viewed most", () => {
  const events = [
    ...[event("product_view", NOW, "b"), event("product_view", NOW), event("product_view", NOW)],
    ...[event("order", NOW, "a", "o1"), event("order", NOW, "a", "o1")],
    event("product_view", NOW - DAY_MS, "c"),
  ];
  const { total, views, orders, top } = todaysEvents(events, NOW);
  expect([total, views, orders]).toEqual([5, 3, 1]);
  expect(top.map(({ productId, views }) => [productId, views])).toEqual([
    ["a", 2],
    ["b", 1],
  ]);
});

it("leaves out robots, cancelled orders and later copies of older ones, but not for a cancellation without effect", () => {
  const cancel = (orderId: string, notes: readonly string[] = []) => ({
    ...event("order_cancel", NOW, "a", orderId),
    notes: [...notes],
  });
  const events = [
    { ...event("product_view", NOW), bot: true },
    { ...event("order", NOW, "a", "o1"), bot: true },
    ...[event("order", NOW, "a", "o2"), cancel("o2")],
    ...[
      event("order", NOW, "a", "o3"),
      cancel("o3", ["the order belongs to somebody else; this event has no effect on it"]),
    ],
    ...[event("order", NOW, "a", "o4"), event("order", NOW - DAY_MS, "a", "o4")],
  ];
  const { total, views, orders } = todaysEvents(events, NOW);
  expect([total, views, orders]).toEqual([5, 0, 1]);
});

it.each([
  ["import products", { hasProducts: false, lastEventAt: undefined, modelMadeAt: undefined, hasResults: false }],
  ["the helper", { lastEventAt: undefined, modelMadeAt: undefined, hasResults: false }],
  ["Train the first model", { modelMadeAt: undefined, hasResults: false }],
  ["Aisle.shop.render", { hasResults: false }],
])("names the next step of a shop: %s", (text, change) => {
  expect(nextStep({ ...well, ...change })).toContain(text);
});

it.each([
  ["No event came for 3 days", { lastEventAt: NOW - 3 * DAY_MS }],
  ["The model is 9 days old", { modelMadeAt: NOW - 9 * DAY_MS }],
  ["Events were rejected", { lastRejectedAt: NOW - 1000 }],
  ["12 of the newest events", { unknownEvents: 12 }],
])("warns: %s", (text, change) => {
  expect(warnings({ ...well, ...change }, NOW)).toEqual([expect.stringContaining(text)]);
});

it("says nothing of a shop where all is well", () => {
  expect(nextStep(well)).toBeUndefined();
  expect(warnings(well, NOW)).toEqual([]);
});
