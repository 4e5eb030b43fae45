/** The console of a running server, in a browser. */
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import { openBrowser } from "../fixtures/browser.js";
import { type Owner, startServer, temporaryDirectory } from "../fixtures/server.js";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const ARTEFACTS = join(import.meta.dirname, "../../test-artefacts");

/** Widths and schemes that every page is looked at in. */
export const LOOKS = [
  { name: "phone-dark", width: 360, height: 780, scheme: "dark" },
  { name: "desk-dark", width: 1280, height: 900, scheme: "dark" },
  { name: "phone", width: 360, height: 780, scheme: "light" },
  { name: "desk", width: 1280, height: 900, scheme: "light" },
] as const;

/** A server with the demo shop, and a browser. */
export async function openedDemo(owner: Owner, flags: readonly string[] = []) {
  const directory = await temporaryDirectory(owner);
  const server = await startServer({
    directory: `${directory}/store`,
    flags: ["--demo", "--no-learned-order", ...flags],
    owner,
  });
  const browser = await openBrowser(owner);
  await browser.grantPermissions(["clipboard-read", "clipboard-write"]);
  return { server, browser, url: `${server.rpcUrl}/console/` };
}

/** A page of the console. What its policy forbids, and what goes wrong in it, fails the test that looks at `faults`. */
export async function openPage(browser: BrowserContext, url: string): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(url);
  return { page, faults };
}

/** Looks at the page as it is in every width and scheme: axe finds nothing, nothing is wider than the page. Keeps pictures. */
export async function expectSound(page: Page, name: string): Promise<void> {
  await mkdir(ARTEFACTS, { recursive: true });
  for (const look of LOOKS) {
    await page.setViewportSize({ width: look.width, height: look.height });
    await page.emulateMedia({ colorScheme: look.scheme, reducedMotion: "reduce" });
    await page.evaluate("document.documentElement.scrollTop = 0");
    await page.screenshot({ path: join(ARTEFACTS, `console-${name}-${look.name}.png`), fullPage: true });
    const width: unknown = await page.evaluate("document.documentElement.scrollWidth");
    expect(width, `${name} at ${look.width} px`).toBe(look.width);
    expect(await axeFindings(page), `${name}, ${look.name}`).toEqual([]);
  }
}

/** Run in a world of its own: the page's policy stays as it is. */
async function axeFindings(page: Page): Promise<unknown> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(readFileSync(AXE, "utf8"));
  return page.evaluate(`axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + " " + failureSummary).join(" | ")))`);
}
