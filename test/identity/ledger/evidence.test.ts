import { describe, expect, it } from "vitest";
import { ChangeSource } from "../../../src/gen/aisle/v1/ledger_pb.js";
import { LinkPurpose } from "../../../src/gen/aisle/v1/link_pb.js";
import { SubscriptionChannel, SubscriptionState } from "../../../src/gen/aisle/v1/subscription_pb.js";
import { openAisle } from "../../fixtures/aisle.js";
import { erased } from "../../fixtures/operations.js";

const ANN = "ann@x.example";
const FORM = { consent_text: "Yes, send me news.", consent_place: "footer" };

async function shop(doubleOptIn = false) {
  const all = await openAisle(undefined, { publicUrl: "https://shop.example" });
  const { rpc, trace } = all;
  await rpc.apps.createApp({ app: { appId: "shop", doubleOptIn } });
  const subscribe = (more: Record<string, string> = {}, from = "203.0.113.77") =>
    trace({ app_id: "shop", action_type: "subscribe", c_id: "c1", email: ANN, ...more }, from);
  const entries = async () => (await rpc.subscriptions.listChanges({ appId: "shop" })).changes;
  const faults = async () => {
    let total = -1;
    for await (const { faultTotal } of rpc.subscriptions.verifyLedger({ appId: "shop" })) total = faultTotal;
    return total;
  };
  return { ...all, subscribe, entries, faults };
}

describe("the evidence of a statement in the ledger", () => {
  it("has the form's wording and place, and the network without the address", async () => {
    const { subscribe, entries, faults } = await shop();
    await subscribe(FORM);
    const evidence = { wording: FORM.consent_text, place: "footer", network: "203.0.113.0/24" };
    expect((await entries())[0]).toMatchObject({ evidence });
    expect(await faults()).toBe(0);
  });

  it("is not kept for a form that says nothing of it", async () => {
    const { subscribe, entries } = await shop();
    await subscribe();
    expect((await entries())[0]?.evidence).toBeUndefined();
  });

  it("comes with a call and with a list, and cuts an address", async () => {
    const { rpc, entries, faults } = await shop();
    const evidence = { wording: "by phone", place: "shop 7", network: "2001:db8:1:2::3" };
    const { SUBSCRIBED } = SubscriptionState;
    await rpc.subscriptions.setSubscription({ appId: "shop", email: ANN, emailState: SUBSCRIBED, evidence });
    async function* list() {
      yield { appId: "shop", contacts: [{ email: "bo@x.example", emailState: SUBSCRIBED, evidence }] };
    }
    await rpc.subscriptions.importContacts(list());
    const kept = { ...evidence, network: "2001:db8:1::/48" };
    expect(await entries()).toMatchObject([{ evidence: kept }, { evidence: kept }]);
    expect(await faults()).toBe(0);
    const wrong = { appId: "shop", email: ANN, emailState: SUBSCRIBED, evidence: { network: "here" } };
    await expect(rpc.subscriptions.setSubscription(wrong)).rejects.toThrow("evidence.network");
  });

  it("goes with an erasure, and the chain stays valid", async () => {
    const { rpc, subscribe, entries, faults } = await shop();
    await subscribe(FORM);
    await erased(rpc, "shop", { email: ANN });
    expect(JSON.stringify((await entries())[0]?.evidence ?? null)).toBe("null");
    expect(await faults()).toBe(0);
  });

  it("is sealed: a changed wording is a fault", async () => {
    const { store, subscribe, faults } = await shop();
    await subscribe(FORM);
    await store.unitOfWork.run("shop", (tx) => {
      const entry = tx.changes.get("n000000000001");
      if (entry?.evidence) tx.changes.put(entry.changeId, { ...entry, evidence: { ...entry.evidence, wording: "No" } });
    });
    expect(await faults()).toBe(1);
  });
});

describe("a request for a subscription with double opt-in", () => {
  it("is in the ledger before its click, with its evidence, and changes no state", async () => {
    const { rpc, subscribe, entries, faults, now } = await shop(true);
    await subscribe(FORM);
    await subscribe(FORM);
    const { REQUEST, CONFIRMATION } = ChangeSource;
    const { UNKNOWN, SUBSCRIBED } = SubscriptionState;
    const asked = { source: REQUEST, oldState: UNKNOWN, newState: UNKNOWN, evidence: { place: "footer" } };
    expect(await entries()).toMatchObject([asked]);
    expect(await entries()).toHaveLength(1);
    expect(await faults()).toBe(0);
    now.at += 60_000;
    const contact = { case: "email", value: ANN } as const;
    const order = { appId: "shop", contact, purpose: LinkPurpose.CONFIRM, channel: SubscriptionChannel.EMAIL };
    const { url } = await rpc.subscriptions.createLink(order);
    await rpc.subscriptions.followLink({ token: url.split("/s/")[1] ?? "" });
    expect(await entries()).toMatchObject([asked, { source: CONFIRMATION, newState: SUBSCRIBED }]);
    expect(await faults()).toBe(0);
  });
});
