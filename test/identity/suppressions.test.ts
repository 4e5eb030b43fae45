import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { LinkPurpose } from "../../src/gen/aisle/v1/link_pb.js";
import { SubscriptionChannel, SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { SuppressionSource } from "../../src/gen/aisle/v1/suppression_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { erased } from "../fixtures/operations.js";
import { storeKinds } from "../fixtures/stores.js";

const { SUBSCRIBED, UNSUBSCRIBED } = SubscriptionState;
const ANN = "ann@bücher.example";

describe.each(await storeKinds())("suppressed addresses: $name", ({ openStore }) => {
  async function shop(doubleOptIn = false) {
    const all = await openAisle(openStore, { publicUrl: "https://shop.example" });
    const { rpc, now } = all;
    await rpc.apps.createApp({ app: { appId: "shop", doubleOptIn } });
    const list = (contacts: object[], validateOnly = false) => {
      async function* batches() {
        yield { appId: "shop", contacts, validateOnly };
      }
      return rpc.subscriptions.importContacts(batches());
    };
    const stateOf = async (email: string) => {
      const found = await rpc.subscriptions
        .getContact({ appId: "shop", contact: { case: "email", value: email } })
        .catch(() => undefined);
      return found?.contact?.emailState;
    };
    const suppressed = async () => (await rpc.subscriptions.listSuppressions({ appId: "shop" })).suppressions;
    const suppress = (...addresses: string[]) => rpc.subscriptions.addSuppressions({ appId: "shop", addresses });
    const subscribe = (more: Record<string, string> = {}) =>
      all.trace({ app_id: "shop", action_type: "subscribe", c_id: "c1", email: ANN, ...more });
    const later = () => {
      now.at += 60_000;
    };
    return { ...all, list, stateOf, suppressed, suppress, subscribe, later };
  }

  it("stay out of a list after an erasure, in any spelling, and are counted", async () => {
    const { rpc, list, stateOf, suppressed, subscribe, later } = await shop();
    await subscribe();
    await erased(rpc, "shop", { email: ANN });
    later();
    const contacts = [
      { email: "ANN@xn--bcher-kva.example.", emailState: SUBSCRIBED },
      { email: "bo@x.example", emailState: SUBSCRIBED },
    ];
    expect(await list(contacts, true)).toMatchObject({ accepted: 1, suppressed: 1, refusedTotal: 0 });
    expect(await list(contacts)).toMatchObject({ accepted: 1, suppressed: 1, refusedTotal: 0 });
    expect(await stateOf(ANN)).toBeUndefined();
    expect((await suppressed()).map(({ source }) => source)).toEqual([SuppressionSource.ERASURE]);
  });

  it("are kept without the address", async () => {
    const { store, suppress, suppressed } = await shop();
    await suppress(ANN, "+48 601 234 567");
    const rows = await store.copies.scan("shop", "suppressions", "", 10);
    expect(JSON.stringify(rows)).not.toMatch(/ann|example|48601/i);
    expect(rows.map(({ key }) => key).sort()).toEqual((await suppressed()).map((one) => one.suppressionId).sort());
  });

  it("have another hash in another app", async () => {
    const { rpc, suppress, suppressed } = await shop();
    await rpc.apps.createApp({ app: { appId: "other" } });
    await suppress(ANN);
    await rpc.subscriptions.addSuppressions({ appId: "other", addresses: [ANN] });
    const other = (await rpc.subscriptions.listSuppressions({ appId: "other" })).suppressions;
    expect(other[0]?.suppressionId).not.toBe((await suppressed())[0]?.suppressionId);
  });

  it("come back by the person's own subscription", async () => {
    const { subscribe, suppress, suppressed, stateOf, list, later } = await shop();
    await suppress(ANN);
    later();
    await subscribe();
    expect(await stateOf(ANN)).toBe(SUBSCRIBED);
    expect(await suppressed()).toEqual([]);
    expect(await list([{ email: ANN, emailState: SUBSCRIBED }])).toMatchObject({ accepted: 1, suppressed: 0 });
  });

  it("do not come back by a flag on an order, nor by a subscription from before", async () => {
    const { trace, suppress, subscribe, stateOf, suppressed, later, now } = await shop();
    await suppress(ANN);
    later();
    const earlier = new Date(now.at - 3_600_000).toISOString().slice(0, 19).replace("T", " ");
    await subscribe({ event_utc_date: earlier });
    const order = { app_id: "shop", action_type: "order", order_id: "o1", product_ids: "p1", c_id: "c1", email: ANN };
    await trace({ ...order, subscriber_status: "1" });
    expect(await stateOf(ANN)).toBe(SubscriptionState.UNKNOWN);
    expect(await suppressed()).toHaveLength(1);
  });

  it("come back by a click on a confirmation, and not before it", async () => {
    const { rpc, subscribe, suppress, suppressed, stateOf, later } = await shop(true);
    await suppress(ANN);
    later();
    await subscribe();
    expect(await suppressed()).toHaveLength(1);
    const { url } = await rpc.subscriptions.createLink({
      appId: "shop",
      contact: { case: "email", value: ANN },
      purpose: LinkPurpose.CONFIRM,
      channel: SubscriptionChannel.EMAIL,
    });
    await rpc.subscriptions.followLink({ token: url.split("/s/")[1] ?? "" });
    expect(await stateOf(ANN)).toBe(SUBSCRIBED);
    expect(await suppressed()).toEqual([]);
  });

  it("come back by a call of the shop, and by a list that says a later time", async () => {
    const { rpc, suppress, suppressed, list, later, now } = await shop();
    await suppress(ANN, "bo@x.example");
    const at = (ms: number) => ({ seconds: BigInt(Math.floor(ms / 1000)) });
    const bo = { email: "bo@x.example", emailState: SUBSCRIBED };
    const before = now.at;
    later();
    expect(await list([{ ...bo, changeTime: at(before - 1000) }])).toMatchObject({ accepted: 0, suppressed: 1 });
    expect(await list([{ ...bo, changeTime: at(before + 30_000) }])).toMatchObject({ accepted: 1, suppressed: 0 });
    await rpc.subscriptions.setSubscription({ appId: "shop", email: ANN, emailState: SUBSCRIBED });
    expect(await suppressed()).toEqual([]);
  });

  it("end the subscriptions of their contacts, with an entry of the ledger", async () => {
    const { rpc, suppress, subscribe, stateOf, later } = await shop();
    await subscribe();
    later();
    expect(await suppress(ANN, "ANN@BÜCHER.example", "new@x.example")).toMatchObject({ added: 2, known: 0 });
    expect(await suppress(ANN)).toMatchObject({ added: 0, known: 1 });
    expect(await stateOf(ANN)).toBe(UNSUBSCRIBED);
    const { changes } = await rpc.subscriptions.listChanges({ appId: "shop" });
    expect(changes.at(-1)).toMatchObject({ newState: UNSUBSCRIBED, reason: "suppressed" });
  });

  it("are removed by a call, which subscribes nobody", async () => {
    const { rpc, suppress, stateOf, list } = await shop();
    await suppress(ANN);
    const removed = await rpc.subscriptions.removeSuppressions({ appId: "shop", addresses: [ANN, "no@x.example"] });
    expect(removed).toMatchObject({ removed: 1, unknown: 1 });
    expect(await stateOf(ANN)).toBeUndefined();
    expect(await list([{ email: ANN, emailState: SUBSCRIBED }])).toMatchObject({ accepted: 1, suppressed: 0 });
  });

  it("are refused with their index where they are no addresses, and then none is taken", async () => {
    const { suppress, suppressed } = await shop();
    const call = suppress(ANN, "no address");
    await expect(call).rejects.toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: expect.stringContaining("addresses[1]"),
    });
    expect(await suppressed()).toEqual([]);
  });
});
