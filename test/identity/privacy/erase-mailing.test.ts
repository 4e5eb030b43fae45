import { describe, expect, it } from "vitest";
import { SubscriptionChannel } from "../../../src/gen/aisle/v1/subscription_pb.js";
import { openAisle } from "../../fixtures/aisle.js";
import { storeKinds } from "../../fixtures/stores.js";
import { erase, MAJA, OMAR } from "./person.js";

const stores = await storeKinds();

describe.each(stores)("EraseVisitor: $name", ({ openStore }) => {
  it("counts and removes the person's pending confirmations and hook messages but an unsubscription, and no one else's", async () => {
    const aisle = await openAisle(openStore);
    const { rpc, store, trace } = aisle;
    await rpc.apps.createApp({ app: { appId: "shop", doubleOptIn: true } });
    await rpc.hooks.setHook({ appId: "shop", url: "https://shop.example/in" });
    for (const { email, c_id } of [MAJA, OMAR]) {
      await trace({ app_id: "shop", action_type: "subscribe", email, c_id });
      await rpc.subscriptions.setSubscription({ appId: "shop", email, emailState: 3 });
      aisle.now.at += 1000;
      await trace({ app_id: "shop", action_type: "subscribe", email, c_id });
    }
    const [first] = await store.hooks.due("shop", 1e15, 1);
    if (first !== undefined)
      await store.unitOfWork.run("shop", (tx) => tx.deadHooks.put("given-up", { ...first, messageId: "given-up" }));
    const { contact } = await rpc.subscriptions.getContact({
      appId: "shop",
      contact: { case: "email", value: MAJA.email },
    });
    const contactId = contact?.contactId ?? "";
    const about = async (text: string) => {
      const tables = ["confirmations", "outbox", "deadHooks"] as const;
      const rows = await Promise.all(tables.map((table) => store.copies.scan("shop", table, "", 100)));
      return rows.map((some) => some.filter((row) => JSON.stringify(row).includes(text)).length);
    };
    expect(await about(contactId)).toEqual([1, 3, 1]);
    const told: Record<string, number> = {};
    for await (const { item } of rpc.privacy.exportVisitor({ appId: "shop", person: { email: MAJA.email } })) {
      if (item.case !== "awaitedSubscription" && item.case !== "hookMessage") continue;
      told[item.case] = (told[item.case] ?? 0) + 1;
      expect(item.value).toMatchObject({ contactId, channel: SubscriptionChannel.EMAIL });
    }
    expect(told).toEqual({ awaitedSubscription: 1, hookMessage: 4 });
    const tried = await erase(aisle, "shop", { email: MAJA.email }, true);
    const { removed } = await erase(aisle, "shop", { email: MAJA.email });
    expect(removed).toMatchObject({ awaitedSubscriptions: 1, waitingHookMessages: 2, failedHookMessages: 1 });
    expect(tried.removed).toEqual(removed);
    expect(await about(contactId)).toEqual([0, 1, 0]);
    expect(await about(MAJA.c_id)).toEqual([0, 0, 0]);
    expect(await about(OMAR.c_id)).toEqual([1, 0, 0]);
  });
});
