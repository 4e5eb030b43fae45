import { describe, expect, it } from "vitest";
import { APP, FakeBrowser, URL } from "./fake-page.js";

const lamp = { id: "lamp-7", sku: "L7", title: "Oak | lamp", url: "https://shop.example/lamp?a|b", available: true };
const ANSWER = {
  version: "2026030110",
  trackerProduct: null,
  recommended: [{ productId: "p1", title: "One", imageUrl: "", url: "", price: "1.00", categoryId: "c" }],
  alternative: [],
};
const READ = {
  ...ANSWER,
  recommendationId: "",
  recommended: ANSWER.recommended.map((card) => ({ ...card, currency: "" })),
};

describe("the helper, identity:", () => {
  it("makes a client id and the fingerprint cookie once, for all pages", () => {
    const browser = new FakeBrowser();
    const first = browser.open().visitorIds();
    expect(first.cId).not.toBe(first.fpccid);
    expect(browser.cookies.get("fp_ccid")).toBe(first.fpccid);
    expect(browser.open().visitorIds()).toEqual(first);
  });

  it("uses the fingerprint cookie that the shop has", () => {
    const browser = new FakeBrowser();
    browser.cookies.set("fp_ccid", "fp-of-shop");
    expect(browser.open().visitorIds().fpccid).toBe("fp-of-shop");
  });

  it.each([
    ["the browser refuses to be followed", true, {}],
    ["consent is needed and was not given", false, { needsConsent: true }],
  ])("stores nothing and sends nothing when %s", async (_, refusesTracking, options) => {
    const browser = new FakeBrowser();
    browser.refusesTracking = refusesTracking;
    browser.answering = () => ({ status: 200, body: ANSWER });
    const helper = browser.open(options);
    helper.viewProduct(lamp);
    helper.useFrame("home");
    expect(await helper.recommend({ currentIds: ["lamp-7"] })).toEqual(READ);
    expect(await helper.subscription()).toEqual({ identified: false, status: null, showForm: true });
    await browser.pass();
    expect(browser.asked.map(({ body }) => body)).toEqual([
      {
        appId: APP,
        productInteractions: [],
        recommendFrameInteractions: [],
        currentProductIds: "lamp-7",
        withCurrency: true,
        version: null,
      },
    ]);
    expect([browser.kept.size, browser.cookies.size]).toEqual([0, 0]);
  });

  it("sends a subscription that such a visitor asks for, without ids", async () => {
    const browser = new FakeBrowser();
    browser.refusesTracking = true;
    browser.open().subscribe({ email: "maja@example.com" });
    await browser.pass();
    expect(browser.forms).toMatchObject([{ action_type: "subscribe", email: "maja@example.com" }]);
    expect(browser.forms[0]).not.toHaveProperty("c_id");
    expect(browser.forms[0]).not.toHaveProperty("fp_ccid");
  });

  it("stores no subscription of such a visitor while the service does not answer, and sends it again", async () => {
    const browser = new FakeBrowser();
    browser.answering = () => ({ status: 503, body: {} });
    browser.open({ needsConsent: true }).subscribe({ email: "maja@example.com" });
    await browser.pass();
    expect([browser.kept.size, browser.cookies.size]).toEqual([0, 0]);
    browser.answering = () => ({ status: 200, body: {} });
    await browser.pass(10_000);
    expect(new Set(browser.forms.map(({ idempotency_key }) => idempotency_key)).size).toBe(1);
    expect(browser.forms.length).toBeGreaterThan(1);
    expect([browser.kept.size, browser.cookies.size]).toEqual([0, 0]);
  });

  it("forgets the visitor when consent is withdrawn, and remembers the withdrawal", async () => {
    const browser = new FakeBrowser();
    const helper = browser.open({ needsConsent: true });
    helper.consent(true);
    helper.viewProduct(lamp);
    await browser.pass();
    expect(browser.forms).toHaveLength(1);
    helper.consent(false);
    expect([...browser.kept.keys()]).toEqual([`aisle:${APP}:consent`]);
    expect(browser.cookies.size).toBe(0);
    browser.open().viewProduct(lamp);
    await browser.pass();
    expect(browser.forms).toHaveLength(1);
  });
});

