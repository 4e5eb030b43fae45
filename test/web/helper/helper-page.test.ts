import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeWithChromium, waitUntil } from "../../fixtures/browser.js";
import { storefront } from "./storefront.js";

/** A page of a shop that does what the README of the helper says. */
const PAGE = (service: string) => `
  <meta http-equiv="Content-Security-Policy" content="default-src 'self' ${service}; script-src ${service} 'nonce-x'">
  <script src="${service}/aisle.js" data-app="shop" defer></script>
  <h1>Oak lamp</h1><div id="also"></div><p id="below">Below the frame</p>`;

const PRODUCTS = ["lamp", "vase", "rug"].map((productId) => ({
  productId,
  title: `<b>${productId}</b>`,
  price: { amount: "19.90", currency: "EUR" },
  url: `https://shop.test/${productId}`,
}));

const opened = async () => {
  const shop = await storefront(undefined, PAGE);
  await shop.catalog.upsertProducts(
    (async function* () {
      yield { appId: "shop", products: PRODUCTS };
    })(),
  );
  await waitUntil(shop.page, "window.Aisle");
  const stored = async () => (await shop.events.listEvents({ appId: "shop" })).events;
  return { ...shop, stored };
};

/** Calls the helper of a page with JSON. */
function call(page: Page, name: string, argument?: unknown): Promise<unknown> {
  return page.evaluate(`Aisle.shop.${name}(${JSON.stringify(argument) ?? ""})`);
}

const TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))";
const PATIENCE = { timeout: 15_000, interval: 100 };

describeWithChromium("the helper in a shop's page on another site", () => {
  it("aisle.js is less than 6.8 kB", async () => {
    const { page, service } = await opened();
    const text = await page.evaluate((url) => fetch(url).then((answer) => answer.text()), `${service}/aisle.js`);
    expect(gzipSync(text, { level: 9 }).length).toBeLessThan(6800);
    expect(text).toContain("currentScript");
  });

  it("aisle.js sends events of one visitor on all pages, and shows the form until the visitor has subscribed", async () => {
    const { page, browser, shop, stored } = await opened();
    expect(await call(page, "subscription")).toEqual({ identified: false, status: null, showForm: true });
    await call(page, "viewProduct", { id: "lamp" });
    const tab = await browser.newPage();
    await tab.goto(shop);
    await waitUntil(tab, "window.Aisle");
    await call(tab, "addToCart", { id: "lamp" });
    await call(tab, "subscribe", { email: "ada@shop.test" });
    await expect.poll(async () => (await stored()).length, PATIENCE).toBe(3);
    const ids = (await stored()).map(({ visitor }) => `${visitor?.clientId} ${visitor?.fingerprintId}`);
    expect(new Set(ids).size).toBe(1);
    expect(await call(page, "subscription", { force: true })).toMatchObject({ identified: true, showForm: false });
  });

  it("aisle.js sends what happened offline, once, after a reload", async () => {
    const { page, browser, stored } = await opened();
    await browser.setOffline(true);
    await call(page, "viewProduct", { id: "lamp" });
    await call(page, "viewProduct", { id: "vase" });
    await browser.setOffline(false);
    await page.reload();
    await expect.poll(async () => (await stored()).length, { ...PATIENCE, timeout: 60_000 }).toBe(2);
    const waiting = () => page.evaluate("localStorage.getItem('aisle:shop:outbox')");
    // A try that the reload cut off is made again after half a minute.
    await expect.poll(waiting, { ...PATIENCE, timeout: 60_000 }).toBe("[]");
    expect((await stored()).length).toBe(2);
  });

  it("aisle.js shows a frame as a labelled list of links, texts as text, without layout shift", async () => {
    const { page } = await opened();
    let answer = () => {};
    const mayAnswer = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/recommend", async (route) => {
      await mayAnswer;
      await route.continue();
    });
    const options = JSON.stringify({ title: "You may also like", currentIds: ["lamp"] });
    await page.evaluate(`void (window.shown = Aisle.shop.render(document.querySelector("#also"), ${options}))`);
    await page.evaluate(TWO_FRAMES);
    await page.evaluate(`window.shifts = [];
      new PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({ type: "layout-shift" })`);
    answer();
    await page.evaluate("shown");
    await page.evaluate(TWO_FRAMES);
    const frame = page.getByRole("region", { name: "You may also like" });
    const names = await frame.getByRole("link").allTextContents();
    expect(names.toSorted()).toEqual(["<b>rug</b>", "<b>vase</b>"]);
    expect(await page.evaluate("shifts.length")).toBe(0);
    await page.evaluate(
      `document.querySelectorAll("a").forEach((link) => link.addEventListener("click", (event) => event.preventDefault()))`,
    );
    await frame.getByRole("link").first().click();
    const uses: unknown = await page.evaluate("JSON.parse(localStorage.getItem('aisle:shop:frames'))");
    expect(uses).toMatchObject([{ trackerProductGroupId: "default" }]);
  });
});
