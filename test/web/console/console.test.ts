import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SubscriptionState } from "../../../src/gen/aisle/v1/subscription_pb.js";
import { describeWithChromium, openBrowser, waitUntil } from "../../fixtures/browser.js";
import { rpcClients, type ServerProcess, sharedOwner, startServer, temporaryDirectory } from "../../fixtures/server.js";
import { expectSound, openedDemo, openPage } from "./open-console.js";

describeWithChromium("the console of a server with the demo shop", () => {
  const { owner, release } = sharedOwner();
  let server: ServerProcess;
  let browser: BrowserContext;
  let url = "";
  beforeAll(async () => {
    ({ server, browser, url } = await openedDemo(owner));
  }, 180_000);
  afterAll(release);

  it("the server logs the console's address when it starts", () => {
    expect(server.output()).toContain(`console at ${url}`);
  });

  it("the console shows the apps with ids and code to copy", async () => {
    const { page, faults } = await openPage(browser, url);
    await page.getByRole("button", { name: "Copy the id of" }).first().click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("demo");
    const line = page.getByRole("figure", { name: "Is the visitor subscribed?" });
    await line.waitFor();
    expect(await line.textContent()).toContain(`${server.facadeUrl}/subscription_status?app_id=demo`);
    await page.getByText("data-app").waitFor();
    await expectSound(page, "apps");
    expect(faults).toEqual([]);
  });

  it("the console shows a visitor's recommendations with pictures and reasons, and again when the history changes", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/try`);
    const recommended = page.getByRole("region", { name: "Recommended" }).getByRole("heading", { level: 3 });
    await page.getByRole("combobox", { name: "Current product" }).fill("lark-2");
    await page.getByRole("button", { name: /^Remove Lark 2.* from: Current product/ }).waitFor();
    await page.getByRole("combobox", { name: "In the cart" }).fill("pip-stove");
    await page.getByRole("button", { name: /from: In the cart/ }).waitFor();
    await page
      .getByText(/because of .*Pip/i)
      .first()
      .waitFor();
    expect(await recommended.count()).toBe(10);
    await waitUntil(page, "[...document.images].some((image) => image.naturalWidth > 0)");
    await expectSound(page, "try");
    expect(faults).toEqual([]);
  });

  it("the console shows live events, also of one visitor only, and how each was understood", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/events`);
    await page.getByRole("listitem").filter({ hasText: "product_view" }).first().waitFor();
    const trace = (fields: Record<string, string>) =>
      fetch(`${server.facadeUrl}/trace`, { method: "POST", body: new URLSearchParams({ app_id: "demo", ...fields }) });
    await trace({ action_type: "product_view", product_ids: "lark-2", fp_ccid: "fp-live", product_titles: "Lark" });
    await page.getByText("1 new since you came").waitFor();
    await page.getByLabel("Visitor").fill("fp-live");
    const rows = page.getByRole("main").getByRole("group");
    await expect.poll(() => rows.count()).toBe(1);
    await page.locator("summary").click();
    await page.getByText('"fingerprintId": "fp-live"').waitFor();
    await page.getByRole("button", { name: "Live: pause" }).click();
    await expectSound(page, "events");
    expect(faults).toEqual([]);
  });

  it("the console shows why an event was rejected, and records it once it is corrected", async () => {
    const form = new URLSearchParams({ app_id: "demo", action_type: "product_view", fp_ccid: "fp-rejected" });
    await fetch(`${server.facadeUrl}/trace`, { method: "POST", body: form });
    const { page, faults } = await openPage(browser, `${url}#/demo/rejected`);
    await page.getByText("event.products: is missing").click();
    await expectSound(page, "rejected");
    const text = page.getByLabel("The event as it was sent");
    const event: unknown = JSON.parse(await text.inputValue());
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByText("0 recorded, 1 rejected again").waitFor();
    await text.fill(JSON.stringify({ ...Object(event), products: [{ productId: "lark-2" }] }));
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByText("1 recorded, 0 rejected again").waitFor();
    await page.getByText(/Recorded as [0-9a-f-]{36}/).waitFor();
    expect(faults).toEqual([]);
  });

  it("the console finds products by words, with their pictures", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/products`);
    await page.getByText("174 found among 174").waitFor();
    await page.getByLabel("Search").fill("HOUSE family");
    await page.keyboard.press("Enter");
    await page.getByText("3 found among 174").waitFor();
    const names = await page.getByRole("heading", { level: 2 }).allTextContents();
    expect(names).toEqual(["Fell House carpet", "Fell House 4 family tent", "Fell House 6 family tent"]);
    await waitUntil(page, "[...document.images].every((image) => image.naturalWidth > 0)");
    await expectSound(page, "products");
    expect(faults).toEqual([]);
  });

  it("the console loads no picture from a host that only events named", async () => {
    const { page, faults } = await openPage(browser, "about:blank");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).host));
    await page.route("**/ListProducts", async (route) => {
      const response = await route.fetch();
      const answer: { products: object[] } = await response.json();
      const learned = {
        origin: "PRODUCT_ORIGIN_EVENT",
        title: "A stranger's kettle",
        productId: "stranger",
        imageUrl: "https://tracker.example/seen.gif",
      };
      await route.fulfill({ response, json: { ...answer, products: [learned, ...answer.products] } });
    });
    await page.goto(`${url}#/demo/products`);
    await page.getByRole("heading", { name: "A stranger's kettle" }).waitFor();
    await waitUntil(page, "[...document.images].some((image) => image.naturalWidth > 0)");
    expect([...new Set(asked)].sort()).toEqual([new URL(server.facadeUrl).host, new URL(server.rpcUrl).host].sort());
    expect(faults).toEqual([]);
  });

  it("the console rolls back to an earlier model and trains one, each with a new version", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/models`);
    await page.getByRole("button", { name: "Train now" }).click();
    await page.getByText(/Version \d+ serves now/).waitFor({ timeout: 110_000 });
    const trained = await page.getByText(/Version \d+ serves now/).textContent();
    await page.getByRole("button", { name: "Roll back", exact: true }).click();
    await page.getByRole("button", { name: "Yes" }).click();
    await expect.poll(() => page.getByText(/Version \d+ serves now/).textContent()).not.toBe(trained);
    const { models } = await rpcClients(server.rpcUrl).models.listModels({ appId: "demo" });
    expect(models.map(({ active }) => active)).toEqual([false, true]);
    const verdict = page.getByRole("region", { name: "Is it better than bestsellers?" });
    expect(await verdict.textContent()).toMatch(
      /On product pages: better than bestsellers by \d+\.\d points \(\d+\.\d to/,
    );
    expect(await verdict.getByRole("row").count()).toBe(3);
    expect(faults).toEqual([]);
  }, 120_000);

  it("the console shows an evaluation as curves, and the same figures as a table", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/models`);
    await page.getByRole("button", { name: "Evaluate" }).click();
    await page.getByRole("img", { name: /by length of history/ }).waitFor({ timeout: 110_000 });
    const drawn: unknown = await page.evaluate(`(() => {
      const canvas = document.querySelector("canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.some((part, at) => at % 4 === 3 && part > 0);
    })()`);
    expect(drawn).toBe(true);
    const row = page.getByRole("row").filter({ hasText: "recommended" });
    expect(await row.textContent()).toMatch(/recommended answer\d+\.\d %/);
    await expectSound(page, "models");
    expect(faults).toEqual([]);
  }, 120_000);

  it("the console counts subscribers as the ledger does, and shows the status of one visitor", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/subscriptions`);
    await page.getByText(/Counted from \d+ entries of the consent ledger\./).waitFor();
    const { changes } = await rpcClients(server.rpcUrl).subscriptions.listChanges({ appId: "demo", pageSize: 1000 });
    const last = new Map(changes.map(({ contactId, newState }) => [contactId, newState]));
    const subscribed = [...last.values()].filter((state) => state === SubscriptionState.SUBSCRIBED).length;
    expect(await page.getByRole("definition").first().textContent()).toBe(String(subscribed));
    await page.getByLabel("fp_ccid").fill("fp-maja");
    await page.keyboard.press("Enter");
    await page.getByText("A known contact; e-mail subscribed").waitFor();
    await expectSound(page, "subscriptions");
    expect(faults).toEqual([]);
  });

  it("the console creates a frame, shows errors at their field, previews the frame, and restores an earlier version", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/frames`);
    await page.getByRole("button", { name: "New frame" }).click();
    await page.getByLabel("Id", { exact: true }).fill("beside-cart");
    const count = page.getByRole("spinbutton", { name: "Recommended" });
    await count.fill("101");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("0 to 100", { exact: false }).and(page.locator(".fault")).waitFor();
    expect(await count.getAttribute("aria-invalid")).toBe("true");
    await count.fill("3");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("beside-cart is saved as version 1.").waitFor();
    const shown = page.getByRole("region", { name: "Recommended" }).getByRole("heading", { level: 3 });
    await expect.poll(() => shown.count()).toBe(3);
    await count.fill("2");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("beside-cart is saved as version 2.").waitFor();
    await expect.poll(() => shown.count()).toBe(2);
    await page.getByRole("button", { name: "Restore 1" }).click();
    await page.getByRole("button", { name: "Yes" }).click();
    await page.getByText("beside-cart is saved as version 3.").waitFor();
    await expect.poll(() => shown.count()).toBe(3);
    await page.getByLabel("Rotation rate").fill("0.5");
    await page.getByLabel("Rotation days").fill("8");
    await page.getByLabel("Recommended shows").selectOption({ label: "bestsellers" });
    await page.getByLabel("Days that count").fill("7");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("above 0, at most 7", { exact: false }).and(page.locator(".fault")).waitFor();
    await page.getByLabel("Rotation days").fill("2");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("beside-cart is saved as version 4.").waitFor();
    await page.reload();
    await page.getByRole("link", { name: "beside-cart" }).or(page.getByText("beside-cart")).first().click();
    await expect.poll(() => page.getByLabel("Rotation rate").inputValue()).toBe("0.5");
    expect(await page.getByLabel("Rotation days").inputValue()).toBe("2");
    expect(await page.getByLabel("Days that count").inputValue()).toBe("7");
    await expectSound(page, "frames");
    expect(faults.filter((fault) => !fault.includes("400"))).toEqual([]);
  });

  it("the console moves the focus to the heading of a new page, by keyboard alone", async () => {
    const { page } = await openPage(browser, `${url}#/`);
    const link = page.getByRole("link", { name: "Products" });
    await link.focus();
    await page.keyboard.press("Enter");
    await waitUntil(
      page,
      "document.activeElement.textContent === 'Products' && document.activeElement.tagName === 'H1'",
    );
    expect(await page.title()).toBe("Products – Aisle console");
  });
});

describeWithChromium("the console of a server that asks for tokens", () => {
  it("the console reports a wrong token, keeps a right one for its tab only, and names a missing scope", async () => {
    const directory = await temporaryDirectory();
    const tokens = `${directory}/tokens`;
    const hash = createHash("sha256").update("reader-token").digest("hex");
    await writeFile(tokens, `reader read ${hash}\n`);
    const own = await startServer({ directory: `${directory}/store`, flags: ["--rpc-tokens", tokens] });
    const browser = await openBrowser();
    const { page } = await openPage(browser, `${own.rpcUrl}/console/`);
    const token = page.getByLabel("Token");
    await token.fill("guessed");
    await page.keyboard.press("Enter");
    await page.getByText("The server does not know this token.").waitFor();
    await expectSound(page, "token");
    await token.fill("reader-token");
    await page.keyboard.press("Enter");
    await page.getByText("There is no app yet.").waitFor();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Your token does not allow this: the scope admin is needed").waitFor();
    expect(await browser.cookies()).toEqual([]);
    expect(await page.evaluate("localStorage.length")).toBe(0);
    await page.reload();
    await page.getByText("There is no app yet.").waitFor();
    await page.getByRole("button", { name: "Forget the token" }).click();
    await token.waitFor();
  });
});
