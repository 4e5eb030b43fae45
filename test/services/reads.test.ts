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
