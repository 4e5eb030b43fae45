import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { LinkPurpose } from "../../src/gen/aisle/v1/link_pb.js";
import { SubscriptionChannel, SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { erased } from "../fixtures/operations.js";

/** Row "Same address, same contact": what a customer typed, and how another system writes it. */
const SPELLINGS = [
  ["a Unicode domain", { email: "ann@bücher.example" }, { email: "ann@xn--bcher-kva.example" }],
  ["an A-label", { email: "ann@xn--bcher-kva.example" }, { email: "Ann@BÜCHER.example." }],
  ["a plus that became a blank", { email: "ann+shop@x.example" }, { email: "ann shop@x.example" }],
  ["U+200B", { email: "ann@x.example" }, { email: "\u200Bann@x.example" }],
  ["a number with 00", { phone: "+48601234567" }, { phone: "0048 601 234 567" }],
] as const;

async function shop() {
  const all = await openAisle(undefined, { publicUrl: "https://shop.example" });
  await all.rpc.apps.createApp({ app: { appId: "shop" } });
  const contactCount = async () => (await all.rpc.subscriptions.listContacts({ appId: "shop" })).contacts.length;
  return { ...all, contactCount };
}

const state = ({ emailState, smsState }: { emailState: SubscriptionState; smsState: SubscriptionState }) =>
  emailState === SubscriptionState.UNKNOWN ? smsState : emailState;

describe.each(SPELLINGS)("another spelling of an address: %s", (_what, typed, other) => {
  it("unsubscribes whom an event subscribed", async () => {
    const { trace, now, rpc, contactCount } = await shop();
    await trace({ app_id: "shop", action_type: "subscribe", c_id: "c1", ...typed });
    now.at += 60_000;
    await trace({ app_id: "shop", action_type: "subscribe", subscriber_status: "0", c_id: "c2", ...other });
    expect(await contactCount()).toBe(1);
    const { contacts } = await rpc.subscriptions.listContacts({ appId: "shop" });
    expect(contacts.map(state)).toEqual([SubscriptionState.UNSUBSCRIBED]);
  });

  it("finds, imports and changes the same contact by RPC", async () => {
    const { rpc, now, contactCount } = await shop();
    const { subscriptions } = rpc;
    const isEmail = "email" in typed;
    const asState = (value: SubscriptionState) => (isEmail ? { emailState: value } : { smsState: value });
    await subscriptions.setSubscription({ appId: "shop", ...typed, ...asState(SubscriptionState.SUBSCRIBED) });
    const named =
      "email" in other
        ? ({ case: "email", value: other.email } as const)
        : ({ case: "phone", value: other.phone } as const);
    const found = await subscriptions.getContact({ appId: "shop", contact: named });
    expect(found.contact && state(found.contact)).toBe(SubscriptionState.SUBSCRIBED);
    now.at += 60_000;
    async function* list() {
      yield { appId: "shop", contacts: [{ ...other, ...asState(SubscriptionState.UNSUBSCRIBED) }] };
    }
    expect(await subscriptions.importContacts(list())).toMatchObject({ accepted: 1 });
    const after = await subscriptions.getContact({ appId: "shop", contact: named });
    expect(after.contact && state(after.contact)).toBe(SubscriptionState.UNSUBSCRIBED);
    expect(await contactCount()).toBe(1);
  });

  it("gets a link for, exports and erases the same contact", async () => {
    const { rpc, trace, contactCount } = await shop();
    await trace({ app_id: "shop", action_type: "subscribe", c_id: "c1", ...typed });
    const named =
      "email" in other
        ? ({ case: "email", value: other.email } as const)
        : ({ case: "phone", value: other.phone } as const);
    const channel = "email" in other ? SubscriptionChannel.EMAIL : SubscriptionChannel.SMS;
    const link = await rpc.subscriptions.createLink({
      appId: "shop",
      contact: named,
      purpose: LinkPurpose.UNSUBSCRIBE,
      channel,
    });
    expect(link.url).toContain("/s/");
    await erased(rpc, "shop", other);
    expect(await contactCount()).toBe(0);
    const events = await rpc.events.listEvents({ appId: "shop" });
    expect(events.events).toEqual([]);
  });
});

describe("a text that is no address", () => {
  it.each(["a@x.example\uFFFD", "a/b@x.example", "a@x.example?x", "a@-example.com", "a..b@x.example"])(
    "makes no contact of an event and is refused by RPC: %j",
    async (email) => {
      const { rpc, trace, contactCount } = await shop();
      expect((await trace({ app_id: "shop", action_type: "subscribe", c_id: "c1", email })).status).toBe(200);
      expect(await contactCount()).toBe(0);
      const call = rpc.subscriptions.setSubscription({
        appId: "shop",
        email,
        emailState: SubscriptionState.SUBSCRIBED,
      });
      await expect(call).rejects.toMatchObject({
        code: Code.InvalidArgument,
        rawMessage: expect.stringContaining("email"),
      });
    },
  );
});
