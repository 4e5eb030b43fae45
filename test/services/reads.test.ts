import { describe, expect, it } from "vitest";
import { Availability } from "../../src/gen/aisle/v1/product_pb.js";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { openAisle } from "../fixtures/aisle.js";

const appId = "shop";

async function openShop() {
  const aisle = await openAisle();
  const { rpc } = aisle;
  await rpc.apps.createApp({ app: { appId } });
  const products = [
    { productId: "pot", sku: "S1", title: "Tea pot", brand: "Acme", categories: [{ categoryId: "kitchen" }] },
    { productId: "cup", sku: "S2", title: "Cup", brand: "ACME", availability: Availability.OUT_OF_STOCK },
    { productId: "tea", sku: "T1", title: "Green tea", brand: "Leaf", tags: ["drink"] },
  ];
  await rpc.catalog.upsertProducts(
    (async function* () {
      yield { appId, products };
    })(),
  );
  return aisle;
}

describe("ListProducts lists only products", () => {
  it.each([
    ["of a category", { categoryId: "kitchen" }, ["pot"]],
    ["of a brand, without regard to case", { brand: "acme" }, ["cup", "pot"]],
    ["in stock", { availability: Availability.IN_STOCK }, ["pot", "tea"]],
    ["out of stock", { availability: Availability.OUT_OF_STOCK }, ["cup"]],
    ["of a product group", { groupId: "hot" }, ["pot", "tea"]],
    ["with a word of the title that begins so", { textPrefix: "TE" }, ["pot", "tea"]],
    ["with a SKU that begins so", { textPrefix: "s2" }, ["cup"]],
    ["that pass every condition", { brand: "Acme", textPrefix: "tea" }, ["pot"]],
  ])("%s", async (_, condition, ids) => {
    const { rpc } = await openShop();
    await rpc.catalog.setProductGroup({ appId, group: { groupId: "hot", tags: ["drink"], productIds: ["pot"] } });
    const { products, nextPageToken } = await rpc.catalog.listProducts({ appId, ...condition });
    expect([products.map(({ productId }) => productId), nextPageToken]).toEqual([ids, ""]);
  });
});

it("BatchGetProducts returns products in the order asked for, and the ids that no product has", async () => {
  const { rpc } = await openShop();
  const { products, missingIds } = await rpc.catalog.batchGetProducts({ appId, productIds: ["tea", "none", "cup"] });
  expect([products.map(({ productId }) => productId), missingIds]).toEqual([["tea", "cup"], ["none"]]);
});

it("GetVisitor returns the ids of a visitor and its contact", async () => {
  const { rpc, trace } = await openShop();
  await trace({ app_id: appId, action_type: "subscribe", email: "ann@example.com", c_id: "c1", fp_ccid: "f1" });
  const { visitor } = await rpc.subscriptions.getVisitor({ appId, visitor: { fingerprintId: "f1" } });
  const { contact } = await rpc.subscriptions.getContact({
    appId,
    contact: { case: "email", value: "ann@example.com" },
  });
  expect(visitor).toMatchObject({ clientIds: ["c1"], fingerprintIds: ["f1"], contactId: contact?.contactId });
});

it("GetContact returns the visitors that are linked to the contact, and no longer one that has left it", async () => {
  const { rpc, trace } = await openShop();
  const subscribe = (email: string, c_id: string) => trace({ app_id: appId, action_type: "subscribe", email, c_id });
  await subscribe("ann@example.com", "laptop");
  await subscribe("ann@example.com", "phone");
  const linked = async () => {
    const contact = { case: "email", value: "ann@example.com" } as const;
    const { visitors } = await rpc.subscriptions.getContact({ appId, contact });
    return visitors.flatMap(({ clientIds }) => clientIds);
  };
  expect(await linked()).toEqual(["laptop", "phone"]);
  await subscribe("bob@example.com", "laptop");
  expect(await linked()).toEqual(["phone"]);
});

it("GetOrder returns an order merged from its events, and NOT_FOUND for an id that only looks like one", async () => {
  const { rpc, trace } = await openShop();
  const order = { app_id: appId, action_type: "order", order_id: "o1", c_id: "c1", product_ids: "pot|tea" };
  await trace(order);
  await trace({ ...order, order_status: "sent", order_payment_value: "12.50", order_currency: "EUR" });
  await trace({ ...order, c_id: "somebody-else", product_ids: "cup" });
  expect((await rpc.events.getOrder({ appId, orderId: "o1" })).order).toMatchObject({
    orderId: "o1",
    visitor: { clientId: "c1" },
    lines: [{ productId: "pot" }, { productId: "tea" }],
    status: "sent",
    payment: { amount: "12.50", currency: "EUR" },
    cancelled: false,
  });
  for (const orderId of ["o2", "o1\n", `o1\n${"x".repeat(300)}`])
    await expect(rpc.events.getOrder({ appId, orderId })).rejects.toThrow(/\[not_found\] There is no such order/);
  await expect(rpc.events.getOrder({ appId, orderId: "" })).rejects.toThrow(/order_id/);
});

it("ListContacts pages all contacts, and lists those with a state of a subscription", async () => {
  const { rpc } = await openShop();
  for (const [who, emailState] of [
    ["ann", SubscriptionState.SUBSCRIBED],
    ["bob", SubscriptionState.UNSUBSCRIBED],
    ["eve", SubscriptionState.SUBSCRIBED],
  ] as const)
    await rpc.subscriptions.setSubscription({ appId, email: `${who}@example.com`, emailState });
  const first = await rpc.subscriptions.listContacts({ appId, pageSize: 2 });
  const second = await rpc.subscriptions.listContacts({ appId, pageSize: 2, pageToken: first.nextPageToken });
  const emails = [...first.contacts, ...second.contacts].map(({ email }) => email).sort();
  expect([emails, second.nextPageToken]).toEqual([["ann@example.com", "bob@example.com", "eve@example.com"], ""]);
  const left = await rpc.subscriptions.listContacts({ appId, emailState: SubscriptionState.UNSUBSCRIBED });
  expect(left.contacts.map(({ email }) => email)).toEqual(["bob@example.com"]);
});
