import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { SubscriptionState } from "../../../src/gen/aisle/v1/subscription_pb.js";
import { describeWithChromium, type Preferences } from "../../fixtures/browser.js";
import { storefront } from "./storefront.js";

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
  it("a page on another site reads the answers of all calls and the id of its event", async () => {
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

  it("a page on another site gets cached answers until it asks with force, or its own event changes something", async () => {
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

  it("a page on another site keeps its cache where the browser blocks third-party cookies, since they are partitioned", async () => {
    const { page, service, setStatus, keepsOldCookies } = await storefront(thirdParties("blocked"));
    expect(await keepsOldCookies()).toBe(false);
    await trace(page, service, SUBSCRIBE);
    expect(await status(page, service)).toEqual(SUBSCRIBED);
    await setStatus(SubscriptionState.UNSUBSCRIBED);
    expect(await status(page, service)).toEqual(SUBSCRIBED);
    expect(await status(page, service, "&force=true")).toEqual(UNSUBSCRIBED);
  });

  it("a page on another site gets right, uncached answers where the browser keeps no cookie at all", async () => {
    const content_settings = { exceptions: { cookies: { "[*.]aisle.test,*": { setting: 2 } } } };
    const { page, service, setStatus, browser } = await storefront({ content_settings });
    await trace(page, service, SUBSCRIBE);
    expect(await status(page, service)).toEqual(SUBSCRIBED);
    await setStatus(SubscriptionState.UNSUBSCRIBED);
    expect(await status(page, service)).toEqual(UNSUBSCRIBED);
    expect(await browser.cookies(service)).toEqual([]);
  });

  it("a page on another site reads a rejection, and stores nothing, where the app lists other origins", async () => {
    const { page, service, apps, events } = await storefront();
    await apps.updateApp({ app: { appId: "shop", allowedOrigins: ["https://other.test"] } });
    expect(await trace(page, service, SUBSCRIBE)).toEqual({ status: 403, eventId: null });
    expect((await events.listEvents({ appId: "shop" })).events).toEqual([]);
  });
});
