/** What a shop's hook is told around an erasure. */
import { describe, expect, it } from "vitest";
import type { HookMessage, HookOutcome } from "../../src/adapters/hook-sender.js";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { RETRY_AFTER_MS } from "../../src/identity/hooks/hook-delivery.js";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";
import { erase } from "../identity/privacy/person.js";

const EMAIL = "ada@shop.example";
const PHONE = "+48123456789";

const stores = await storeKinds();

describe.each(stores)("the hook of a shop that erases a person: $name", ({ openStore }) => {
  async function shop({ tellErasures = false } = {}) {
    const answer: HookOutcome = { failure: undefined, status: 204 };
    const hook = { answer, sent: [] as HookMessage[] };
    const sendHook = async (message: HookMessage) => {
      hook.sent.push(message);
      return hook.answer;
    };
    const aisle = await openAisle(openStore, { publicUrl: "https://aisle.test", sendHook });
    await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
    await aisle.rpc.hooks.setHook({ appId: "shop", url: "https://shop.example/in", tellErasures });
    const set = async (emailState: SubscriptionState) => {
      aisle.now.at += 1000;
      return (await aisle.rpc.subscriptions.setSubscription({ appId: "shop", email: EMAIL, emailState })).contact;
    };
    const deliver = async (afterMs = 0) => {
      aisle.now.at += afterMs;
      await aisle.deliverHooks?.();
    };
    const waiting = () => aisle.store.hooks.due("shop", 1e15, 100);
    return { ...aisle, hook, set, deliver, waiting };
  }

  it("gets the unsubscription that waited, with its address, and nothing of it stays", async () => {
    const { hook, set, deliver, waiting, store, ...aisle } = await shop();
    await set(SubscriptionState.SUBSCRIBED);
    const contact = await set(SubscriptionState.UNSUBSCRIBED);
    await erase({ store, ...aisle }, "shop", { email: EMAIL });
    expect(await store.contacts.get("shop", contact?.contactId ?? "")).toBeUndefined();
    await deliver();
    expect(hook.sent.map(({ body }) => JSON.parse(body))).toMatchObject([
      {
        type: "subscription.changed",
        data: { contact_id: contact?.contactId, email: EMAIL, phone: "", new_state: "unsubscribed" },
      },
    ]);
    expect(await waiting()).toEqual([]);
    await deliver(1e9);
    expect(hook.sent).toHaveLength(1);
  });

  it("that is down gets it later, or loses it after the last try", async () => {
    const { hook, set, deliver, waiting, store, rpc, ...aisle } = await shop();
    hook.answer = { failure: "refused", status: 500 };
    await set(SubscriptionState.UNSUBSCRIBED);
    await erase({ store, rpc, ...aisle }, "shop", { email: EMAIL });
    await deliver();
    for (const pause of RETRY_AFTER_MS) {
      expect(await waiting()).toHaveLength(1);
      await deliver(pause);
    }
    expect(hook.sent).toHaveLength(RETRY_AFTER_MS.length + 1);
    expect(await waiting()).toEqual([]);
    expect((await rpc.hooks.listFailedMessages({ appId: "shop" })).messages).toEqual([]);
    for (const table of ["outbox", "deadHooks"] as const)
      expect(JSON.stringify(await store.copies.scan("shop", table, "", 100))).not.toContain(EMAIL);
  });

  it("gets neither a subscription that waited nor a request for a confirmation", async () => {
    const { hook, set, deliver, ...aisle } = await shop();
    const { rpc, trace } = aisle;
    await rpc.apps.updateApp({ app: { appId: "shop", doubleOptIn: true } });
    await set(SubscriptionState.SUBSCRIBED);
    await trace({ app_id: "shop", action_type: "subscribe", email: "bo@shop.example", c_id: "bo" });
    await erase(aisle, "shop", { email: EMAIL });
    await erase(aisle, "shop", { email: "bo@shop.example" });
    await deliver();
    expect(hook.sent).toEqual([]);
  });

  it("gets an unsubscription of the phone without the e-mail address", async () => {
    const { hook, deliver, rpc, ...aisle } = await shop();
    const both = { appId: "shop", email: EMAIL, phone: PHONE };
    await rpc.subscriptions.setSubscription({ ...both, smsState: SubscriptionState.UNSUBSCRIBED });
    await erase({ rpc, ...aisle }, "shop", { phone: PHONE });
    await deliver();
    expect(hook.sent.map(({ body }) => JSON.parse(body).data)).toMatchObject([{ phone: PHONE, email: "" }]);
  });

  it("is told of the erasure by ids alone, once, when it asks for that", async () => {
    const { hook, set, deliver, now, rpc, ...aisle } = await shop({ tellErasures: true });
    const contact = await set(SubscriptionState.SUBSCRIBED);
    await deliver();
    hook.sent.length = 0;
    const { erasureId } = await erase({ rpc, now, ...aisle }, "shop", { email: EMAIL });
    await deliver();
    await deliver(1e9);
    expect(hook.sent).toHaveLength(1);
    const [message] = hook.sent;
    expect(JSON.parse(message?.body ?? "{}")).toEqual({
      type: "person.erased",
      timestamp: expect.any(String),
      data: {
        app_id: "shop",
        message_id: message?.headers["webhook-id"],
        erasure_id: erasureId,
        contact_ids: [contact?.contactId],
      },
    });
    expect((await rpc.hooks.getHook({ appId: "shop" })).tellErasures).toBe(true);
  });

  it("is not told of an erasure when it does not ask for that", async () => {
    const { hook, set, deliver, ...aisle } = await shop();
    await set(SubscriptionState.SUBSCRIBED);
    await deliver();
    await erase(aisle, "shop", { email: EMAIL });
    await deliver();
    expect(hook.sent).toHaveLength(1);
  });

  it("keeps the message about an erasure that it refused, to be sent again", async () => {
    const { hook, deliver, rpc, ...aisle } = await shop({ tellErasures: true });
    hook.answer = { failure: "refused", status: 500 };
    await erase({ rpc, ...aisle }, "shop", { email: EMAIL });
    await deliver();
    for (const pause of RETRY_AFTER_MS) await deliver(pause);
    const { messages } = await rpc.hooks.listFailedMessages({ appId: "shop" });
    expect(messages).toMatchObject([{ contactId: "", httpStatus: 500 }]);
    hook.answer = { failure: undefined, status: 204 };
    await rpc.hooks.resendMessages({ appId: "shop", messageIds: messages.map(({ messageId }) => messageId) });
    await deliver();
    expect(JSON.parse(hook.sent.at(-1)?.body ?? "{}").type).toBe("person.erased");
  });
});
