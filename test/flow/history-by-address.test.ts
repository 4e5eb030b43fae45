import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { erased } from "../fixtures/operations.js";
import { type StoreKind, storeKinds } from "../fixtures/stores.js";

const ADDRESS = "ann@example.com";
const PRODUCTS = Array.from({ length: 6 }, (_, n) => ({ productId: `p${n}`, title: `Product ${n}` }));

async function shop(openStore: StoreKind["openStore"], linkTrust: "open" | "strict") {
  const aisle = await openAisle(openStore);
  const appId = "shop";
  await aisle.rpc.apps.createApp({ app: { appId, linkTrust: linkTrust === "strict" ? 2 : 1 } });
  const feed = async function* () {
    yield { appId, products: PRODUCTS };
  };
  await aisle.rpc.catalog.upsertProducts(feed());
  let orders = 0;
  return {
    ...aisle,
    /** A browser posts an order, whose address is only claimed. */
    buys: (cId: string, productId: string, email = ADDRESS) =>
      aisle.trace({
        app_id: appId,
        action_type: "order",
        order_id: `o${++orders}`,
        c_id: cId,
        email,
        product_ids: productId,
      }),
    /** The shop says who uses a browser. */
    proves: (clientId: string, email = ADDRESS) =>
      aisle.rpc.events.recordEvent({
        appId,
        event: { actionType: "homepage_view", visitor: { clientId }, contact: { email } },
      }),
    /** Bought products are not shown again. */
    async shownTo(cId: string) {
      const { recommended } = await aisle.recommend({ appId, cId, productInteractions: [] });
      return recommended.map(({ productId }) => productId).sort();
    },
  };
}

const without = (...bought: string[]) =>
  PRODUCTS.map(({ productId }) => productId).filter((productId) => !bought.includes(productId));

describe.each(await storeKinds())("two browsers of one address: $name", ({ openStore }) => {
  it("share what was bought in either", async () => {
    const { buys, shownTo } = await shop(openStore, "open");
    await buys("laptop", "p1");
    await buys("phone", "p2");
    expect(await shownTo("laptop")).toEqual(without("p1", "p2"));
    expect(await shownTo("phone")).toEqual(without("p1", "p2"));
    expect(await shownTo("stranger")).toEqual(without());
  });

  it("share nothing any more when one is linked to another address", async () => {
    const { buys, shownTo, now } = await shop(openStore, "open");
    await buys("laptop", "p1");
    await buys("phone", "p2");
    now.at += 1000;
    await buys("phone", "p3", "bo@example.com");
    expect(await shownTo("laptop")).toEqual(without("p1"));
    expect(await shownTo("phone")).toEqual(without("p2", "p3"));
  });

  it("share under strict link trust only what browsers with proven links did", async () => {
    const { buys, shownTo, proves } = await shop(openStore, "strict");
    await buys("laptop", "p1");
    await buys("phone", "p2");
    await buys("stranger", "p3");
    expect(await shownTo("laptop")).toEqual(without("p1"));
    await proves("laptop");
    expect(await shownTo("laptop")).toEqual(without("p1"));
    expect(await shownTo("phone")).toEqual(without("p2"));
    await proves("phone");
    expect(await shownTo("laptop")).toEqual(without("p1", "p2"));
    expect(await shownTo("phone")).toEqual(without("p1", "p2"));
    expect(await shownTo("stranger")).toEqual(without("p3"));
  });

  it("share nothing of a browser that was erased", async () => {
    const { buys, shownTo, rpc } = await shop(openStore, "open");
    await buys("laptop", "p1");
    await buys("phone", "p2");
    await erased(rpc, "shop", { visitor: { clientId: "phone" } });
    expect(await shownTo("laptop")).toEqual(without("p1"));
  });
});
