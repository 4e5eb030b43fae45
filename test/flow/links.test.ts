import { describe, expect, it } from "vitest";
import { ChangeSource } from "../../src/gen/aisle/v1/ledger_pb.js";
import { LinkPurpose } from "../../src/gen/aisle/v1/link_pb.js";
import { SubscriptionChannel, SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";

const PUBLIC_URL = "https://aisle.test/x";
const EMAIL = "ada@shop.example";
const BROWSER = { accept: "text/html,*/*;q=0.8", "accept-language": "en" };
const { EMAIL: BY_EMAIL, SMS: BY_SMS } = SubscriptionChannel;
const { CONFIRM, UNSUBSCRIBE } = LinkPurpose;

const stores = await storeKinds();

describe.each(stores)("links in mails: $name", ({ openStore }) => {
  /** A shop with a contact who is subscribed, or of whom nothing is known. */
  async function shop(emailState = SubscriptionState.SUBSCRIBED) {
    const aisle = await openAisle(openStore, { publicUrl: PUBLIC_URL });
    const { subscriptions } = aisle.rpc;
    await aisle.rpc.apps.createApp({ app: { appId: "shop", displayName: "Lark & Sons" } });
    const listed = async function* () {
      yield { appId: "shop", contacts: [{ email: EMAIL }] };
    };
    if (emailState === SubscriptionState.UNSPECIFIED) await subscriptions.importContacts(listed());
    else await subscriptions.setSubscription({ appId: "shop", email: EMAIL, emailState });
    const link = async (
      purpose: LinkPurpose,
      more: { ttl?: { seconds: bigint }; contact?: { case: "email" | "phone"; value: string } } = {},
    ) => {
      const { url } = await subscriptions.createLink({
        appId: "shop",
        contact: { case: "email", value: EMAIL },
        purpose,
        channel: BY_EMAIL,
        ...more,
      });
      expect(url).toMatch(/^https:\/\/aisle\.test\/x\/s\/[A-Za-z0-9_.-]+$/);
      return new URL(url).pathname.replace("/x", "");
    };
    const open = async (path: string, method: "GET" | "HEAD" | "POST", headers: Record<string, string> = BROWSER) => {
      const answer = await aisle.facade.inject({ method, url: path, headers });
      return { status: answer.statusCode, type: String(answer.headers["content-type"]), body: answer.body };
    };
    const state = async () => {
      const { contact } = await subscriptions.getContact({ appId: "shop", contact: { case: "email", value: EMAIL } });
      return contact?.emailState;
    };
    const ledger = async () =>
      (await subscriptions.listChanges({ appId: "shop" })).changes.map(({ source, newState }) => [
        ChangeSource[source].toLowerCase(),
        newState,
      ]);
    return { ...aisle, link, open, state, ledger, subscriptions };
  }

  it("a GET changes nothing, the button does, and a second press changes nothing more", async () => {
    const { link, open, state, ledger } = await shop();
    const path = await link(UNSUBSCRIBE);
    for (const method of ["GET", "HEAD", "GET"] as const) expect((await open(path, method)).status).toBe(200);
    expect((await open(path, "GET")).body).toContain("<button>Unsubscribe</button>");
    expect(await state()).toBe(SubscriptionState.SUBSCRIBED);
    const pressed = await open(path, "POST");
    expect(pressed).toMatchObject({ status: 200, type: "text/html; charset=utf-8" });
    expect(pressed.body).toContain("You are unsubscribed");
    expect(pressed.body).toContain("Lark &amp; Sons");
    expect(await state()).toBe(SubscriptionState.UNSUBSCRIBED);
    expect((await open(path, "POST")).status).toBe(200);
    expect((await open(path, "GET")).body).not.toContain("<button");
    expect(await ledger()).toEqual([
      ["rpc", SubscriptionState.SUBSCRIBED],
      ["unsubscribe", SubscriptionState.UNSUBSCRIBED],
    ]);
  });

  it.each([
    "/",
    "</a>",
    "%3C/a%3E",
    "/%3E",
    "&gt;",
    "&amp;",
    "&quot;",
    "=3D",
    "=20",
    "%E2%80%9D",
    "%20",
    "&gt;?utm_source=mail",
  ])("works with %j that a mail left behind it", async (rest) => {
    const { link, open, state } = await shop();
    const path = (await link(UNSUBSCRIBE)) + rest;
    const asked = await open(path, "GET");
    expect([asked.status, asked.body.includes("<button>Unsubscribe</button>")]).toEqual([200, true]);
    expect((await open(path, "POST")).status).toBe(200);
    expect(await state()).toBe(SubscriptionState.UNSUBSCRIBED);
  });

  it("a mail program unsubscribes by one click with the List-Unsubscribe headers", async () => {
    const { subscriptions, facade, state } = await shop();
    const order = {
      appId: "shop",
      contact: { case: "email" as const, value: EMAIL },
      purpose: UNSUBSCRIBE,
      channel: BY_EMAIL,
    };
    const { url, mailHeaders } = await subscriptions.createLink(order);
    expect(mailHeaders).toBe(`List-Unsubscribe: <${url}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n`);
    const answer = await facade.inject({
      method: "POST",
      url: new URL(url).pathname.replace("/x", ""),
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: "List-Unsubscribe=One-Click",
    });
    expect(answer.statusCode).toBe(200);
    expect(await state()).toBe(SubscriptionState.UNSUBSCRIBED);
  });

  it("a confirmation link subscribes by its button", async () => {
    const { link, open, state, ledger } = await shop(SubscriptionState.UNSPECIFIED);
    const path = await link(CONFIRM);
    expect((await open(path, "GET")).body).toContain("<button>Yes, subscribe me</button>");
    expect(await state()).toBe(SubscriptionState.UNKNOWN);
    expect((await open(path, "POST")).body).toContain("You are subscribed");
    expect(await state()).toBe(SubscriptionState.SUBSCRIBED);
    expect(await ledger()).toEqual([
      ["request", SubscriptionState.UNKNOWN],
      ["confirmation", SubscriptionState.SUBSCRIBED],
    ]);
  });

  it("a confirmation link completes a double opt-in, and does not prove the visitor who asked", async () => {
    const { rpc, trace, status, store, open, state, ledger, subscriptions } = await shop(SubscriptionState.UNSPECIFIED);
    await rpc.apps.updateApp({ app: { appId: "shop", doubleOptIn: true } });
    const { eventId } = await trace({ app_id: "shop", action_type: "subscribe", email: EMAIL, fp_ccid: "f1" });
    expect(await status("shop", "f1")).toMatchObject({ identified: true, status: null });
    const order = {
      appId: "shop",
      contact: { case: "email" as const, value: EMAIL },
      purpose: CONFIRM,
      channel: BY_EMAIL,
    };
    const { url } = await subscriptions.createLink(order);
    await open(new URL(url).pathname.replace("/x", ""), "POST");
    expect(await status("shop", "f1")).toMatchObject({ identified: true, status: true });
    expect(await state()).toBe(SubscriptionState.SUBSCRIBED);
    expect(await ledger()).toEqual([
      ["request", SubscriptionState.UNKNOWN],
      ["confirmation", SubscriptionState.SUBSCRIBED],
    ]);
    const { changes } = await subscriptions.listChanges({ appId: "shop" });
    expect(changes.map((change) => change.eventId)).toEqual([eventId, eventId]);
    expect((await store.visitors.find("shop", ["f:f1"]))[0]).toMatchObject({ isProven: false });
    await trace({ app_id: "shop", action_type: "subscribe", email: EMAIL, subscriber_status: "0", fp_ccid: "f1" });
    expect(await state()).toBe(SubscriptionState.UNSUBSCRIBED);
  });

  it("a confirmation link proves the browser that follows it; an unsubscribe link does not, since mails are forwarded", async () => {
    const { link, open, status, state, store, now } = await shop();
    const unsubscribe = await link(UNSUBSCRIBE);
    expect((await open(unsubscribe, "POST", { ...BROWSER, cookie: "fp_ccid=friend" })).status).toBe(200);
    expect(await state()).toBe(SubscriptionState.UNSUBSCRIBED);
    expect(await status("shop", "friend")).toMatchObject({ identified: false, status: null });
    expect(await store.visitors.find("shop", ["f:friend"])).toEqual([]);

    now.at += 1000;
    const confirm = await link(CONFIRM);
    expect((await open(confirm, "POST", { ...BROWSER, cookie: "fp_ccid=reader" })).status).toBe(200);
    expect(await status("shop", "reader")).toMatchObject({ identified: true, status: true });
    expect(await store.visitors.find("shop", ["f:reader"])).toMatchObject([{ isProven: true }]);
  });

  it("a confirmation link is void once its reader has unsubscribed", async () => {
    const { link, open, state } = await shop(SubscriptionState.UNSPECIFIED);
    const [confirm, unsubscribe] = [await link(CONFIRM), await link(UNSUBSCRIBE)];
    await open(unsubscribe, "POST");
    expect(await open(confirm, "POST")).toMatchObject({ status: 404 });
    expect(await state()).toBe(SubscriptionState.UNSUBSCRIBED);
  });

  it("a link is void after its time or with any character changed; browsers get a page, programs JSON", async () => {
    const { link, open, now, state } = await shop();
    const path = await link(UNSUBSCRIBE, { ttl: { seconds: 60n } });
    const changed = path.slice(0, -1) + (path.endsWith("A") ? "Q" : "A");
    for (const method of ["GET", "POST"] as const) {
      expect(await open(changed, method)).toMatchObject({ status: 404, type: "text/html; charset=utf-8" });
      const plain = await open(changed, method, {});
      expect([plain.status, JSON.parse(plain.body)]).toEqual([404, { error: "Not found" }]);
    }
    now.at += 61_000;
    expect((await open(path, "POST")).body).toContain("no longer valid");
    expect(await state()).toBe(SubscriptionState.SUBSCRIBED);
  });

  it.each([
    ["is void once its contact has another", SubscriptionState.UNSPECIFIED, 404],
    ["ends its subscription also when its contact names another", SubscriptionState.SUBSCRIBED, 200],
  ])("a link to a phone number %s", async (_, smsState, status) => {
    const { subscriptions, open } = await shop();
    const list = async (phone: string) => {
      async function* contacts() {
        yield { appId: "shop", contacts: [{ email: EMAIL, phone, smsState }] };
      }
      expect(await subscriptions.importContacts(contacts())).toMatchObject({ accepted: 1 });
    };
    await list("+49 170 1234567");
    const contact = { case: "phone" as const, value: "+491701234567" };
    const order = { appId: "shop", contact, purpose: UNSUBSCRIBE, channel: BY_SMS };
    const path = new URL((await subscriptions.createLink(order)).url).pathname.replace("/x", "");
    expect((await open(path, "GET")).status).toBe(200);
    await list("+49 170 7654321");
    expect((await open(path, "POST")).status).toBe(status);
    if (status === 200)
      expect((await subscriptions.getContact({ appId: "shop", contact })).contact?.smsState).toBe(
        SubscriptionState.UNSUBSCRIBED,
      );
  });

  it("a link of a deleted app is void", async () => {
    const { link, open, rpc } = await shop();
    const path = await link(UNSUBSCRIBE);
    await rpc.apps.deleteApp({ appId: "shop" });
    expect((await open(path, "POST")).status).toBe(404);
  });

  it("a link accepts GET, HEAD and POST only, and its page cannot be framed and sends no referrer", async () => {
    const { link, facade } = await shop();
    const path = await link(UNSUBSCRIBE);
    const refused = await facade.inject({ method: "PUT", url: path });
    expect([refused.statusCode, refused.headers.allow]).toEqual([405, "GET, HEAD, POST"]);
    const { headers } = await facade.inject({ method: "GET", url: path, headers: BROWSER });
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["referrer-policy"]).toBe("no-referrer");
  });

  it.each([
    ["no contact", { contact: { case: "email" as const, value: "" } }, "Missing required field: email"],
    ["no purpose", { purpose: LinkPurpose.UNSPECIFIED }, "Missing required field: purpose"],
    ["no channel", { channel: SubscriptionChannel.UNSPECIFIED }, "Missing required field: channel"],
    ["a channel without an address", { channel: BY_SMS }, "Invalid field: channel"],
    ["no time at all", { ttl: { seconds: 0n } }, "Invalid field: ttl"],
    ["more than ten years", { ttl: { seconds: 400_000_000n } }, "Invalid field: ttl"],
    ["somebody unknown", { contact: { case: "email" as const, value: "bob@shop.example" } }, "no such contact"],
    ["another app", { appId: "other" }, "no such app"],
  ])("no link is made of %s", async (_, change, text) => {
    const { subscriptions } = await shop();
    const order = {
      appId: "shop",
      contact: { case: "email" as const, value: EMAIL },
      purpose: UNSUBSCRIBE,
      channel: BY_EMAIL,
      ...change,
    };
    await expect(subscriptions.createLink(order)).rejects.toThrow(text);
  });
});

it("no link is made when the server does not know its public address", async () => {
  const { rpc } = await openAisle();
  await rpc.apps.createApp({ app: { appId: "shop" } });
  await rpc.subscriptions.setSubscription({ appId: "shop", email: EMAIL, emailState: SubscriptionState.SUBSCRIBED });
  const order = {
    appId: "shop",
    contact: { case: "email" as const, value: EMAIL },
    purpose: UNSUBSCRIBE,
    channel: BY_EMAIL,
  };
  await expect(rpc.subscriptions.createLink(order)).rejects.toThrow(/failed_precondition.*public address/);
});
