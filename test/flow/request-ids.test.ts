import { ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { createSeal } from "../../src/domain/secret-encryption.js";
import { LinkPurpose } from "../../src/gen/aisle/v1/link_pb.js";
import { SubscriptionChannel, SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { ErrorInfoSchema } from "../../src/gen/google/rpc/error_details_pb.js";
import { openAisle, wireAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();
const DAY_MS = 24 * 60 * 60 * 1000;
const url = "https://hooks.shop.example/in";
const requestId = "2d9b5c5e-0d1c-4b0a-9c55-1a2b3c4d5e6f";

describe.each(stores)("request ids: $name", ({ openStore }) => {
  const open = async () => {
    const aisle = await openAisle(openStore, { publicUrl: "https://shop.example" });
    await aisle.rpc.apps.createApp({ app: { appId: "shop", displayName: "Shop" } });
    /** Another server over the same store. */
    const other = wireAisle(aisle.store, { now: aisle.now, monotonicNow: aisle.now }).clients;
    return { ...aisle, ...aisle.rpc, other };
  };

  it("a repeated CreateApp makes one app, with a made id and with an own one", async () => {
    const { apps, other } = await open();
    for (const app of [{ displayName: "New" }, { appId: "own", displayName: "Own" }]) {
      const request = { app, requestId: `create ${app.displayName}` };
      const made = await apps.createApp(request);
      expect(await apps.createApp(request)).toEqual(made);
      expect(await other.apps.createApp(request)).toEqual(made);
    }
    expect((await apps.listApps({})).apps).toHaveLength(3);
  });

  it("CreateApp calls with one request id at once make one app", async () => {
    const { apps, other } = await open();
    const request = { app: { displayName: "New" }, requestId };
    const answers = await Promise.all([apps, other.apps, apps, other.apps].map((one) => one.createApp(request)));
    expect(new Set(answers.map(({ app }) => app?.appId)).size).toBe(1);
    expect((await apps.listApps({})).apps).toHaveLength(2);
  });

  it("CreateApp under another request id does not take an app that exists", async () => {
    const { apps } = await open();
    const create = (id: string, displayName: string) =>
      apps.createApp({ app: { appId: "own", displayName }, requestId: id });
    await create("one", "Own");
    await expect(create("two", "Own")).rejects.toThrow(/already_exists/);
    await expect(create("one", "Other")).rejects.toThrow(/invalid_argument.*request_id/);
  });

  it("a repeated SetHook answers the secret that it showed first, and that one signs", async () => {
    const { hooks, other } = await open();
    const request = { appId: "shop", url, requestId };
    const first = await hooks.setHook(request);
    expect(await other.hooks.setHook(request)).toEqual(first);
    expect((await hooks.getHook({ appId: "shop" })).etag).toBe(first.etag);
    const again = await hooks.setHook({ appId: "shop", url });
    expect(again.secret).not.toBe(first.secret);
  });

  it("of SetHook calls with one request id at once, one is carried out", async () => {
    const { hooks, other } = await open();
    const request = { appId: "shop", url, requestId };
    const answers = await Promise.all([hooks, other.hooks, hooks, other.hooks].map((one) => one.setHook(request)));
    expect(new Set(answers.map(({ secret }) => secret)).size).toBe(1);
    expect((await hooks.getHook({ appId: "shop" })).etag).toBe(answers[0]?.etag);
  });

  it("a repeated change with an etag succeeds, and a later change stays", async () => {
    const { apps } = await open();
    const { app } = await apps.getApp({ appId: "shop" });
    const request = { app: { appId: "shop", displayName: "First" }, etag: app?.etag, requestId };
    const first = await apps.updateApp(request);
    await apps.updateApp({ app: { appId: "shop", displayName: "Second" } });
    expect(await apps.updateApp(request)).toEqual(first);
    expect((await apps.getApp({ appId: "shop" })).app?.displayName).toBe("Second");
  });

  it("a repeated deletion succeeds, and spares what was made after the first", async () => {
    const { apps, hooks, catalog, now } = await open();
    await hooks.setHook({ appId: "shop", url });
    const frameConfiguration = { frameId: "f", recommendedCount: 4 };
    const feed = { feedId: "f", url: "https://shop.example/feed", interval: { seconds: 3600n } };
    const setAll = async () => {
      await hooks.setHook({ appId: "shop", url });
      await apps.setFrameConfiguration({ appId: "shop", frameConfiguration });
      await catalog.setFeed({ appId: "shop", feed });
    };
    const deleteAll = async () => {
      await hooks.deleteHook({ appId: "shop", requestId });
      await apps.deleteFrameConfiguration({ appId: "shop", frameId: "f", requestId });
      await catalog.deleteFeed({ appId: "shop", feedId: "f", requestId });
    };
    await setAll();
    await deleteAll();
    await expect(hooks.deleteHook({ appId: "shop" })).rejects.toThrow(/not_found/);
    await setAll();
    await deleteAll();
    expect((await hooks.getHook({ appId: "shop" })).url).toBe(url);
    expect((await catalog.listFeeds({ appId: "shop" })).feeds).toHaveLength(1);

    await apps.deleteApp({ appId: "shop", requestId });
    await apps.deleteApp({ appId: "shop", requestId });
    await expect(apps.deleteApp({ appId: "shop" })).rejects.toThrow(/not_found/);
    now.at += 5;
    await apps.createApp({ app: { appId: "shop" } });
    await apps.deleteApp({ appId: "shop", requestId });
    await apps.getApp({ appId: "shop" });
  });

  it("a failed change keeps nothing: its request id serves a later one", async () => {
    const { hooks, apps } = await open();
    await expect(hooks.deleteHook({ appId: "shop", requestId })).rejects.toThrow(/not_found/);
    await hooks.setHook({ appId: "shop", url });
    await hooks.deleteHook({ appId: "shop", requestId });
    await expect(apps.createApp({ app: { appId: "shop" }, requestId })).rejects.toThrow(/already_exists/);
    await apps.createApp({ app: { appId: "other" }, requestId });
  });

  it("another request with the same id is refused and names request_id; another method or app may have it", async () => {
    const { hooks, apps } = await open();
    await hooks.setHook({ appId: "shop", url, requestId });
    const refused = hooks.setHook({ appId: "shop", url: `${url}/2`, requestId });
    await expect(refused).rejects.toThrow(/invalid_argument.*request_id/);
    const error = ConnectError.from(await refused.catch((cause: unknown) => cause));
    expect(error.findDetails(ErrorInfoSchema)[0]?.reason).toBe("REQUEST_ID_REUSED");
    await apps.createApp({ app: { appId: "zoo" }, requestId });
    await hooks.setHook({ appId: "zoo", url, requestId });
    await hooks.deleteHook({ appId: "shop", requestId });
  });

  it("a request id has 1 to 64 printable characters", async () => {
    const { hooks } = await open();
    const set = (id: string) => hooks.setHook({ appId: "shop", url, requestId: id });
    for (const id of ["a\nb", "x".repeat(65), "é"])
      await expect(set(id)).rejects.toThrow(/invalid_argument.*request_id/);
    await set("x".repeat(64));
  });

  it("after 24 hours a request id is new", async () => {
    const { hooks, now } = await open();
    const { secret } = await hooks.setHook({ appId: "shop", url, requestId });
    now.at += DAY_MS + 1;
    expect((await hooks.setHook({ appId: "shop", url, requestId })).secret).not.toBe(secret);
  });

  it("a repeated SetSubscription does not undo what the contact did in between, and keeps no address", async () => {
    const { subscriptions, store } = await open();
    const email = "ada@shop.example";
    const set = (emailState: SubscriptionState, id = "") =>
      subscriptions.setSubscription({ appId: "shop", email, emailState, requestId: id });
    const first = await set(SubscriptionState.SUBSCRIBED, requestId);
    expect(first.contact).toMatchObject({ email, emailState: SubscriptionState.SUBSCRIBED });
    await set(SubscriptionState.UNSUBSCRIBED);
    const again = await set(SubscriptionState.SUBSCRIBED, requestId);
    expect(again.contact).toMatchObject({ email, emailState: SubscriptionState.UNSUBSCRIBED });
    const kept = await store.copies.scan("shop", "idempotency", "", 10);
    expect(kept).toHaveLength(1);
    expect(Buffer.from(kept[0]?.value.answer.slice(1) ?? "", "base64").toString()).not.toContain("ada");
  });

  it("a repeated CreateLink answers the same link", async () => {
    const { subscriptions, now } = await open();
    const contact = { case: "email", value: "ada@shop.example" } as const;
    await subscriptions.setSubscription({
      appId: "shop",
      email: contact.value,
      emailState: SubscriptionState.SUBSCRIBED,
    });
    const link = { appId: "shop", contact, purpose: LinkPurpose.UNSUBSCRIBE, channel: SubscriptionChannel.EMAIL };
    const first = await subscriptions.createLink({ ...link, requestId });
    now.at += 5000;
    expect(await subscriptions.createLink({ ...link, requestId })).toEqual(first);
    expect((await subscriptions.createLink(link)).url).not.toBe(first.url);
  });

  it("a repeated EraseVisitor answers the erasure that it began first, also when nobody is left to erase", async () => {
    const { subscriptions, privacy, other, settleOperations } = await open();
    const email = "ada@shop.example";
    await subscriptions.setSubscription({ appId: "shop", email, emailState: SubscriptionState.SUBSCRIBED });
    const request = { appId: "shop", person: { email }, requestId };
    const answers = await Promise.all([privacy, other.privacy].map((one) => one.eraseVisitor(request)));
    await settleOperations();
    answers.push(await privacy.eraseVisitor(request));
    const ids = answers.map(({ outcome }) => (outcome.case === "operation" ? outcome.value.operationId : ""));
    expect(new Set(ids).size).toBe(1);
    expect((await privacy.listErasures({ appId: "shop" })).erasures).toHaveLength(1);
  });

  it("with a secret key no kept answer shows a secret, and one of an unknown key is not carried out again", async () => {
    const { store, now } = await open();
    const served = (key: string, previous?: string) =>
      wireAisle(store, { now, monotonicNow: now, seal: createSeal(key, previous) }).clients.hooks;
    const request = { appId: "shop", url, requestId };
    const { secret, etag } = await served("first key").setHook(request);
    const [kept] = await store.copies.scan("shop", "idempotency", "", 10);
    expect(kept?.value.answer).toMatch(/^sealed:1:/);
    expect((await served("second key", "first key").setHook(request)).secret).toBe(secret);
    await expect(served("second key").setHook(request)).rejects.toThrow(/failed_precondition/);
    expect((await served("second key").getHook({ appId: "shop" })).etag).toBe(etag);
  });

  it("a feed that a repeated RunFeed asks for again has run once", async () => {
    const { catalog, now, store } = await open();
    const feed = { feedId: "f", url: "https://shop.example/feed", interval: { seconds: 3600n } };
    await catalog.setFeed({ appId: "shop", feed });
    const { operation } = await catalog.runFeed({ appId: "shop", feedId: "f", requestId });
    const at = now.at;
    now.at += 1000;
    const again = await catalog.runFeed({ appId: "shop", feedId: "f", requestId });
    expect(again.operation?.operationId).toBe(operation?.operationId);
    const [kept] = await store.feeds.list("shop");
    expect(kept?.nextAt).toBe(at);
  });
});
