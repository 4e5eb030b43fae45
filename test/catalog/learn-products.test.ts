import { describe, expect, it } from "vitest";
import type { LearnProducts } from "../../src/catalog/learn-products.js";
import { createUpsertProducts } from "../../src/catalog/write-products.js";
import type { App } from "../../src/domain/app.js";
import { bareProduct } from "../fixtures/bare-product.js";
import { putApp } from "../fixtures/put-records.js";
import { draft, intake, NO_VISITOR, product } from "../intake/intake-fixture.js";

type Said = Parameters<typeof product>[1];

/** A shop, and what visitors of different networks send of the product `p1`. */
async function shop(settings: Partial<App> = {}, mode: LearnProducts = "auto") {
  const made = await intake(mode);
  const app = await made.store.apps.get("shop");
  if (app) await putApp(made.store, { ...app, ...settings });
  const view = (visitor: string, network: string, said: Said = {}, more: Parameters<typeof draft>[1] = {}) =>
    made.record(
      draft("product_view", {
        visitor: { ...NO_VISITOR, fingerprintId: visitor },
        products: [product("p1", { title: "Tent", ...said })],
        sentBy: { network },
        ...more,
      }),
    );
  const upsert = createUpsertProducts({ unitOfWork: made.store.unitOfWork, now: made.now });
  return {
    ...made,
    view,
    known: (productId = "p1") => made.store.products.get("shop", productId),
    feed: (productId: string, sku = "") => upsert("shop", [bareProduct(productId, { sku, title: "Fed" })]),
    /** As many visitors and networks as an app asks for by default. */
    async agree(said: Said, from = 1) {
      for (let n = from; n < from + 3; n++) await view(`f${n}`, `net${n}`, said);
    },
  };
}

