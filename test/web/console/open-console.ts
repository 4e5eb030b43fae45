/** The console of a running server, in a browser. */
import type { Page } from "playwright-core";
import { openBrowser } from "../../fixtures/browser.js";
import { expectSoundPage } from "../../fixtures/page-checks.js";
import { type Owner, startServer, temporaryDirectory } from "../../fixtures/server.js";

export { openPage } from "../../fixtures/page-checks.js";

/** A server with the demo shop, and a browser. */
export async function openedDemo(owner: Owner, flags: readonly string[] = []) {
  const directory = await temporaryDirectory(owner);
  const start = () =>
    startServer({ directory: `${directory}/store`, flags: ["--demo", "--no-learned-order", ...flags], owner });
  // Free ports are chosen before the demo is made and opened after: another process may have taken one meanwhile.
  const server = await start().catch(start);
  const browser = await openBrowser(owner);
  await browser.grantPermissions(["clipboard-read", "clipboard-write"]);
  return { server, browser, url: `${server.rpcUrl}/console/` };
}

/** Its pictures begin with `console-`. */
export const expectSound = (page: Page, name: string) => expectSoundPage(page, `console-${name}`);
