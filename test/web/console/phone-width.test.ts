import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PAGES } from "../../../web/console/route.js";
import { describeWithChromium } from "../../fixtures/browser.js";
import { sharedOwner } from "../../fixtures/server.js";
import { openedDemo, openPage } from "./open-console.js";

const PHONE = { width: 390, height: 844 };

describeWithChromium("the console on a phone", () => {
  const { owner, release } = sharedOwner();
  let browser: BrowserContext;
  let url = "";
  beforeAll(async () => {
    ({ browser, url } = await openedDemo(owner));
  }, 180_000);
  afterAll(release);

  it.each(Object.keys(PAGES))(
    "shows the page %s without scrolling sideways; wide tables scroll by themselves",
    async (name) => {
      const { page, faults } = await openPage(browser, `${url}#/demo/${name}`);
      await page.setViewportSize(PHONE);
      await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.width);
      const outside = `[...document.querySelectorAll("main *")].filter((element) =>
      element.getBoundingClientRect().right > ${PHONE.width + 1} && !element.closest(".scroll, nav, pre")).map((element) => element.outerHTML.slice(0, 80))`;
      expect(await page.evaluate(outside)).toEqual([]);
      expect(faults).toEqual([]);
      await page.close();
    },
  );
});
