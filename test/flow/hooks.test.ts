import { describe, expect, it } from "vitest";
import type { HookMessage, HookOutcome } from "../../src/adapters/hook-sender.js";
import { outboxKey } from "../../src/domain/hook.js";
import { HookFailure } from "../../src/gen/aisle/v1/hook_message_pb.js";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { MAX_DEAD, RETRY_AFTER_MS } from "../../src/identity/hooks/hook-delivery.js";
import { signatureHeaders } from "../../src/identity/hooks/signature.js";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";

const URL_OF_SHOP = "https://hooks.shop.example/in";
const DELIVERED: HookOutcome = { failure: undefined, status: 204 };
const REFUSED: HookOutcome = { failure: "refused", status: 500 };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** The ids of messages, each once. */
const idsOf = (sent: readonly HookMessage[]) => [...new Set(sent.map(({ headers }) => headers["webhook-id"] ?? ""))];

const stores = await storeKinds();

describe.each(stores)("hook messages: $name", ({ openStore }) => {
  /** A shop with a hook, and what was sent to it. */
  async function shop(answer: (message: HookMessage) => HookOutcome | Promise<HookOutcome> = () => DELIVERED) {
    const sent: HookMessage[] = [];
    const sendHook = async (message: HookMessage) => {
      sent.push(message);
      return answer(message);
    };
    const aisle = await openAisle(openStore, { publicUrl: "https://aisle.test", sendHook });
    const { rpc, now, deliverHooks } = aisle;
    await rpc.apps.createApp({ app: { appId: "shop" } });
    const { secret } = await rpc.hooks.setHook({ appId: "shop", url: URL_OF_SHOP });
    const set = (emailState: SubscriptionState, email = "ada@shop.example") =>
      rpc.subscriptions.setSubscription({ appId: "shop", email, emailState, reason: "asked" });
    const deliver = async (afterMs = 0) => {
      now.at += afterMs;
      await deliverHooks?.();
    };
    const failed = async () => (await rpc.hooks.listFailedMessages({ appId: "shop" })).messages;
    return { ...aisle, sent, secret, set, deliver, failed };
  }

  it("report a changed status once, signed with the hook's secret", async () => {
    const { sent, secret, set, deliver, now } = await shop();
    await set(SubscriptionState.SUBSCRIBED);
    await deliver();
    await deliver(100_000);
    expect(sent).toHaveLength(1);
    const [{ url, body, headers } = { url: "", body: "", headers: {} }] = sent;
    expect(url).toBe(URL_OF_SHOP);
    expect(JSON.parse(body)).toEqual({
      type: "subscription.changed",
      timestamp: new Date(now.at - 100_000).toISOString(),
      data: {
        app_id: "shop",
        message_id: headers["webhook-id"],
        contact_id: expect.stringMatching(/^contact:/),
        email: "ada@shop.example",
        phone: "",
        channel: "email",
        change_id: "n000000000001",
        old_state: "unknown",
        new_state: "subscribed",
        occurred_at: new Date(now.at - 100_000).toISOString(),
        source: "rpc",
        event_id: "",
        reason: "asked",
      },
    });
    expect(headers["webhook-id"]).toMatch(UUID);
    expect(headers).toMatchObject(signatureHeaders(secret, headers["webhook-id"] ?? "", now.at - 100_000, body));
  });

  it("report a subscription that waits for confirmation, with the link for the mail", async () => {
    const { rpc, sent, deliver, trace, facade } = await shop();
    await rpc.apps.updateApp({ app: { appId: "shop", doubleOptIn: true } });
    for (let again = 0; again < 2; again++)
      await trace({ app_id: "shop", action_type: "subscribe", email: "ada@shop.example", c_id: "c1" });
    await deliver();
    expect(sent).toHaveLength(1);
    const { type, data } = JSON.parse(sent[0]?.body ?? "{}");
    expect([type, data.email, data.channel]).toEqual(["subscription.confirmation_wanted", "ada@shop.example", "email"]);
    await facade.inject({ method: "POST", url: new URL(data.confirm_url).pathname });
    await deliver();
    expect(JSON.parse(sent[1]?.body ?? "{}").data).toMatchObject({ new_state: "subscribed", source: "confirmation" });
  });

  it("report neither calls that change nothing nor changes from before the hook existed", async () => {
    const { rpc, sent, set, deliver } = await shop();
    await rpc.hooks.deleteHook({ appId: "shop" });
    await set(SubscriptionState.SUBSCRIBED);
    await rpc.hooks.setHook({ appId: "shop", url: URL_OF_SHOP });
    await set(SubscriptionState.SUBSCRIBED);
    await deliver();
    expect(sent).toEqual([]);
  });

  it("are retried under the same id after each pause; then they are given up and can be sent again", async () => {
    let answer = REFUSED;
    const { rpc, sent, set, deliver, failed } = await shop(() => answer);
    await set(SubscriptionState.SUBSCRIBED);
    await deliver();
    for (const pause of RETRY_AFTER_MS) {
      const before = sent.length;
      await deliver(pause - 1);
      expect(sent).toHaveLength(before);
      await deliver(1);
      expect(sent).toHaveLength(before + 1);
    }
    const [id = "", ...otherIds] = idsOf(sent);
    expect(id).toMatch(UUID);
    expect(otherIds).toEqual([]);
    await deliver(1e9);
    expect(sent).toHaveLength(RETRY_AFTER_MS.length + 1);
    const [given] = await failed();
    expect(given).toMatchObject({
      messageId: id,
      failure: HookFailure.REFUSED,
      httpStatus: 500,
      attemptCount: sent.length,
    });
    answer = DELIVERED;
    expect(await rpc.hooks.resendMessages({ appId: "shop", messageIds: [id, "n9"] })).toMatchObject({
      resent: 1,
    });
    await deliver();
    expect(sent).toHaveLength(RETRY_AFTER_MS.length + 2);
    expect(await failed()).toEqual([]);
  });

  it("are sent by one of two servers that look at the same time", async () => {
    const { sent, set, deliver } = await shop();
    for (const name of ["a", "b", "c"]) await set(SubscriptionState.SUBSCRIBED, `${name}@shop.example`);
    await Promise.all([deliver(), deliver()]);
    expect(sent).toHaveLength(3);
    expect(idsOf(sent)).toHaveLength(3);
  });

  it("are sent again when their sender died before it had an answer", async () => {
    let hangs = true;
    const { sent, set, deliver } = await shop(() => (hangs ? new Promise(() => undefined) : DELIVERED));
    await set(SubscriptionState.SUBSCRIBED);
    void deliver();
    await expect.poll(() => sent.length).toBe(1);
    hangs = false;
    await deliver(59_000);
    expect(sent).toHaveLength(1);
    await deliver(1_000);
    expect(sent).toHaveLength(2);
    expect(idsOf(sent)).toHaveLength(1);
    await deliver(1e9);
    expect(sent).toHaveLength(2);
  });

  it("are not sent for a removed hook or a removed contact", async () => {
    const { rpc, store, sent, set, deliver } = await shop();
    const { contact } = await set(SubscriptionState.SUBSCRIBED);
    await store.unitOfWork.run("shop", (tx) => tx.contacts.delete(contact?.contactId ?? ""));
    await deliver();
    await set(SubscriptionState.SUBSCRIBED, "bob@shop.example");
    await rpc.hooks.deleteHook({ appId: "shop" });
    await deliver();
    expect(sent).toEqual([]);
    expect(await store.hooks.due("shop", 1e15, 10)).toEqual([]);
  });

  it("of two apps have different ids, for changes and for confirmations", async () => {
    const { rpc, sent, set, deliver, trace } = await shop();
    await rpc.apps.createApp({ app: { appId: "zoo" } });
    await rpc.hooks.setHook({ appId: "zoo", url: URL_OF_SHOP });
    await set(SubscriptionState.SUBSCRIBED);
    await rpc.subscriptions.setSubscription({ appId: "zoo", email: "ada@shop.example", emailState: 2 });
    await rpc.apps.updateApp({ app: { appId: "zoo", doubleOptIn: true } });
    await trace({ app_id: "zoo", action_type: "subscribe", email: "bob@shop.example", c_id: "c1" });
    await deliver();
    expect(sent.map(({ body }) => JSON.parse(body).type).sort()).toEqual([
      "subscription.changed",
      "subscription.changed",
      "subscription.confirmation_wanted",
    ]);
    expect(idsOf(sent)).toHaveLength(3);
  });

  it("that waited under an id of an older version are sent under that id", async () => {
    const { store, sent, set, deliver } = await shop();
    await set(SubscriptionState.SUBSCRIBED);
    await store.unitOfWork.run("shop", (tx) => {
      const change = tx.changes.get("n000000000001");
      if (change === undefined) throw new Error("the change is not in the ledger");
      const { contactId, channel, changeId } = change;
      const entry = { messageId: changeId, kind: "subscription.changed", contactId, channel, changeId } as const;
      const waiting = {
        ...entry,
        createdAt: 1,
        attempts: 1,
        nextAt: 1,
        failure: "refused",
        status: 503,
        body: "",
      } as const;
      tx.outbox.put(outboxKey(waiting), waiting);
    });
    await deliver();
    expect(idsOf(sent)).toContain("n000000000001");
    expect(sent).toHaveLength(2);
  });

  it("of one shop that fail do not delay another shop's", async () => {
    const { rpc, sent, set, deliver } = await shop((message) => (message.url === URL_OF_SHOP ? REFUSED : DELIVERED));
    await rpc.apps.createApp({ app: { appId: "zoo" } });
    await rpc.hooks.setHook({ appId: "zoo", url: "https://zoo.example/" });
    await set(SubscriptionState.SUBSCRIBED);
    await rpc.subscriptions.setSubscription({ appId: "zoo", email: "z@zoo.example", emailState: 2 });
    await deliver();
    expect(sent.map(({ url }) => url)).toEqual([URL_OF_SHOP, "https://zoo.example/"]);
  });

  it("that were given up are kept up to a limit, newest first", async () => {
    const { store, set, deliver, failed } = await shop();
    await store.unitOfWork.run("shop", (tx) => {
      for (let n = 0; n < MAX_DEAD + 5; n++) {
        // The newest has an id that sorts first.
        const messageId = n === MAX_DEAD + 4 ? "0199" : `m${String(n).padStart(6, "0")}`;
        const entry = { kind: "subscription.changed", contactId: "k", channel: "email", changeId: "" } as const;
        tx.deadHooks.put(messageId, {
          ...entry,
          messageId,
          createdAt: n,
          attempts: 10,
          nextAt: 1,
          failure: "refused",
          status: 0,
          body: "",
        });
      }
    });
    await set(SubscriptionState.SUBSCRIBED);
    await deliver();
    expect((await store.hooks.dead("shop", "", 2000)).map(({ messageId }) => messageId)).toHaveLength(MAX_DEAD);
    expect((await failed()).slice(0, 2).map(({ messageId }) => messageId)).toEqual(["0199", "m000005"]);
  });

  it.each([
    "",
    "http://shop.example/",
    "https://user:pw@shop.example/",
    "https://shop.example/#x",
    "shop.example",
    "ftp://x",
  ])("are not sent to %j, which is no valid address", async (url) => {
    const { rpc } = await shop();
    await expect(rpc.hooks.setHook({ appId: "shop", url })).rejects.toThrow(/invalid_argument.*url/);
    expect(await rpc.hooks.getHook({ appId: "shop" })).toMatchObject({ url: URL_OF_SHOP });
  });
});