describe("a product known only from events", () => {
  it("is learned when three visitors of three networks have sent it, and not before", async () => {
    const { view, known } = await shop();
    await view("f1", "net1");
    await view("f2", "net2");
    expect(await known()).toBeUndefined();
    await view("f3", "net3");
    expect(await known()).toMatchObject({ title: "Tent", origin: "event" });
  });

  it.each<[string, (n: number) => [string, string]]>([
    ["visitors of one network", (n) => [`f${n}`, "net1"]],
    ["visitors of unknown networks", (n) => [`f${n}`, ""]],
    ["networks of one visitor", (n) => ["f1", `net${n}`]],
    ["nobodies", (n) => ["", `net${n}`]],
  ])("is not learned from thirty %s", async (_, sender) => {
    const { view, known } = await shop();
    for (let n = 0; n < 30; n++) await view(...sender(n));
    expect(await known()).toBeUndefined();
  });

  it("is not learned from robots", async () => {
    const { view, known } = await shop();
    for (let n = 0; n < 30; n++) await view(`f${n}`, `net${n}`, {}, { bot: true });
    expect(await known()).toBeUndefined();
  });

  it("gets only the values that as many visitors agree on", async () => {
    const { view, known } = await shop();
    await view("f1", "net1", { brandName: "Northfold", url: "https://a.example/1" });
    await view("f2", "net2", { brandName: "Northfold", url: "https://evil.example/" });
    await view("f3", "net3", { brandName: "Northfold", url: "https://a.example/1" });
    expect(await known()).toMatchObject({ title: "Tent", brand: "Northfold", url: "" });
    await view("f4", "net4", { url: "https://a.example/1" });
    expect(await known()).toMatchObject({ url: "https://a.example/1" });
  });

  it("changes when as many visitors agree on the change, and never loses a value", async () => {
    const { agree, view, known } = await shop();
    await agree({ url: "https://a.example/1", available: true });
    for (let n = 0; n < 9; n++) await view(`x${n}`, "evil", { title: "Hacked", available: false });
    await view("y1", "evil2", { title: "Hacked", available: false });
    expect(await known()).toMatchObject({ title: "Tent", available: true });
    await agree({ title: "Tent for two", available: false }, 4);
    expect(await known()).toMatchObject({ title: "Tent for two", available: false, url: "https://a.example/1" });
  });

  it("is learned with the characters that HTML entities stand for", async () => {
    const { agree, known } = await shop();
    await agree({
      title: "Caf&eacute; &amp; Tea &#8220;No.&nbsp;1&#8221; &lt;new&gt;",
      brandName: "M&uuml;ller",
      url: "https://a.example/p?id=1&amp;copy=2&lang=de",
      imageUrl: "https://a.example/i.png?w=1&amp;h=2",
      categories: [{ categoryId: "tea", name: "Tea &amp; Co" }],
    });
    expect(await known()).toMatchObject({
      title: "Caf\u00e9 & Tea \u201cNo.\u00a01\u201d <new>",
      brand: "M\u00fcller",
      url: "https://a.example/p?id=1&copy=2&lang=de",
      imageUrl: "https://a.example/i.png?w=1&h=2",
      categories: [{ categoryId: "tea", name: "Tea & Co" }],
    });
  });

  it.each([
    ["https://s.example/p?e=m%40x.example", "https://s.example/p"],
    ["https://s.example/p?e=m@x.example#a", "https://s.example/p"],
    ["https://s.example/p?id=7#e=m%2540x.example", "https://s.example/p?id=7"],
    ["https://s.example/p?e=m&#64;x.example", "https://s.example/p"],
    ["https://s.example/of/m%40x.example/p?id=7", ""],
    ["https://s.example/tent@2x.png?v=1", "https://s.example/tent@2x.png?v=1"],
    ["https://s.example/p?id=7&at=%40home", "https://s.example/p?id=7&at=%40home"],
  ])("has of the URL %s what holds no e-mail address", async (url, kept) => {
    const { agree, known } = await shop();
    await agree({ url, imageUrl: url });
    expect(await known()).toMatchObject({ url: kept, imageUrl: kept });
  });

  it("takes no text that holds an e-mail address", async () => {
    const { agree, known } = await shop();
    const categories = [
      { categoryId: "c1", name: "of m@x.example" },
      { categoryId: "m@x.example", name: "Tents" },
      { categoryId: "c2", name: "Tents" },
    ];
    await agree({ title: "Tent of m&#64;x.example", sku: "m@x.example", brandId: "b%40x.example", categories });
    const kept = { title: "", sku: "", brand: "", categories: [{ categoryId: "c2", name: "Tents" }] };
    expect(await known()).toMatchObject(kept);
  });

  it("is not learned where its id holds an e-mail address", async () => {
    const { record, store } = await shop();
    await record(draft("product_view", { products: [product("m@x.example", { title: "Tent" })] }));
    expect(await store.products.get("shop", "m@x.example")).toBeUndefined();
  });

  it("is learned at once when the shop sends the event", async () => {
    const { record, known } = await shop();
    const sent = (title: string) => record(draft("product_view", { products: [product("p1", { title })] }));
    await sent("Tent");
    await sent("Tent for two");
    expect(await known()).toMatchObject({ title: "Tent for two", origin: "event" });
  });

  it.each([0, 1])("is learned from one visitor at once with the setting %i", async (learnedAfterVisitors) => {
    const { view, known } = await shop({ learnedAfterVisitors });
    await view("", "");
    await view("", "", { title: "Tent for two" });
    expect(await known()).toMatchObject({ title: "Tent for two" });
  });

  it("stays when the setting later asks for more visitors", async () => {
    const { store, agree, known } = await shop();
    await agree({});
    const app = await store.apps.get("shop");
    if (app) await putApp(store, { ...app, learnedAfterVisitors: 50 });
    expect(await known()).toMatchObject({ title: "Tent" });
  });

  it("expires when no visitor sends it for a month", async () => {
    const { view, known, now } = await shop();
    await view("f1", "net1");
    await view("f2", "net2");
    now.at += 31 * 86_400_000;
    await view("f3", "net3");
    expect(await known()).toBeUndefined();
  });

  it("gets no URL of another host than the app's, and loses none to one", async () => {
    const { agree, known } = await shop({ allowedOrigins: ["https://shop.example"] });
    await agree({ url: "https://www.shop.example/tent", imageUrl: "https://www.shop.example/tent" });
    await agree({ url: "https://shop.example.evil.example/tent", imageUrl: "https://evil.example/tent" }, 4);
    const url = "https://www.shop.example/tent";
    expect(await known()).toMatchObject({ url, imageUrl: url });
  });

  it("gets http and https URLs only, as a URL parser writes them", async () => {
    const { agree, known } = await shop();
    await agree({ url: 'https://a.example/x"onerror="alert(1)', imageUrl: "javascript:alert(1)" });
    expect(await known()).toMatchObject({ url: "https://a.example/x%22onerror=%22alert(1)", imageUrl: "" });
  });

  it("is counted when it is first sent and when it is learned", async () => {
    const { view, metrics } = await shop();
    await view("f1", "net1");
    await view("f2", "net2");
    expect(metrics.counts.get("learned_products")).toBe(1);
    await view("f3", "net3");
    expect(metrics.counts.get("learned_products")).toBe(2);
  });

  it("is ignored when it comes after the first hundred of an event", async () => {
    const { view, store } = await shop();
    const products = Array.from({ length: 101 }, (_, n) => product(`p${n}`));
    for (const n of [1, 2, 3]) {
      const { notes } = await view(`f${n}`, `net${n}`, {}, { products });
      expect(notes.join()).toContain("beyond 100");
    }
    expect(await store.products.get("shop", "p99")).toBeDefined();
    expect(await store.products.get("shop", "p100")).toBeUndefined();
  });
});

