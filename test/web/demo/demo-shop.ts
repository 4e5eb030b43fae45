/** The demo shop in a browser: on Aisle's own host, and as a shop on another site. */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { demoCatalogue } from "../../../src/server/demo/catalogue.js";
import { createDemoFiles } from "../../../src/server/demo/files.js";
import { openBrowser } from "../../fixtures/browser.js";
import { makeCertificate } from "../../fixtures/certificate.js";
import { freePort, type Owner, rpcClients, startServer, temporaryDirectory } from "../../fixtures/server.js";

const SCRIPT = join(import.meta.dirname, "../../../dist/web/demo/shop.js");
export const PATIENCE = { timeout: 15_000, interval: 50 };

/** A server with the demo by https; `shop` is on its host, `elsewhere` the same pages on another site. */
export async function openDemoShops(owner: Owner) {
  const directory = await temporaryDirectory(owner);
  const { cert, key } = makeCertificate(directory, "both", ["shop.test", "aisle.test"]);
  const port = await freePort();
  const service = `https://aisle.test:${port}`;
  const tls = ["--tls-cert", cert, "--tls-key", key, "--facade-port", `${port}`, "--public-url", service];
  const flags = ["--demo", "--no-learned-order", ...tls];
  const server = await startServer({ directory: `${directory}/store`, flags, owner });
  const files = createDemoFiles({ script: readFileSync(SCRIPT), serviceUrl: service });
  const pages = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, answer) => {
    const file = files(request.url ?? "");
    answer.writeHead(file === undefined ? 404 : 200, { "content-type": file?.contentType ?? "text/plain" });
    answer.end(file?.body);
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  owner(async () => {
    pages.closeAllConnections();
    pages.close();
  });
  const { events } = rpcClients(server.rpcUrl);
  const shopOf = (origin: string) => ({
    /** A visitor who has not been there, on a page. */
    async visit(path: string) {
      const browser = await openBrowser();
      const page = await browser.newPage();
      await page.goto(`${origin}/demo/${path}`);
      await quiet(page);
      const ids = await visitorIds(page);
      const visitor = { clientId: ids.cId, fingerprintId: ids.fpccid };
      /** What the service has of the visitor, oldest first: actions and the products they name. */
      const stored = async () =>
        (await events.listEvents({ appId: "demo", visitor, newestFirst: true, pageSize: 1000 })).events
          .map(({ actionType, products }) => [actionType, ...products.map(({ productId }) => productId)].join(" "))
          .reverse();
      return { browser, page, visitor, stored, go: (to: string) => go(page, `${origin}/demo/${to}`) };
    },
  });
  const { port: elsewherePort } = pages.address() as AddressInfo;
  const consoleUrl = `${server.rpcUrl}/console/`;
  return { service, consoleUrl, shop: shopOf(service), elsewhere: shopOf(`https://shop.test:${elsewherePort}`) };
}

async function go(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await quiet(page);
}

/** Waits until the frames of the page have what they asked for. */
export async function quiet(page: Page): Promise<void> {
  const isQuiet = () =>
    page.evaluate(`!document.querySelector("#consent:disabled, .frame[aria-busy], .frame:not(.aisle-frame)")`);
  await expect.poll(isQuiet, PATIENCE).toBe(true);
}

export async function visitorIds(page: Page): Promise<{ readonly cId: string; readonly fpccid: string }> {
  return page.evaluate("Aisle.shop.visitorIds()");
}

/** Ids of the products that a frame shows. */
export async function framed(page: Page, title: string): Promise<string[]> {
  const links = page.getByRole("region", { name: title, exact: true }).getByRole("link");
  const urls = await links.evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""));
  const ids = urls.map((url) => /\/demo\/p\/([a-z0-9-]+)$/.exec(url)?.[1] ?? "");
  for (const id of ids) expect(demoCatalogue().articleById(id), id).toBeDefined();
  return ids;
}

export function categoryOf(id: string): string | undefined {
  return demoCatalogue().articleById(id)?.category;
}
