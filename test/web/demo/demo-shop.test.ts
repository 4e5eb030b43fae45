import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithChromium } from "../../fixtures/browser.js";
import { expectSoundPage } from "../../fixtures/page-checks.js";
import { sharedOwner } from "../../fixtures/server.js";
import { categoryOf, framed, openDemoShops, PATIENCE, quiet, visitorIds } from "./demo-shop.js";

const LONG = 60_000;
/** What people order with the tent `lark-2`. */
const FITTING = ["lark-footprint", "wye-pegs"];

/** How far things moved on the page without the visitor's doing, as browsers score it. */
const SHIFT = `new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) sum += value; }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum))));
})`;

describeWithChromium("the demo shop in a browser", () => {
  const shared = sharedOwner();
  let shops: Awaited<ReturnType<typeof openDemoShops>>;
  beforeAll(async () => {
    shops = await openDemoShops(shared.owner);
  });
  afterAll(() => shared.release());

  it(
    "the demo shop recommends by what the visitor did, from the first page to the order, and the console shows each step",
    async () => {
      const { browser, page, visitor, stored } = await shops.shop.visit("");
      const first = await framed(page, "You may also like");
      expect(first).toHaveLength(6);
      await page.getByRole("navigation", { name: "Departments" }).getByRole("link", { name: "Camp" }).click();
      await page.getByRole("navigation", { name: "Shelves of Camp" }).getByRole("link", { name: "Tents" }).click();
      await quiet(page);
      for (const id of await framed(page, "For you on this shelf")) expect(categoryOf(id)).toBe("tents");
      await page.getByRole("main").getByRole("link", { name: "Lark 2 tent, ember" }).first().click();
      await page.waitForURL("**/demo/p/lark-2");
      await quiet(page);
      const alternatives = await framed(page, "Similar things");
      expect(alternatives.filter((id) => categoryOf(id) === "tents").length).toBeGreaterThanOrEqual(4);
      expect(await framed(page, "Goes well with it")).toEqual(expect.arrayContaining(FITTING));

      await page.getByRole("button", { name: "Add to cart" }).click();
      await page.getByRole("link", { name: "Cart 1" }).click();
      await page.waitForURL("**/demo/cart");
      await quiet(page);
      expect(await page.getByRole("list", { name: "Things in your cart" }).getByRole("link").allTextContents()).toEqual(
        ["Lark 2 tent, ember"],
      );
      const complements = await framed(page, "You may also need");
      expect(complements).toEqual(expect.arrayContaining(FITTING));
      expect(complements.filter((id) => id.startsWith("lark-2"))).toEqual([]);

      await page.getByRole("button", { name: "Place the order" }).click();
      await page.waitForURL("**/demo/thanks");
      await quiet(page);
      expect(await page.getByRole("list", { name: "Things you ordered" }).textContent()).toContain("Lark 2 tent");
      expect((await framed(page, "For next time")).filter((id) => id.startsWith("lark-2"))).toEqual([]);
      await page.reload();
      await quiet(page);
      await expect
        .poll(stored, PATIENCE)
        .toEqual([
          "homepage_view",
          "category_view",
          "category_view",
          "product_view lark-2",
          "add_to_cart lark-2",
          "order lark-2",
        ]);

      const log = await browser.newPage();
      await log.goto(`${shops.consoleUrl}#/demo/events`);
      await log.getByLabel("Visitor").fill(visitor.fingerprintId);
      const actions = log.getByRole("main").locator("summary .tag:first-child");
      await expect
        .poll(() => actions.allTextContents(), PATIENCE)
        .toEqual(["order", "add_to_cart", "product_view", "category_view", "category_view", "homepage_view"]);
    },
    LONG,
  );

  it(
    "the demo shop asks for the newsletter until the visitor subscribes, and not after a reload either",
    async () => {
      const { page, go } = await shops.shop.visit("");
      const form = page.locator("#letter");
      await expect.poll(() => form.isVisible(), PATIENCE).toBe(true);
      await page.getByRole("textbox", { name: "E-mail" }).fill("ada@shop.test");
      await page.getByRole("button", { name: "Subscribe" }).click();
      const words = () => page.locator("#letter-state").textContent();
      await expect.poll(words, PATIENCE).toContain("You are subscribed. See you");
      expect(await form.isVisible()).toBe(false);
      for (const open of [() => page.reload(), () => go("p/lark-2")]) {
        await open();
        await expect.poll(words, PATIENCE).toContain("You are subscribed. See you");
        expect(await form.isVisible()).toBe(false);
      }
    },
    LONG,
  );

  it(
    "the demo shop sends what happened offline when the browser is back, each once",
    async () => {
      const { page, browser, stored } = await shops.shop.visit("p/pip-stove");
      await expect.poll(stored, PATIENCE).toEqual(["product_view pip-stove"]);
      await browser.setOffline(true);
      await page.getByRole("button", { name: "Add to cart" }).click();
      await page.getByRole("button", { name: "Add to cart" }).click();
      expect(await page.getByRole("link", { name: "Cart" }).textContent()).toContain("2");
      await page.getByRole("textbox", { name: "E-mail" }).fill("bo@shop.test");
      await page.getByRole("button", { name: "Subscribe" }).click();
      await expect.poll(() => page.locator("#letter-state").textContent(), PATIENCE).toContain("network is back");
      expect(await stored()).toEqual(["product_view pip-stove"]);
      await browser.setOffline(false);
      const done = ["add_to_cart pip-stove", "add_to_cart pip-stove", "product_view pip-stove", "subscribe"];
      await expect.poll(async () => (await stored()).sort(), { ...PATIENCE, timeout: 40_000 }).toEqual(done);
      const waiting = () => page.evaluate("localStorage.getItem('aisle:demo:outbox')");
      await expect.poll(waiting, { ...PATIENCE, timeout: 40_000 }).toBe("[]");
      await page.reload();
      await expect.poll(async () => (await stored()).sort(), PATIENCE).toEqual([...done, done[2]].sort());
    },
    LONG,
  );

  it(
    "the demo shop has one visitor with one cart in two tabs",
    async () => {
      const { page, browser } = await shops.shop.visit("cart");
      expect(await page.getByText("There is nothing in it yet.").isVisible()).toBe(true);
      const tab = await browser.newPage();
      await tab.goto(`${shops.service}/demo/p/ramble-22`);
      await quiet(tab);
      expect(await visitorIds(tab)).toEqual(await visitorIds(page));
      await tab.getByRole("button", { name: "Add to cart" }).click();
      const lines = () => page.getByRole("list", { name: "Things in your cart" }).getByRole("link").allTextContents();
      await expect.poll(lines, PATIENCE).toHaveLength(1);
      expect(await page.getByRole("link", { name: "Cart" }).textContent()).toContain("1");
      await page.getByRole("button", { name: /^Remove/ }).click();
      await expect.poll(() => tab.getByRole("link", { name: "Cart" }).textContent(), PATIENCE).toContain("0");
    },
    LONG,
  );

  it(
    "the demo shop works as well on another site than Aisle",
    async () => {
      const { page, stored, go } = await shops.elsewhere.visit("p/lark-2");
      const here = new URL(page.url()).origin;
      expect(here).not.toBe(shops.service);
      expect(await framed(page, "Goes well with it")).toEqual(expect.arrayContaining(FITTING));
      await page.getByRole("region", { name: "Similar things" }).getByRole("link").first().click();
      await page.waitForURL((url) => !url.pathname.endsWith("lark-2"));
      await quiet(page);
      expect(new URL(page.url()).origin).toBe(here);
      await page.getByRole("textbox", { name: "E-mail" }).fill("cy@shop.test");
      await page.getByRole("button", { name: "Subscribe" }).click();
      await expect.poll(() => page.locator("#letter-state").textContent(), PATIENCE).toContain("You are subscribed.");
      await go("");
      await expect.poll(() => page.locator("#letter-state").textContent(), PATIENCE).toContain("You are subscribed.");
      expect(await page.locator("#letter").isVisible()).toBe(false);
      await expect
        .poll(stored, PATIENCE)
        .toEqual(expect.arrayContaining(["product_view lark-2", "subscribe", "homepage_view"]));
    },
    LONG,
  );

  it(
    "the demo shop forgets a visitor who withdraws consent, and still sells and recommends",
    async () => {
      const { page, stored, go } = await shops.shop.visit("p/lark-2");
      await expect.poll(stored, PATIENCE).toEqual(["product_view lark-2"]);
      await page.getByRole("switch", { name: "Remember me for recommendations" }).click();
      expect(await visitorIds(page)).toEqual({ cId: "", fpccid: "" });
      expect(await page.evaluate("[localStorage.getItem('aisle:demo:history'), document.cookie]")).toEqual([null, ""]);
      await page.getByRole("button", { name: "Add to cart" }).click();
      await go("cart");
      expect(await framed(page, "You may also need")).toEqual(expect.arrayContaining(FITTING));
      expect(await page.getByRole("switch").getAttribute("aria-checked")).toBe("false");
      expect(await stored()).toEqual(["product_view lark-2"]);
    },
    LONG,
  );

  it(
    "the demo shop tells a visitor with Global Privacy Control that nothing is kept",
    async () => {
      const { browser } = await shops.shop.visit("");
      await browser.clearCookies();
      const page = await browser.newPage();
      await page.addInitScript("Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })");
      await page.goto(`${shops.service}/demo/p/lark-2`);
      await quiet(page);
      expect(await page.locator("#consent-state").textContent()).toContain("asks not to be followed");
      expect(await visitorIds(page)).toEqual({ cId: "", fpccid: "" });
    },
    LONG,
  );

  it(
    "the demo shop's pages pass axe and do not move, on phone and desk, light and dark",
    async () => {
      const { page, go } = await shops.shop.visit("");
      const faults: string[] = [];
      page.on("pageerror", ({ message }) => faults.push(message));
      const look = async (name: string) => {
        await quiet(page);
        expect(await page.evaluate(SHIFT), name).toBeLessThan(0.01);
        await expectSoundPage(page, `shop-${name}`);
        await page.setViewportSize({ width: 1280, height: 900 });
      };
      await look("home");
      for (const [name, path] of [
        ["department", "c/camp"],
        ["category", "c/tents"],
        ["sold-out", "p/eider-minus-12"],
        ["cart-empty", "cart"],
        ["product", "p/lark-2"],
      ] as const) {
        await go(path);
        await look(name);
      }
      await page.getByRole("button", { name: "Add to cart" }).click();
      await go("cart");
      await look("cart");
      await page.getByRole("button", { name: "Place the order" }).click();
      await page.waitForURL("**/demo/thanks");
      await look("thanks");
      expect(faults).toEqual([]);
    },
    LONG * 4,
  );
});