describe("a shop with products by feed or RPC", () => {
  it.each<[LearnProducts, boolean]>([
    ["auto", false],
    ["on", true],
    ["off", false],
  ])("learns other products from events with the setting %s: %s", async (mode, isLearned) => {
    const { feed, agree, known } = await shop({}, mode);
    await feed("fed");
    await agree({});
    expect((await known()) !== undefined).toBe(isLearned);
  });

  it("learns again when it has none any more", async () => {
    const { feed, agree, known, store } = await shop();
    await feed("fed");
    await store.unitOfWork.run("shop", (tx) => tx.products.delete("fed"));
    await agree({});
    expect(await known()).toBeDefined();
  });

  it("keeps what it learned before, and no event changes it", async () => {
    const { feed, agree, known } = await shop();
    await agree({});
    await feed("fed");
    await agree({ title: "Tent for two" }, 4);
    expect(await known()).toMatchObject({ title: "Tent" });
  });
});

describe("a SKU", () => {
  it("of a feed's product is taken over by no event, whether a visitor or the shop sends it", async () => {
    const { feed, agree, record, known, store, historyOf } = await shop({}, "on");
    await feed("fed", "s1");
    await agree({ sku: "s1" });
    await record(draft("product_view", { products: [product("p2", { sku: "s1" })] }));
    expect(await store.products.getBySku("shop", "s1")).toMatchObject({ productId: "fed" });
    expect([await known("p1"), await known("p2")]).toMatchObject([{ sku: "" }, { sku: "" }]);
    await record(
      draft("product_view", {
        visitor: { ...NO_VISITOR, fingerprintId: "b1" },
        products: [product("", { sku: "s1" })],
      }),
    );
    expect(await historyOf("f:b1")).toEqual(["product_view fed"]);
  });

  it("of a learned product moves to the feed's product that has it", async () => {
    const { feed, agree, known, store } = await shop();
    await agree({ sku: "s1" });
    expect(await store.products.getBySku("shop", "s1")).toMatchObject({ productId: "p1" });
    await feed("fed", "s1");
    expect(await store.products.getBySku("shop", "s1")).toMatchObject({ productId: "fed" });
    expect(await known()).toMatchObject({ sku: "" });
  });

  it("of a learned product is not taken over by another learned one", async () => {
    const { agree, store, record } = await shop();
    await agree({ sku: "s1" });
    await record(draft("product_view", { products: [product("p2", { sku: "s1" })] }));
    expect(await store.products.getBySku("shop", "s1")).toMatchObject({ productId: "p1" });
  });
});
