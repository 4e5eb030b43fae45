import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { describeWithChromium, openBrowser, type Preferences } from "../fixtures/browser.js";
import { makeCertificate } from "../fixtures/certificate.js";
import { rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";

/** A shop at one site, Aisle at another, both by https, and a browser on the shop's page. */
async function storefront(preferences?: Preferences) {
  const directory = await temporaryDirectory();
  const files = makeCertificate(directory, "both", ["shop.test", "aisle.test", "third.test"]);
  const server = await startServer({
    directory: `${directory}/store`,
    flags: ["--tls-cert", files.cert, "--tls-key", files.key],
  });
  const { apps, events, subscriptions } = rpcClients(server.rpcUrl);
  await apps.createApp({ app: { appId: "shop" } });
  const pages = createServer({ cert: readFileSync(files.cert), key: readFileSync(files.key) }, (request, answer) => {
    answer.setHeader("content-type", "text/html; charset=utf-8");
    // To scripts of other sites this host is a third party with a cookie of the old kind, without a partition.
    answer.setHeader("access-control-allow-origin", request.headers.origin ?? "null");
    answer.setHeader("access-control-allow-credentials", "true");
    answer.setHeader("set-cookie", "old=1; Secure; SameSite=None");
    answer.end("<!doctype html><title>A shop</title>");
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
  const service = `https://aisle.test:${new URL(server.facadeUrl).port}`;
  const setStatus = (emailState: SubscriptionState) =>
    subscriptions.setSubscription({ appId: "shop", email: "ada@shop.test", emailState });
  return { page, service, setStatus, browser, apps, events, keepsOldCookies };
}

/** What the shop's script does: a call with cookies, as clients in the field make it. */
function status(page: Page, service: string, query = ""): Promise<unknown> {
  return page.evaluate(async (url) => {
    const answer = await fetch(url, { credentials: "include" });
    return answer.json();
  }, `${service}/subscription_status?app_id=shop&fpcid=fp-1${query}`);
}

function trace(page: Page, service: string, fields: Readonly<Record<string, string>>) {
  return page.evaluate(
    async ({ url, body }) => {
      const answer = await fetch(url, { method: "POST", credentials: "include", body: new URLSearchParams(body) });
      return { status: answer.status, eventId: answer.headers.get("x-service-event-id") };
    },
    { url: `${service}/trace`, body: { app_id: "shop", fp_ccid: "fp-1", ...fields } },
  );
}

/** What a visitor chose for the cookies of third parties; the default differs between distributions of Chromium. */
function thirdParties(cookies: "allowed" | "blocked"): Preferences {
  const blocked = cookies === "blocked";
  return { block_third_party_cookies: blocked, cookie_controls_mode: blocked ? 1 : 0 };
}

const SUBSCRIBE = { action_type: "subscribe", email: "ada@shop.test" };
const ANONYMOUS = { identified: false, status: null, message: "Success" };
const SUBSCRIBED = { identified: true, status: true, message: "Success" };
const UNSUBSCRIBED = { identified: true, status: false, message: "Success" };

describeWithChromium("a shop's page on another site", () => {
  it("reads the answers of all calls and the id of its event", async () => {
    const { page, service } = await storefront();
    expect(await status(page, service)).toEqual(ANONYMOUS);
    expect(await trace(page, service, SUBSCRIBE)).toEqual({
      status: 200,
      eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(await status(page, service)).toEqual(SUBSCRIBED);
    const lists = await page.evaluate(async (url) => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ appId: "shop", productInteractions: [], fpccid: "fp-1" });
      const answer = await fetch(url, { method: "POST", credentials: "include", headers, body });
      return answer.json();
    }, `${service}/recommend`);
    expect(lists).toMatchObject({ recommended: [], alternative: [] });
  });

  it("is answered from its cookies until it asks with force, or its own event changes something", async () => {
    const { page, service, setStatus, keepsOldCookies } = await storefront(thirdParties("allowed"));
    expect(await keepsOldCookies()).toBe(true);
    await trace(page, service, SUBSCRIBE);
    expect(await status(page, service)).toEqual(SUBSCRIBED);
    await setStatus(SubscriptionState.UNSUBSCRIBED);
    expect(await status(page, service)).toEqual(SUBSCRIBED);
    expect(await status(page, service, "&force=true")).toEqual(UNSUBSCRIBED);
    expect(await status(page, service)).toEqual(UNSUBSCRIBED);
    await trace(page, service, SUBSCRIBE);
    expect(await status(page, service)).toEqual(SUBSCRIBED);
  });

  it("keeps its cache where the browser blocks cookies of third parties, as the cookies are partitioned", async () => {
    const { page, service, setStatus, keepsOldCookies } = await storefront(thirdParties("blocked"));
    expect(await keepsOldCookies()).toBe(false);
    await trace(page, service, SUBSCRIBE);
    expect(await status(page, service)).toEqual(SUBSCRIBED);
    await setStatus(SubscriptionState.UNSUBSCRIBED);
    expect(await status(page, service)).toEqual(SUBSCRIBED);
    expect(await status(page, service, "&force=true")).toEqual(UNSUBSCRIBED);
  });

  it("gets right answers, each a fresh one, where the browser keeps no cookie of the service at all", async () => {
    const content_settings = { exceptions: { cookies: { "[*.]aisle.test,*": { setting: 2 } } } };
    const { page, service, setStatus, browser } = await storefront({ content_settings });
    await trace(page, service, SUBSCRIBE);
    expect(await status(page, service)).toEqual(SUBSCRIBED);
    await setStatus(SubscriptionState.UNSUBSCRIBED);
    expect(await status(page, service)).toEqual(UNSUBSCRIBED);
    expect(await browser.cookies(service)).toEqual([]);
  });

  it("reads a refusal, and stores nothing, where the app lists other origins", async () => {
    const { page, service, apps, events } = await storefront();
    await apps.updateApp({ app: { appId: "shop", allowedOrigins: ["https://other.test"] } });
    expect(await trace(page, service, SUBSCRIBE)).toEqual({ status: 403, eventId: null });
    expect((await events.listEvents({ appId: "shop" })).events).toEqual([]);
  });
});