describe("the helper, events:", () => {
  it("sends a product view in the form's fields, and no list separator within a text", async () => {
    const browser = new FakeBrowser();
    const helper = browser.open();
    helper.viewProduct({ ...lamp, categoryIds: ["home", "light"], categoryNames: ["Home", "Light~bulbs"] });
    await browser.pass();
    const { cId, fpccid } = helper.visitorIds();
    const [{ idempotency_key, ...form } = {}] = browser.forms;
    expect(form).toEqual({
      app_id: APP,
      action_type: "product_view",
      platform: "aisle.js",
      utc_time: "2026-03-01T10:00:00.000Z",
      c_id: cId,
      fp_ccid: fpccid,
      product_ids: "lamp-7",
      product_skus: "L7",
      product_titles: "Oak   lamp",
      product_urls: "https://shop.example/lamp?a%7Cb",
      product_availability: "1",
      product_category_ids: "home~light",
      product_category_names: "Home~Light bulbs",
    });
    expect(idempotency_key).toMatch(/^\d{32}$/);
    expect(browser.asked[0]).toMatchObject({ url: `${URL}/trace`, init: { method: "POST", keepalive: true } });
  });

  it("sends an order with all its products", async () => {
    const browser = new FakeBrowser();
    const products = [{ id: "a", quantity: 2 }, { id: "b" }];
    browser.open().order({ orderId: "o-1", products, total: 149.99, currency: "EUR" });
    await browser.pass();
    expect(browser.forms).toMatchObject([
      {
        order_id: "o-1",
        product_ids: "a|b",
        product_counts: "2|",
        order_payment_value: "149.99",
        order_currency: "EUR",
      },
    ]);
  });

  it("keeps the newest 200 of each type for recommendations, over pages and tabs", async () => {
    const browser = new FakeBrowser();
    browser.answering = () => ({ status: 200, body: ANSWER });
    const [one, other] = [browser.open(), browser.openTab()];
    one.order({ orderId: "o", products: [{ id: "bought" }] });
    for (let n = 0; n < 205; n++) (n % 2 === 0 ? one : other).viewProduct({ id: `p${n}` });
    await browser.pass();
    await browser.open().recommend();
    const { productInteractions } = browser.asked.at(-1)!.body as { productInteractions: { productId: string }[] };
    expect(productInteractions).toHaveLength(201);
    expect(productInteractions[0]).toEqual({
      productInteractionType: "order",
      productId: "bought",
      productSku: "",
      utcInteractionDate: "2026-03-01T10:00:00.000Z",
    });
    expect(productInteractions[1]?.productId).toBe("p5");
    expect(productInteractions.at(-1)?.productId).toBe("p204");
  });

  it("works for the lifetime of the page where the browser gives no storage", async () => {
    const browser = new FakeBrowser();
    browser.storage = undefined;
    browser.answering = () => ({ status: 200, body: ANSWER });
    const helper = browser.open();
    helper.viewProduct(lamp);
    await helper.recommend();
    expect(browser.asked.at(-1)?.body).toMatchObject({ productInteractions: [{ productId: "lamp-7" }] });
    expect(browser.forms).toHaveLength(1);
  });
});

