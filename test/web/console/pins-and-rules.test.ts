import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { describeWithChromium, waitUntil } from "../../fixtures/browser.js";
import { rpcClients, type ServerProcess, sharedOwner } from "../../fixtures/server.js";
import { expectSound, openedDemo, openPage } from "./open-console.js";

describeWithChromium("a merchant's decisions in the console", () => {
  const { owner, release } = sharedOwner();
  let server: ServerProcess;
  let browser: BrowserContext;
  let url = "";
  beforeAll(async () => {
    ({ server, browser, url } = await openedDemo(owner));
  }, 180_000);
  afterAll(release);

  const frame = async (frameId: string) => {
    const { apps } = rpcClients(server.rpcUrl);
    return (await apps.getFrameConfiguration({ appId: "demo", frameId })).frameConfiguration!;
  };
  const pinsOf = async (frameId: string) => (await frame(frameId)).pinnedProductIds;
  const bansOf = async (frameId: string) => (await frame(frameId)).bannedProductIds;
  const row = (page: Page, name: string) =>
    page.getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) });
  const decide = (page: Page, name: string) => row(page, name).getByText("Pin or ban");
  const button = (page: Page, name: string, label: string) => row(page, name).getByRole("button", { name: label });

  beforeEach(async () => {
    const { apps } = rpcClients(server.rpcUrl);
    const { frameConfigurations } = await apps.listFrameConfigurations({ appId: "demo" });
    for (const saved of frameConfigurations)
      if (saved.pinnedProductIds.length + saved.bannedProductIds.length > 0)
        await apps.setFrameConfiguration({
          appId: "demo",
          frameConfiguration: { ...saved, pinnedProductIds: [], bannedProductIds: [], variants: [] },
        });
    await apps.setFrameConfiguration({ appId: "demo", frameConfiguration: { frameId: "shelf", recommendedCount: 4 } });
  });

  it("a product is pinned to a place of a frame from the products page, shown as pinned, and the pin is undone", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/products`);
    await page.getByLabel("Search").fill("house");
    await page.keyboard.press("Enter");
    await decide(page, "Fell House carpet").click();
    await row(page, "Fell House carpet").getByLabel("Frame").selectOption("shelf");
    await button(page, "Fell House carpet", "Pin").click();
    await page.getByText("Fell House carpet is pinned in shelf, place 1.").waitFor();
    await decide(page, "Fell House 4 family tent").click();
    await row(page, "Fell House 4 family tent").getByLabel("Frame").selectOption("shelf");
    await row(page, "Fell House 4 family tent").getByLabel("Place").selectOption("1");
    await button(page, "Fell House 4 family tent", "Pin").click();
    await page.getByText("pinned in shelf, place 1.").waitFor();
    await expect.poll(() => pinsOf("shelf")).toEqual(["fell-house-4", "fell-carpet"]);
    await row(page, "Fell House carpet").getByText("pinned in shelf, place 2").waitFor();
    await page.getByText("Pinned and banned: 2 pins, 0 bans").click();
    const shelf = page.getByRole("region", { name: "Pinned and banned in shelf" });
    expect(await shelf.getByRole("heading", { level: 3 }).allTextContents()).toEqual([
      "Fell House 4 family tent",
      "Fell House carpet",
    ]);
    await waitUntil(page, "[...document.querySelectorAll('section img')].every((image) => image.naturalWidth > 0)");
    await expectSound(page, "pinned");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone.").waitFor();
    expect(await pinsOf("shelf")).toEqual(["fell-carpet"]);
    expect(faults).toEqual([]);
  });

  it("a product is banned from all frames where it is recommended, and comes back when this is undone", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/try`);
    const names = page.getByRole("region", { name: "Recommended" }).getByRole("heading", { level: 3 });
    await names.first().waitFor();
    const first = (await names.first().textContent()) ?? "";
    await decide(page, first).click();
    await expectSound(page, "decide");
    await button(page, first, "Ban in all frames").click();
    await page.getByText(`${first} is banned in all frames.`).waitFor();
    await expect.poll(() => names.allTextContents()).not.toContain(first);
    expect(await bansOf("default")).toEqual(await bansOf("shelf"));
    expect(await bansOf("default")).toHaveLength(1);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => names.allTextContents()).toContain(first);
    expect([await bansOf("default"), await bansOf("shelf")]).toEqual([[], []]);
    expect(faults).toEqual([]);
  });

  it("a pin does not overwrite what another editor saved since the page was opened", async () => {
    const { page } = await openPage(browser, `${url}#/demo/products`);
    await page.getByLabel("Search").fill("house carpet");
    await page.keyboard.press("Enter");
    await page.getByText("1 found").waitFor();
    await decide(page, "Fell House carpet").click();
    const { apps } = rpcClients(server.rpcUrl);
    const other = { ...(await frame("default")), title: "Of the other editor", pinnedProductIds: ["lark-2"] };
    await apps.setFrameConfiguration({ appId: "demo", frameConfiguration: other });
    await button(page, "Fell House carpet", "Pin").click();
    await page.getByText("Somebody else has changed a frame").waitFor();
    expect(await frame("default")).toMatchObject({ title: "Of the other editor", pinnedProductIds: ["lark-2"] });
    await decide(page, "Fell House carpet").click();
    await button(page, "Fell House carpet", "Pin").click();
    await page.getByText("Fell House carpet is pinned in default, place 1.").waitFor();
    expect(await frame("default")).toMatchObject({
      title: "Of the other editor",
      pinnedProductIds: ["fell-carpet", "lark-2"],
    });
  });

  it("rules of a frame are previewed as they are typed, saved with it, and refused at their field", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/frames`);
    await page.getByRole("button", { name: "shelf", exact: true }).click();
    const recommended = page.getByRole("region", { name: "Recommended" });
    await recommended.getByRole("heading", { level: 3 }).first().waitFor();
    // What goes with this tent is of its brand in any simulation.
    await page.getByRole("combobox", { name: /on the page of$/ }).fill("lark-2");
    await page.getByRole("button", { name: /^Remove Lark 2/ }).waitFor();
    await page.getByRole("button", { name: "Add a boost" }).click();
    await page.getByLabel("Brand", { exact: true }).fill("Larkfell");
    const factor = page.getByLabel("Counts (times)");
    await factor.fill("");
    await factor.pressSequentially("50.5");
    await recommended
      .getByText(/brand larkfell: counts 50.5 times/i)
      .first()
      .waitFor();
    expect((await frame("shelf")).rules).toBeUndefined();
    await page.getByRole("button", { name: "Add a boost" }).click();
    await page.getByLabel("Products by").nth(1).selectOption("margin");
    await page.getByLabel("Only the category of the product viewed").check();
    await page.getByLabel("Price", { exact: true }).selectOption({ label: "dearer than the product viewed" });
    await page.getByLabel("Same attributes").pressSequentially("line, colour");
    await page.getByLabel("Most of one brand").fill("2");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator("#rules-boosts-1-margin[aria-invalid=true]").waitFor();
    await expectSound(page, "rules");
    await page.getByLabel("From (% of the price)").fill("29");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/shelf is saved as version \d+\./).waitFor();
    expect((await frame("shelf")).rules).toMatchObject({
      boosts: [
        { factor: 50.5, condition: { case: "group", value: "brand:Larkfell" } },
        { factor: 2, condition: { case: "margin", value: { min: 0.29 } } },
      ],
      relativeFilters: [2, 3],
      sameAttributes: ["line", "colour"],
      maxPerBrand: 2,
    });
    await page.getByRole("button", { name: "Remove brand Larkfell" }).click();
    await page.getByLabel("Most of one brand").fill("0");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(async () => (await frame("shelf")).rules?.boosts.length).toBe(1);
    expect(faults.filter((fault) => !fault.includes("400"))).toEqual([]);
  });

  it("a product that the preview shows is pinned in the form, and stored when the form is saved", async () => {
    const { page } = await openPage(browser, `${url}#/demo/frames`);
    await page.getByRole("button", { name: "shelf", exact: true }).click();
    const names = page.getByRole("region", { name: "Recommended" }).getByRole("heading", { level: 3 });
    await names.nth(3).waitFor();
    const last = (await names.nth(3).textContent()) ?? "";
    await decide(page, last).click();
    await button(page, last, "Pin").click();
    await page.getByText(`${last} is pinned in shelf, place 1, once the frame is saved.`).waitFor();
    await expect.poll(() => names.first().textContent()).toBe(last);
    expect(await pinsOf("shelf")).toEqual([]);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => pinsOf("shelf")).toHaveLength(1);
  });
});
