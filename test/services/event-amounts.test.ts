import { expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";

const appId = "shop";
const NOTES = [
  "a product's price is no amount and was left out",
  "the order's payment is no amount and was left out",
  "the order's base payment is no amount and was left out",
];

function bought(amount: string) {
  const money = { amount, currency: "EUR" };
  const products = [
    { productId: "p1", price: money },
    { productId: "p2", price: money },
  ];
  return { actionType: "order", products, order: { orderId: "1", payment: money, basePayment: money } };
}

it.each(["12,50", "1e3", "€12", "1.234,50", "abc", "NaN", "0x10", "1.", "+5"])(
  "an event whose amounts are %j is kept, and notes each kind that could not be read",
  async (amount) => {
    const { rpc } = await openAisle();
    await rpc.apps.createApp({ app: { appId } });
    const { eventId, notes } = await rpc.events.recordEvent({ appId, event: bought(amount) });
    expect(notes).toEqual(NOTES);
    expect((await rpc.events.getEvent({ appId, eventId })).event?.notes).toEqual(NOTES);
    const { recorded } = await rpc.events.batchRecordEvents({ appId, events: [bought(amount)] });
    const ofBatch = await rpc.events.getEvent({ appId, eventId: recorded[0]?.eventId ?? "" });
    expect(ofBatch.event?.notes).toEqual(expect.arrayContaining(NOTES));
  },
);

it.each(["12.50", "-3", " 7 ", ""])("an event whose amounts are %j has no note", async (amount) => {
  const { rpc } = await openAisle();
  await rpc.apps.createApp({ app: { appId } });
  expect((await rpc.events.recordEvent({ appId, event: bought(amount) })).notes).toEqual([]);
});

it.each([2_000_000_000, -1])("a quantity of %d is noted, and counts as 1", async (quantity) => {
  const { rpc } = await openAisle();
  await rpc.apps.createApp({ app: { appId } });
  const products = [{ productId: "p1", quantity }];
  const { notes, eventId } = await rpc.events.recordEvent({ appId, event: { actionType: "add_to_cart", products } });
  expect(notes).toEqual(["a product's quantity is not between 1 and 1000000000 and counts as 1"]);
  expect((await rpc.events.getEvent({ appId, eventId })).event?.products[0]?.quantity).toBe(1);
});
