import { describe, expect, it } from "vitest";
import { NO_MONEY } from "../../src/domain/money.js";
import { createImportContacts } from "../../src/identity/import-contacts.js";
import { createVerifyLedger, type LedgerFault } from "../../src/identity/ledger/verify-ledger.js";
import { createSetSubscription } from "../../src/identity/set-subscription.js";
import { testIds, testSecrets } from "../fixtures/store.js";
import { draft, intake, NO_CONTACT, NO_VISITOR } from "../intake/intake-fixture.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ANN = "ann@example.com";
const ann = { ...NO_CONTACT, email: ANN };
const visitor = { ...NO_VISITOR, fingerprintId: "f1" };

/** A shop with everything that says something of subscriptions. */
async function shop() {
  const { store, now, record, statusOf } = await intake();
  const ids = { unitOfWork: store.unitOfWork, now, newId: testIds(), newSalt: testSecrets() };
  const set = createSetSubscription(ids);
  const list = createImportContacts(ids);
  const verify = createVerifyLedger(store);
  return {
    store,
    now,
    record,
    status: async () => (await statusOf("f1")).email,
    say: (status: boolean, occurredAt = 0) =>
      record(draft("subscribe", { visitor, contact: { ...ann, emailSubscribed: status }, occurredAt })),
    set: (emailSubscribed: boolean) =>
      set("shop", { email: ANN, phone: "", emailSubscribed, smsSubscribed: null, reason: "", visitor: null }),
    list: (emailSubscribed: boolean, changedAt: number) =>
      list("shop", [
        { ...NO_CONTACT, email: ANN, emailSubscribed, smsSubscribed: null, changedAt, reason: "", visitor: null },
      ]),
    /** What the ledger's own check finds wrong. */
    broken: async () => {
      const found: LedgerFault[] = [];
      for await (const { newFaults } of verify("shop", undefined)) found.push(...newFaults);
      return found;
    },
  };
}

describe("a statement dated in the future", () => {
  it("by a browser is replaced by the next one", async () => {
    const { now, say, set, status } = await shop();
    await say(true, now.at + 4 * MINUTE);
    expect(await status()).toBe(true);
    now.at += 1000;
    await set(false);
    expect(await status()).toBe(false);
  });

  it("by an imported list is replaced by the next one", async () => {
    const { now, say, list, status } = await shop();
    await list(true, now.at + 4 * MINUTE);
    now.at += 1000;
    await say(false);
    expect(await status()).toBe(false);
  });

  it("links a visitor only until the next link", async () => {
    const { now, record, store } = await shop();
    await record(draft("subscribe", { visitor, contact: ann, occurredAt: now.at + 4 * MINUTE }));
    now.at += 1000;
    await record(draft("subscribe", { visitor, contact: { ...ann, email: "bea@example.com" } }));
    const bea = await store.contacts.find("shop", "e:bea@example.com");
    const [found] = await store.visitors.find("shop", ["f:f1"]);
    expect(bea).toBeDefined();
    expect(found?.contactId).toBe(bea?.contactId);
  });
});

describe("after the server's clock was 25 hours ahead", () => {
  it("a subscriber from then can unsubscribe at once, and change again at any time", async () => {
    const { now, say, set, list, status, broken } = await shop();
    now.at += 25 * HOUR;
    await say(true);
    now.at -= 25 * HOUR - 1000;
    for (const [n, subscribed] of [false, true, false, true, false].entries()) {
      now.at += 1000;
      if (n % 3 === 0) await set(subscribed);
      else if (n % 3 === 1) await say(subscribed, now.at - 200);
      else await list(subscribed, now.at - 100);
      expect(await status()).toBe(subscribed);
    }
    expect(await broken()).toEqual([]);
    now.at += 30 * HOUR;
    await say(true);
    expect(await status()).toBe(true);
    expect(await broken()).toEqual([]);
  });

  it("a newer status replaces an order's status from then", async () => {
    const { now, record, store } = await shop();
    const order = (status: string) =>
      draft("order", {
        order: { orderId: "o1", status, payment: NO_MONEY, basePayment: NO_MONEY, coupon: "" },
      });
    now.at += 25 * HOUR;
    await record(order("new"));
    now.at -= 25 * HOUR;
    await record(order("paid"));
    expect(await store.orders.get("shop", "o1")).toMatchObject({ status: "paid" });
  });
});
