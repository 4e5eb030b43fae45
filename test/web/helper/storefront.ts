import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { SubscriptionState } from "../../../src/gen/aisle/v1/subscription_pb.js";
import { openBrowser, type Preferences } from "../../fixtures/browser.js";
import { makeCertificate } from "../../fixtures/certificate.js";
import { rpcClients, startServer, temporaryDirectory } from "../../fixtures/server.js";

/** A shop at one site, Aisle at another, both by https, and a browser on the shop's page. `html` is that of all its pages. */
export async function storefront(preferences?: Preferences, html: (service: string) => string = () => "") {
  const directory = await temporaryDirectory();
  const files = makeCertificate(directory, "both", ["shop.test", "aisle.test", "third.test"]);
  const server = await startServer({
    directory: `${directory}/store`,
    flags: ["--tls-cert", files.cert, "--tls-key", files.key],
  });
  const service = `https://aisle.test:${new URL(server.facadeUrl).port}`;
  const { apps, catalog, events, subscriptions } = rpcClients(server.rpcUrl);
  await apps.createApp({ app: { appId: "shop" } });
  const pages = createServer({ cert: readFileSync(files.cert), key: readFileSync(files.key) }, (request, answer) => {
    answer.setHeader("content-type", "text/html; charset=utf-8");
    // To scripts of other sites this host is a third party with a cookie of the old kind, without a partition.
    answer.setHeader("access-control-allow-origin", request.headers.origin ?? "null");
    answer.setHeader("access-control-allow-credentials", "true");
    answer.setHeader("set-cookie", "old=1; Secure; SameSite=None");
    answer.end(`<!doctype html><html lang="en"><title>A shop</title>${html(service)}</html>`);
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    pages.closeAllConnections();
    pages.close();
  });
  const browser = await openBrowser(undefined, preferences);
  const page = await browser.newPage();
  const { port } = pages.address() as AddressInfo;
  await page.goto(`https://shop.test:${port}/`);
  const keepsOldCookies = async () => {
    const third = `https://third.test:${port}/`;
    await page.evaluate((url) => fetch(url, { credentials: "include" }).then((answer) => answer.text()), third);
    return (await browser.cookies(third)).length > 0;
  };
  const setStatus = (emailState: SubscriptionState) =>
    subscriptions.setSubscription({ appId: "shop", email: "ada@shop.test", emailState });
  const shop = `https://shop.test:${port}/`;
  return { page, service, shop, setStatus, browser, apps, catalog, events, keepsOldCookies };
}
