import { describe, expect, it } from "vitest";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { erased } from "../fixtures/operations.js";
import { storeKinds } from "../fixtures/stores.js";

const { SUBSCRIBED, UNSUBSCRIBED } = SubscriptionState;
const NUMBER = "+48600100200";
const OTHER = "+48600100201";

describe.each(await storeKinds())("what is said about SMS: $name", ({ openStore }) => {
  async function shop() {
    const { trace, now, rpc } = await openAisle(openStore);
    const { subscriptions, apps } = rpc;
    await apps.createApp({ app: { appId: "shop" } });
    const contactOf = async (contact: { case: "email" | "phone"; value: string }) =>
      (await subscriptions.getContact({ appId: "shop", contact })).contact;
    return {
      subscriptions,
      erase: (email: string) => erased(rpc, "shop", { email }),
      exported: async (email: string) => {
        const texts: string[] = [];
        for await (const { item } of rpc.privacy.exportVisitor({ appId: "shop", person: { email } }))
          if (item.case === "contact") texts.push(`${item.value.email} ${item.value.phone}`);
        return texts.join("\n");
      },
      send: async (form: Record<string, string>) => {
        now.at += 1000;
        return trace({ app_id: "shop", action_type: "subscribe", ...form });
      },
      import: async (...contacts: object[]) => {
        now.at += 1000;
        async function* list() {
          yield { appId: "shop", contacts };
        }
        return subscriptions.importContacts(list());
      },
      sms: async (phone: string) => (await contactOf({ case: "phone", value: phone }))?.smsState,
      smsOf: async (email: string) => (await contactOf({ case: "email", value: email }))?.smsState,
      emailOf: async (email: string) => (await contactOf({ case: "email", value: email }))?.emailState,
      phoneOf: async (email: string) => (await contactOf({ case: "email", value: email }))?.phone,
    };
  }

  describe("beside the e-mail of somebody else", () => {
    it.each([
      [
        "an event",
        (s: Awaited<ReturnType<typeof shop>>) => s.send({ email: "b@x.de", phone: NUMBER, sms_subscriber_status: "0" }),
      ],
      [
        "a call",
        (s: Awaited<ReturnType<typeof shop>>) =>
          s.subscriptions.setSubscription({ appId: "shop", email: "b@x.de", phone: NUMBER, smsState: UNSUBSCRIBED }),
      ],
      [
        "a list",
        (s: Awaited<ReturnType<typeof shop>>) => s.import({ email: "b@x.de", phone: NUMBER, smsState: UNSUBSCRIBED }),
      ],
    ])("is said of the number, by %s", async (_, say) => {
      const all = await shop();
      await all.send({ email: "a@x.de", phone: NUMBER, sms_subscriber_status: "1" });
      expect(await all.sms(NUMBER)).toBe(SUBSCRIBED);
      await say(all);
      expect(await all.sms(NUMBER)).toBe(UNSUBSCRIBED);
      expect(await all.smsOf("b@x.de")).toBe(SubscriptionState.UNKNOWN);
    });
  });

  it.each([
    ["0", UNSUBSCRIBED],
    ["1", SUBSCRIBED],
  ])("with %s stays with its number when its contact names another one", async (status, state) => {
    const all = await shop();
    await all.send({ email: "a@x.de", phone: NUMBER, sms_subscriber_status: status });
    await all.send({ action_type: "other", email: "a@x.de", phone: OTHER });
    expect([await all.phoneOf("a@x.de"), await all.sms(NUMBER)]).toEqual([NUMBER, state]);
    await expect(all.sms(OTHER)).rejects.toThrow("not_found");
    await all.import({ phone: NUMBER, smsState: SUBSCRIBED });
    expect(await all.sms(NUMBER)).toBe(state);
  });

  it("of a further number of a contact is kept for that number", async () => {
    const all = await shop();
    await all.send({ email: "a@x.de", phone: NUMBER, sms_subscriber_status: "1" });
    await all.send({ email: "a@x.de", phone: OTHER, sms_subscriber_status: "0" });
    expect([await all.sms(NUMBER), await all.sms(OTHER)]).toEqual([SUBSCRIBED, UNSUBSCRIBED]);
  });

  it("of a further number goes with its contact when that is erased", async () => {
    const all = await shop();
    await all.send({ email: "a@x.de", phone: NUMBER, sms_subscriber_status: "1" });
    await all.send({ email: "a@x.de", phone: OTHER, sms_subscriber_status: "0" });
    expect(await all.exported("a@x.de")).toContain(OTHER);
    await all.erase("a@x.de");
    await expect(all.sms(OTHER)).rejects.toThrow("not_found");
    await expect(all.sms(NUMBER)).rejects.toThrow("not_found");
  });

  it("of a further number stays when the contact is erased whose number it was, and it has become another one's", async () => {
    const all = await shop();
    await all.send({ email: "a@x.de", phone: NUMBER, sms_subscriber_status: "1" });
    await all.send({ email: "a@x.de", phone: OTHER, sms_subscriber_status: "1" });
    await all.send({ email: "b@x.de", phone: OTHER });
    await all.erase("a@x.de");
    expect(await all.sms(OTHER)).toBe(SUBSCRIBED);
  });

  it("takes another number while nothing has been said about the first one", async () => {
    const all = await shop();
    await all.send({ action_type: "other", email: "a@x.de", phone: NUMBER });
    await all.send({ action_type: "other", email: "a@x.de", phone: OTHER });
    expect(await all.phoneOf("a@x.de")).toBe(OTHER);
  });

  it("by subscribe with the e-mail alone counts for its contact's number, and has a note without one", async () => {
    const all = await shop();
    await all.send({ email: "a@x.de", phone: NUMBER, sms_subscriber_status: "1" });
    await all.send({ email: "a@x.de", sms_subscriber_status: "0" });
    expect(await all.sms(NUMBER)).toBe(UNSUBSCRIBED);
  });

  it("by unsubscribe ends each address that it names", async () => {
    const all = await shop();
    await all.send({ email: "a@x.de", phone: NUMBER, sms_subscriber_status: "1" });
    await all.send({ action_type: "unsubscribe", email: "a@x.de" });
    expect([await all.emailOf("a@x.de"), await all.sms(NUMBER)]).toEqual([UNSUBSCRIBED, SUBSCRIBED]);
    await all.send({ action_type: "Unsubscribe", phone: NUMBER, subscriber_status: "1" });
    expect(await all.sms(NUMBER)).toBe(UNSUBSCRIBED);
  });
});
