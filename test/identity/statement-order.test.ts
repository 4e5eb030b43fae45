import { describe, expect, it } from "vitest";
import type { Subscription } from "../../src/domain/contact.js";
import { createImportContacts, type ListedContact } from "../../src/identity/import-contacts.js";
import { countsAt } from "../../src/identity/ledger/statement-order.js";
import { createSetSubscription } from "../../src/identity/set-subscription.js";
import { testIds, testSecrets } from "../fixtures/store.js";
import { draft, intake, NO_CONTACT, NO_VISITOR } from "../intake/intake-fixture.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const ANN = "ann@example.com";
const visitor = { ...NO_VISITOR, fingerprintId: "f1" };
const LISTED: ListedContact = { ...NO_CONTACT, email: ANN, changedAt: null, reason: "", visitor: null };

/** A shop in which Ann is subscribed or not, and who says more of her. */
async function shop() {
  const { store, now, record, statusOf } = await intake();
  const ids = { unitOfWork: store.unitOfWork, now, newId: testIds(), newSalt: testSecrets() };
  const list = createImportContacts(ids);
  const set = createSetSubscription(ids);
  return {
    now,
    status: async () => (await statusOf("f1")).email,
    say: (status: boolean, occurredAt: number) =>
      record(
        draft("subscribe", { visitor, contact: { ...NO_CONTACT, email: ANN, emailSubscribed: status }, occurredAt }),
      ),
    list: (...rows: readonly Partial<ListedContact>[]) =>
      list(
        "shop",
        rows.map((row) => ({ ...LISTED, ...row })),
      ),
    set: (emailSubscribed: boolean) =>
      set("shop", { email: ANN, phone: "", emailSubscribed, smsSubscribed: null, reason: "", visitor: null }),
  };
}

describe("a subscription dated ahead", () => {
  it("does not count against an unsubscription dated further ahead", async () => {
    const { now, say, status } = await shop();
    await say(false, now.at + 4 * MINUTE);
    now.at += SECOND;
    await say(true, now.at + 3 * MINUTE);
    expect(await status()).toBe(false);
    now.at += 4 * MINUTE;
    await say(true, now.at + 3 * MINUTE);
    expect(await status()).toBe(true);
  });
});

describe("an unsubscription", () => {
  it.each([
    ["in the same second", 0],
    ["10 minutes behind", 10 * MINUTE],
    ["5 hours behind", 5 * HOUR],
    ["24 hours behind", 24 * HOUR],
  ])("%s of the subscription in force counts", async (_, behind) => {
    const { now, say, status } = await shop();
    const subscribedAt = now.at;
    await say(true, subscribedAt);
    now.at += SECOND;
    await say(false, subscribedAt - behind);
    expect(await status()).toBe(false);
  });

  it("of a time more than 24 hours before the subscription in force does not count", async () => {
    const { now, say, status } = await shop();
    await say(true, now.at);
    await say(false, now.at - 24 * HOUR - 1);
    expect(await status()).toBe(true);
  });

  it("that came late is not undone by the subscription when that is sent again", async () => {
    const { now, say, status } = await shop();
    const subscribedAt = now.at;
    await say(true, subscribedAt);
    await say(false, subscribedAt - HOUR);
    now.at += SECOND;
    await say(true, subscribedAt);
    expect(await status()).toBe(false);
  });
});

describe("a subscription", () => {
  it.each([
    ["later than", 1, true],
    ["of the same time as", 0, false],
    ["earlier than", -1, false],
  ])("%s the last unsubscription: whether it counts", async (_, after, counts) => {
    const { now, say, status } = await shop();
    const unsubscribedAt = now.at;
    await say(false, unsubscribedAt);
    now.at += SECOND;
    await say(true, unsubscribedAt + after);
    expect(await status()).toBe(counts);
  });

  it("by a call counts in the millisecond of the unsubscription that came before it", async () => {
    const { set, say, now, status } = await shop();
    await say(false, now.at);
    await set(true);
    expect(await status()).toBe(true);
  });
});

describe("a list", () => {
  it("without times subscribes nobody whom a visitor, the shop or a list has unsubscribed, and counts them", async () => {
    const ways = [
      (of: Awaited<ReturnType<typeof shop>>) => of.say(false, of.now.at),
      (of: Awaited<ReturnType<typeof shop>>) => of.set(false),
      (of: Awaited<ReturnType<typeof shop>>) => of.list({ emailSubscribed: false }),
    ];
    for (const unsubscribe of ways) {
      const under = await shop();
      await under.say(true, under.now.at);
      await unsubscribe(under);
      under.now.at += HOUR;
      expect((await under.list({ emailSubscribed: true })).keptUnsubscribed).toBe(1);
      expect(await under.status()).toBe(false);
    }
  });

  it("without times unsubscribes", async () => {
    const { say, list, now, status } = await shop();
    await say(true, now.at);
    await list({ emailSubscribed: false });
    expect(await status()).toBe(false);
  });

  it("without times leaves the time of the subscription in force", async () => {
    const { say, list, now, status } = await shop();
    await say(true, now.at);
    now.at += 30 * HOUR;
    await list({ emailSubscribed: true });
    await say(false, now.at - 25 * HOUR);
    expect(await status()).toBe(false);
  });

  it("with a later time subscribes who had unsubscribed", async () => {
    const { say, list, now, status } = await shop();
    await say(false, now.at - HOUR);
    expect((await list({ emailSubscribed: true, changedAt: now.at - MINUTE })).keptUnsubscribed).toBe(0);
    expect(await status()).toBe(true);
  });

  it.each([
    ["subscribed, then unsubscribed", [true, false]],
    ["unsubscribed, then subscribed", [false, true]],
  ])("that names an address %s unsubscribes it, in one batch or in two", async (_, states) => {
    const rows = states.map((emailSubscribed) => ({ emailSubscribed }));
    for (const batches of [[rows], rows.map((row) => [row])]) {
      for (const isTimed of [false, true]) {
        const { say, list, status, now } = await shop();
        await say(true, now.at - 400 * HOUR);
        const time = isTimed ? now.at - HOUR : null;
        for (const batch of batches) await list(...batch.map((row) => ({ ...row, changedAt: time })));
        expect(await status()).toBe(false);
      }
    }
  });
});

describe("a clock that was ahead", () => {
  it("leaves the order of arrival to decide", () => {
    const known: Subscription = {
      status: true,
      changedAt: 1e12 + 48 * HOUR,
      changedBy: "b",
      recordedAt: 1e12 + 48 * HOUR,
    };
    const statement = { subscribed: false, at: 1e12, recordedAt: 1e12, by: "a", isOrderedByArrival: false };
    expect(countsAt(statement, known)).toBe(known.changedAt + 1);
  });
});