describe("the helper, failed events:", () => {
  it("reports at once whether the service has accepted a subscription", async () => {
    const browser = new FakeBrowser();
    const helper = browser.open();
    expect(await helper.subscribe({ email: "maja@example.com" })).toBe(true);
    browser.answering = () => ({ status: 403, body: { error: "Origin not allowed" } });
    expect(await helper.subscribe({ email: "maja@example.com" })).toBe(false);
    browser.isOnline = false;
    expect(await helper.subscribe({ email: "maja@example.com" })).toBe(false);
  });

  it("sends them again after a reload, with the same key, until they are acknowledged", async () => {
    const browser = new FakeBrowser();
    browser.isOnline = false;
    browser.open().viewProduct(lamp);
    await browser.pass(1_000);
    browser.isOnline = true;
    await browser.pass(1_000);
    const reloaded = browser.open();
    await browser.pass(60_000);
    reloaded.sendAgain();
    await browser.pass(60_000);
    const keys = browser.forms.map((form) => form.idempotency_key);
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(1);
    expect(JSON.parse(browser.kept.get(`aisle:${APP}:outbox`) ?? "")).toEqual([]);
  });

  it("sends what waits before what is new, in order", async () => {
    const browser = new FakeBrowser();
    browser.isOnline = false;
    const helper = browser.open();
    helper.viewProduct(lamp);
    await browser.pass();
    helper.addToCart(lamp);
    helper.viewHomepage();
    await browser.pass();
    browser.asked.length = 0;
    browser.isOnline = true;
    helper.order({ orderId: "o1", products: [lamp] });
    await browser.pass();
    const inOrder = ["product_view", "add_to_cart", "homepage_view", "order"];
    expect(browser.forms.map((form) => form.action_type)).toEqual(inOrder);
    expect(JSON.parse(browser.kept.get(`aisle:${APP}:outbox`) ?? "")).toEqual([]);
  });

  it("tries one of many that wait while the service cannot be reached, and says of a new one that it will be sent again", async () => {
    const browser = new FakeBrowser();
    browser.isOnline = false;
    const helper = browser.open();
    for (let n = 0; n < 5; n++) {
      helper.viewProduct(lamp);
      await browser.pass();
    }
    browser.asked.length = 0;
    expect(await helper.subscribe({ email: "maja@example.com" })).toBe(false);
    expect(browser.forms.map((form) => form.action_type)).toEqual(["product_view"]);
    browser.isOnline = true;
    expect(await helper.subscribe({ email: "maja@example.com" })).toBe(true);
  });

  it("lets others pass an event that the service fails at", async () => {
    const browser = new FakeBrowser();
    browser.answering = ({ form }) => ({ status: form.action_type === "product_view" ? 500 : 200 });
    const helper = browser.open();
    helper.viewProduct(lamp);
    await browser.pass();
    helper.viewHomepage();
    await browser.pass();
    expect(browser.forms.map((form) => form.action_type)).toEqual(["product_view", "product_view", "homepage_view"]);
  });

  it("leaves an event to the tab that sends it", async () => {
    const browser = new FakeBrowser();
    const helper = browser.open();
    helper.viewProduct(lamp);
    browser.openTab().sendAgain();
    await browser.pass();
    expect(browser.forms).toHaveLength(1);
  });

  it("waits as long as the service asks, and longer from try to try", async () => {
    const browser = new FakeBrowser();
    const times: number[] = [];
    let clock = 0;
    browser.answering = () => {
      times.push(clock);
      return { status: 503, retryAfter: times.length === 1 ? "7" : "1" };
    };
    browser.open().viewProduct(lamp);
    for (; clock < 60; clock++) await browser.pass(1_000);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps[0]).toBeGreaterThanOrEqual(6);
    expect(gaps.slice(1)).toEqual([...gaps.slice(1)].sort((a, b) => a - b));
    expect(times.length).toBeGreaterThan(2);
    expect(times.length).toBeLessThan(8);
  });

  it.each([400, 403, 413, 422])("drops an event that the service will never accept: %i", async (status) => {
    const browser = new FakeBrowser();
    browser.answering = () => ({ status });
    browser.open().viewProduct(lamp);
    await browser.pass(3600_000);
    browser.open();
    await browser.pass(3600_000);
    expect(browser.forms).toHaveLength(1);
  });

  it("drops an event so old that the service may have forgotten its key", async () => {
    const browser = new FakeBrowser();
    browser.isOnline = false;
    browser.open().viewProduct(lamp);
    await browser.pass(24 * 3600_000);
    const tried = browser.forms.length;
    browser.isOnline = true;
    browser.open();
    await browser.pass(60_000);
    expect(browser.forms).toHaveLength(tried);
  });

  it("ignores what others wrote into its storage", async () => {
    const browser = new FakeBrowser();
    for (const name of ["outbox", "history", "frames", "answers", "clicks", "client", "version", "consent"])
      for (const value of ["{", "[1,null,{}]", '{"a":1}', '""'])
        for (const again of [value, "[{}]"]) {
          browser.kept.set(`aisle:${APP}:${name}`, again);
          browser.answering = () => ({ status: 200, body: ANSWER });
          const helper = browser.open();
          helper.viewProduct(lamp);
          expect((await helper.recommend()).version).toBe(ANSWER.version);
          await browser.pass();
        }
  });
});

