import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithChromium } from "../../fixtures/browser.js";
import { rpcClients, type ServerProcess, sharedOwner, temporaryDirectory } from "../../fixtures/server.js";
import { expectSound, openedDemo, openPage } from "./open-console.js";

const PATIENCE = { timeout: 15_000 };

const box = (page: Page) => page.getByRole("combobox", { name: "Find", exact: true });
/** Types the text, and waits until the things with these titles are found, the first ones of all. */
async function finds(page: Page, text: string, titles: readonly string[]): Promise<void> {
  await box(page).fill(text);
  const found = () => page.getByRole("listbox").getByRole("option").locator("strong").allTextContents();
  await expect.poll(async () => (await found()).slice(0, titles.length), PATIENCE).toEqual(titles);
}

/** Without the answers that there is no such thing, which the browser reports as well. */
const without404 = (faults: readonly string[]) => faults.filter((fault) => !fault.includes("404"));

describeWithChromium("the console's search, in the demo shop", () => {
  const { owner, release } = sharedOwner();
  let server: ServerProcess;
  let browser: BrowserContext;
  let url = "";
  beforeAll(async () => {
    ({ server, browser, url } = await openedDemo(owner));
  }, 180_000);
  afterAll(release);

  it("finds a visitor with the contact by e-mail address, cookie id and customer id, and leads to the events", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/today`);
    await box(page).waitFor();
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe("combobox");
    await page.getByText("Find by visitor, customer or order id").waitFor();
    const maja = ["fp-maja", "maja.lindqvist@example.com"];
    await finds(page, "Maja.Lindqvist@example.com", maja);
    await finds(page, "fp-maja", maja);
    await finds(page, "c-maja", maja);
    await page.keyboard.press("Enter");
    await page.getByText("order LF-10000").first().waitFor();
    expect(new URL(page.url()).hash).toBe("#/demo/events?visitor=fp-maja");
    expect(await page.getByLabel("Visitor", { exact: true }).inputValue()).toBe("fp-maja");
    expect(await box(page).inputValue()).toBe("");
    expect(without404(faults)).toEqual([]);
  });

  it("leads by arrows to a contact with its subscriptions and visitors", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/today`);
    await finds(page, "maja.lindqvist@example.com", ["fp-maja"]);
    await expectSound(page, "search");
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.keyboard.press("ArrowDown");
    const chosen = page.getByRole("listbox").getByRole("option", { selected: true });
    expect(await chosen.textContent()).toContain("Maja Lindqvist · e-mail subscribed");
    await page.keyboard.press("Enter");
    const contact = page.getByRole("region", { name: "maja.lindqvist@example.com" });
    await contact.getByRole("link", { name: "fp-maja" }).waitFor();
    await contact.getByRole("row").filter({ hasText: "subscribed" }).first().waitFor();
    await expectSound(page, "contact");
    expect(without404(faults)).toEqual([]);
  });

  it("finds products by words and by id, and leads to the product", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/today`);
    await finds(page, "house family", ["Fell House carpet", "Fell House 4 family tent"]);
    await finds(page, "pip-stove", ["Pip gas stove"]);
    await page.getByRole("listbox").getByRole("option").first().click();
    await page.getByText("1 found among 174").waitFor();
    expect(without404(faults)).toEqual([]);
  });

  it("finds an order, and shows its products and the visitor's events", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/today`);
    await box(page).fill("LF-10000");
    await page.getByRole("option", { name: "Order LF-10000" }).click();
    const order = page.getByRole("region", { name: "Order LF-10000" });
    await order.getByRole("link", { name: /Ramble 22/ }).waitFor();
    await expectSound(page, "order");
    await order.getByRole("button", { name: "Events of this visitor" }).click();
    await expect.poll(() => page.getByLabel("Visitor", { exact: true }).inputValue(), PATIENCE).toBe("fp-maja");
    expect(without404(faults)).toEqual([]);
  });

  it("finds an event by id, and shows how it was understood", async () => {
    const { events } = rpcClients(server.rpcUrl);
    const [event] = (await events.listEvents({ appId: "demo", pageSize: 1 })).events;
    const { page, faults } = await openPage(browser, `${url}#/demo/today`);
    await finds(page, ` ${event?.eventId} `, [event?.actionType ?? ""]);
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Event" }).getByText(`"eventId": "${event?.eventId}"`).waitFor();
    expect(without404(faults)).toEqual([]);
  });

  it("says that nothing was found, follows Enter pressed before the answer, and leaves on Escape", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/today`);
    await box(page).fill("zzqqxx");
    await page.getByText("Nothing found for “zzqqxx”.").waitFor();
    await expectSound(page, "search-nothing");
    await page.keyboard.press("Escape");
    expect(await box(page).inputValue()).toBe("");
    await box(page).fill("fp-maja");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).hash, PATIENCE).toBe("#/demo/events?visitor=fp-maja");
    expect(without404(faults)).toEqual([]);
  });

  it("says that the server does not answer, and finds again when it does", async () => {
    const { page } = await openPage(browser, `${url}#/demo/today`);
    await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
    await page.route("**/ListProducts*", (route) => route.abort());
    await box(page).fill("lark");
    await page.getByRole("alert").filter({ hasText: "The server does not answer" }).waitFor();
    await page.unroute("**/ListProducts*");
    await finds(page, "lark 2", ["Lark 2 tent, ember"]);
  });
});

describeWithChromium("the console's search with a token that may not read personal data", () => {
  it("finds products alone, and says what it may not look for", async () => {
    const { owner, release } = sharedOwner();
    try {
      const { tokens } = await tokenFile(owner);
      const { browser, url } = await openedDemo(owner, ["--rpc-tokens", tokens]);
      const { page } = await openPage(browser, `${url}#/demo/products`);
      await page.getByLabel("Token").fill("reader-token");
      await page.keyboard.press("Enter");
      await page.getByText("174 found among 174").waitFor();
      await box(page).fill("fp-maja");
      await page.getByText("Your token does not allow to look for: Visitors, Contacts, Orders.").waitFor();
      expect(await page.getByRole("option", { name: "fp-maja" }).count()).toBe(0);
      await finds(page, "pip-stove", ["Pip gas stove"]);
    } finally {
      await release();
    }
  }, 180_000);
});

async function tokenFile(owner: ReturnType<typeof sharedOwner>["owner"]) {
  const tokens = `${await temporaryDirectory(owner)}/tokens`;
  const hash = createHash("sha256").update("reader-token").digest("hex");
  await writeFile(tokens, `reader read ${hash}\n`);
  return { tokens };
}
