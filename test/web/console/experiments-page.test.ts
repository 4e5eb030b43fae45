import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithChromium } from "../../fixtures/browser.js";
import { rpcClients, type ServerProcess, sharedOwner } from "../../fixtures/server.js";
import { expectSound, openedDemo, openPage } from "./open-console.js";

describeWithChromium("the console's page of experiments, of the demo shop", () => {
  const { owner, release } = sharedOwner();
  let server: ServerProcess;
  let browser: BrowserContext;
  let url = "";
  beforeAll(async () => {
    ({ server, browser, url } = await openedDemo(owner));
  }, 180_000);
  afterAll(release);

  const homeFrame = async () => {
    const { apps } = rpcClients(server.rpcUrl);
    return (await apps.getFrameConfiguration({ appId: "demo", frameId: "home" })).frameConfiguration;
  };

  it("shows running and ended experiments with verdicts, and leads to their frames", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/experiments`);
    const home = page.getByRole("region", { name: "Home page" });
    await home.getByText(/^more-variety is better: \d+\.\d % click instead of \d+\.\d %, .* points more$/).waitFor();
    await page
      .getByRole("region", { name: "Cart" })
      .getByText(/^Too early: \d+ visitors$/)
      .waitFor();
    const ended = page.getByRole("region", { name: "Product page" });
    await ended.getByText("No difference seen").waitFor();
    await ended.getByText("Since then all visitors see as-before").waitFor();
    const row = home.getByRole("row").filter({ hasText: "variety 0.4 instead of 0" });
    expect(await row.textContent()).toMatch(/more-variety.*50 %\d+\d+\.\d % \(\d+\.\d to \d+\.\d\)/);
    await expectSound(page, "experiments");
    await home.getByRole("link", { name: "Frame home" }).click();
    await page.getByRole("heading", { name: "home, version 2" }).waitFor();
    expect(faults).toEqual([]);
  });

  it("decides an experiment for a list, starts another one, and stops it", async () => {
    const { page, faults } = await openPage(browser, `${url}#/demo/experiments`);
    await page.getByRole("button", { name: "Show more-variety to all" }).click();
    await page.getByRole("button", { name: "Yes" }).click();
    await page.getByText("All visitors of Home page see more-variety now.").waitFor();
    await page.getByText("Since then all visitors see more-variety").waitFor();
    expect(await homeFrame()).toMatchObject({ version: 3, diversity: 0.4, variants: [] });

    await page.getByLabel("Frame", { exact: true }).selectOption("home");
    await page.getByLabel("Try").selectOption({ label: "another number of products" });
    await page.getByLabel("Products").fill("101");
    await page.getByLabel("Visitors who see it (%)").fill("20");
    await page.getByLabel("Name of the list").fill("four");
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("alert").filter({ hasText: "0 to 100" }).waitFor();
    await page.getByLabel("Products").fill("4");
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText("An experiment in Home page is running.").waitFor();
    const row = page.getByRole("row").filter({ hasText: "products recommended: 4 instead of 10" });
    expect(await row.textContent()).toContain("20 %");
    await page.getByText("Too early: 0 visitors").waitFor();

    await page.getByRole("button", { name: "Show before-four to all" }).click();
    await page.getByRole("button", { name: "Yes" }).click();
    await page.getByText("All visitors of Home page see before-four now.").waitFor();
    expect(await homeFrame()).toMatchObject({ version: 5, recommendedCount: 10, variants: [] });
    expect(faults.filter((fault) => !fault.includes("400"))).toEqual([]);
  });
});