describe("the helper, recommendations:", () => {
  const open = () => {
    const browser = new FakeBrowser();
    browser.answering = ({ url }) => ({ status: 200, body: url.endsWith("/recommend") ? ANSWER : {} });
    const asked = () => browser.asked.filter(({ url }) => url.endsWith("/recommend")).length;
    return { browser, asked };
  };

  it("asks the same question at most once a minute, on whichever page", async () => {
    const { browser, asked } = open();
    await Promise.all([browser.open().recommend({ frame: "f" }), browser.openTab().recommend({ frame: "g" })]);
    expect(asked()).toBe(2);
    const next = browser.open();
    expect(await next.recommend({ frame: "f" })).toEqual(READ);
    expect(asked()).toBe(2);
    await browser.pass(60_000);
    await next.recommend({ frame: "f" });
    expect(asked()).toBe(3);
  });

  it("asks again when the visitor has done something", async () => {
    const { browser, asked } = open();
    const helper = browser.open();
    await helper.recommend();
    await browser.pass(1000);
    helper.addToCart(lamp);
    await helper.recommend();
    expect(asked()).toBe(2);
  });

  it("sends uses of frames, and drops them when the engine's version has changed", async () => {
    const { browser } = open();
    const helper = browser.open();
    await helper.recommend();
    helper.useFrame("home");
    await helper.recommend();
    expect(browser.asked.at(-1)?.body).toMatchObject({
      version: ANSWER.version,
      recommendFrameInteractions: [{ trackerProductGroupId: "home" }],
    });
    browser.answering = () => ({ status: 200, body: { ...ANSWER, version: "2026030111" } });
    await browser.pass(61_000);
    await helper.recommend();
    await browser.pass(61_000);
    await helper.recommend();
    expect(browser.asked.at(-1)?.body).toMatchObject({ version: "2026030111", recommendFrameInteractions: [] });
  });

  it.each([
    [
      "a status",
      { status: 500, body: { error: "Service temporarily unavailable" } },
      "Service temporarily unavailable",
    ],
    ["an error in a good answer", { status: 200, body: { ...ANSWER, error: "no" } }, "no"],
    ["something else than an answer", { status: 200, body: "<html>" }, "No recommendations came"],
  ])("rejects for %s, and caches nothing", async (_, answer, message) => {
    const { browser } = open();
    browser.answering = () => answer;
    const helper = browser.open();
    await expect(helper.recommend()).rejects.toMatchObject({ message, status: answer.status });
    browser.answering = () => ({ status: 200, body: ANSWER });
    expect(await helper.recommend()).toEqual(READ);
  });
});

describe("the helper, subscription form:", () => {
  it.each([
    [true, true, false],
    [true, false, false],
    [true, null, true],
    [false, null, true],
  ])("for identified %s and status %s shows the form: %s", async (identified, status, showForm) => {
    const browser = new FakeBrowser();
    browser.answering = () => ({ status: 200, body: { identified, status, message: "Success" } });
    const helper = browser.open();
    expect(await helper.subscription({ force: true })).toEqual({ identified, status, showForm });
    const query = `app_id=${APP}&fpcid=${helper.visitorIds().fpccid}&force=true`;
    expect(browser.asked[0]).toMatchObject({ url: `${URL}/subscription_status?${query}` });
    expect(browser.asked[0]?.init.credentials).toBe("include");
  });

  it("does not show the form while the service cannot answer", async () => {
    const browser = new FakeBrowser();
    browser.isOnline = false;
    expect(await browser.open().subscription()).toEqual({ identified: false, status: null, showForm: false });
  });
});

it.each([
  [{ appId: "a b" }, /appId/],
  [{ url: "recs.example" }, /url/],
  [{ cacheSeconds: 5 }, /cacheSeconds/],
])("the helper rejects invalid options: %o", (options, message) => {
  expect(() => new FakeBrowser().open(options)).toThrow(message);
});
