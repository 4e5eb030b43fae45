import { describe, expect, it } from "vitest";
import { toEvent } from "../../src/facade/trace-event.js";
import { createJoinVisitors } from "../../src/identity/join-visitors.js";
import { createSetSubscription } from "../../src/identity/set-subscription.js";
import { testIds, testSecrets } from "../fixtures/store.js";
import { draft, intake, NO_CONTACT, NO_VISITOR } from "../intake/intake-fixture.js";

const ANONYMOUS = { identified: false, email: null, sms: null };
const ann = { ...NO_CONTACT, email: "ann@example.com" };
const fp = (fingerprintId: string, clientId = "") => ({ ...NO_VISITOR, fingerprintId, clientId });

describe("subscription status", () => {
  it.each(["2", "3", "4", "-1", "[0]", "nie", "NaN", "undefined", "null", "[object Object]"])(
    "of who unsubscribed stays when subscribe says %s",
    async (status) => {
      const { record, statusOf, now } = await intake();
      await record(draft("subscribe", { visitor: fp("f1"), contact: { ...ann, emailSubscribed: false } }));
      now.at += 1000;
      const extraFields = toEvent(new Map([["subscriber_status", status]]), "", now()).extraFields;
      const { notes } = await record(draft("subscribe", { contact: ann, extraFields }));
      expect(notes).toEqual(["subscriber_status says neither yes nor no and states nothing (accepted: 1, 0)"]);
      expect(await statusOf("f1")).toMatchObject({ identified: true, email: false });
    },
  );

  it("of a phone stays when subscribe says of text messages neither yes nor no", async () => {
    const { record, store } = await intake();
    const contact = { ...NO_CONTACT, phone: "+48600100200" };
    await record(draft("subscribe", { contact, extraFields: { sms_subscriber_status: "2" } }));
    expect((await store.contacts.find("shop", "p:+48600100200"))?.smsSubscription.status).toBe(null);
  });

  it("is not identified by a phone number alone", async () => {
    const { record, statusOf } = await intake();
    await record(draft("subscribe", { visitor: fp("f1"), contact: { ...NO_CONTACT, phone: "+48 600 100 200" } }));
    expect(await statusOf("f1")).toEqual({ identified: false, email: null, sms: true });
  });
});

describe("statements", () => {
  it("on events other than subscribe fill an unknown status and never change a known one", async () => {
    const { record, statusOf } = await intake();
    const guest = draft("product_view", {
      visitor: fp("f1"),
      contact: { ...ann, emailSubscribed: false },
      products: [],
      actionType: "homepage_view",
    });
    await record(guest);
    expect(await statusOf("f1")).toMatchObject({ email: false });
    await record(draft("subscribe", { visitor: fp("f1"), contact: ann }));
    const { notes } = await record(guest);
    expect(await statusOf("f1")).toMatchObject({ email: true });
    expect(notes).toContain("the email subscription is known; only a subscribe event changes it");
  });

  it("that are older do not overwrite newer ones", async () => {
    const { record, statusOf, now } = await intake();
    await record(draft("subscribe", { visitor: fp("f1"), contact: { ...ann, emailSubscribed: false } }));
    const late = await record(draft("subscribe", { visitor: fp("f1"), contact: ann, occurredAt: now.at - 3600_000 }));
    expect(await statusOf("f1")).toMatchObject({ email: false });
    expect(late.notes).toContain("the email subscription has newer knowledge and stays as it is");
  });

  it("are entered into the ledger once each in order of time, repeated ones too", async () => {
    const { record, store, now } = await intake();
    for (const emailSubscribed of [true, true, false]) {
      await record(draft("subscribe", { contact: { ...ann, emailSubscribed } }));
      now.at += 1000;
    }
    const changes = await store.contacts.changes("shop", "", "", 10);
    expect(changes.map(({ from, to }) => [from, to])).toEqual([
      [null, true],
      [true, true],
      [true, false],
    ]);
  });
});

describe("identity", () => {
  it("reads a leading blank of a phone number as a lost plus", async () => {
    const { record, store } = await intake();
    await record(draft("subscribe", { contact: { ...NO_CONTACT, phone: "+48600100200" } }));
    await record(draft("subscribe", { contact: { ...NO_CONTACT, phone: " 48600100200" } }));
    expect(await store.contacts.find("shop", "p:+48600100200")).toBeDefined();
    expect((await store.contacts.changes("shop", "", "", 10)).map(({ from }) => from)).toEqual([null, true]);
  });

  it("makes c_id and fp_ccid sent together one visitor", async () => {
    const { record, statusOf } = await intake();
    await record(draft("homepage_view", { visitor: { ...NO_VISITOR, clientId: "c1" }, contact: ann }));
    expect(await statusOf("f1")).toEqual(ANONYMOUS);
    const joined = await record(draft("homepage_view", { visitor: fp("f1", "c1") }));
    expect(await statusOf("f1")).toMatchObject({ identified: true });
    expect(joined.visitorChanged).toBe(false); // f1 was nobody before
  });

  it("keeps the newer link when two visitors are joined, and expires cached answers", async () => {
    const { record, statusOf, now } = await intake();
    await record(draft("subscribe", { visitor: { ...NO_VISITOR, clientId: "c1" }, contact: ann }));
    now.at += 1000;
    await record(draft("homepage_view", { visitor: fp("f1"), contact: { ...NO_CONTACT, email: "bob@example.com" } }));
    now.at += 1000;
    expect(await record(draft("homepage_view", { visitor: fp("f1", "c1") }))).toMatchObject({ visitorChanged: true });
    expect(await statusOf("f1")).toMatchObject({ identified: true, email: null });
  });

  it("joins no visitors by a shared user id on a device that has another one", async () => {
    const { record, store } = await intake();
    const device = (clientId: string, userId: string) => ({ ...NO_VISITOR, clientId, userId });
    await record(draft("homepage_view", { visitor: device("c1", "u1") }));
    await record(draft("homepage_view", { visitor: device("c2", "u2") }));
    await record(draft("homepage_view", { visitor: device("c1", "u2") }));
    const found = await store.visitors.find("shop", ["c:c1", "c:c2"]);
    expect(found).toHaveLength(2);
  });

  it("gives a visitor at most 64 ids", async () => {
    const { record, store } = await intake();
    for (let n = 0; n < 70; n++) await record(draft("homepage_view", { visitor: fp("f1", `c${n}`) }));
    expect((await store.visitors.find("shop", ["f:f1"]))[0]?.keys).toHaveLength(64);
  });

  it("reports whether an event changed what is known of its visitor", async () => {
    const { record } = await intake();
    const subscribe = draft("subscribe", { visitor: fp("f1"), contact: ann });
    expect((await record(subscribe)).visitorChanged).toBe(true);
    expect((await record(subscribe)).visitorChanged).toBe(false);
    expect((await record(draft("homepage_view", { visitor: fp("f1") }))).visitorChanged).toBe(false);
  });

  it("never joins two contacts", async () => {
    const { record, store } = await intake();
    await record(draft("subscribe", { contact: { ...ann, phone: "+48600100200" } }));
    await record(draft("subscribe", { contact: { ...NO_CONTACT, email: "bob@example.com", phone: "+48600100200" } }));
    const ids = [
      (await store.contacts.find("shop", "e:ann@example.com"))?.contactId,
      (await store.contacts.find("shop", "e:bob@example.com"))?.contactId,
      (await store.contacts.find("shop", "p:+48600100200"))?.contactId,
    ];
    expect(ids[0]).not.toBe(ids[1]);
    expect(ids[2]).toBe(ids[0]);
  });
});

describe("the shop's own statement", () => {
  it("sets a status, links a visitor and is entered into the ledger", async () => {
    const { store, now, statusOf } = await intake();
    const set = createSetSubscription({ unitOfWork: store.unitOfWork, now, newId: testIds(), newSalt: testSecrets() });
    const asked = { email: "ann@example.com", phone: "", emailSubscribed: true, smsSubscribed: null };
    await set("shop", { ...asked, reason: "asked at the till", visitor: fp("f1") });
    expect(await statusOf("f1")).toMatchObject({ identified: true, email: true });
    expect(await store.contacts.changes("shop", "", "", 10)).toMatchObject([
      { source: "rpc", reason: "asked at the till", to: true },
    ]);
  });

  it.each([
    [{ email: "", phone: "" }, "email"],
    [{ email: "no address", phone: "" }, "email"],
    [{ email: "", phone: "12" }, "phone"],
  ])("is rejected for %j and names %s", async (names, field) => {
    const { store, now } = await intake();
    const set = createSetSubscription({ unitOfWork: store.unitOfWork, now, newId: testIds(), newSalt: testSecrets() });
    const order = { emailSubscribed: null, smsSubscribed: null, reason: "", visitor: null, ...names };
    await expect(set("shop", order)).rejects.toMatchObject({ field });
  });
});

describe("the ids of a recommend call", () => {
  it("are joined as those of an event", async () => {
    const { record, store, now, statusOf } = await intake();
    const join = createJoinVisitors({ ...store, now, newId: testIds() });
    await join("shop", fp("f1", "c1"));
    await record(draft("subscribe", { visitor: { ...NO_VISITOR, clientId: "c1" }, contact: ann }));
    expect(await statusOf("f1")).toMatchObject({ identified: true, email: true });
  });

  it("name no visitor of whom something is known when the call made it, and the visitor from then on", async () => {
    const { store, now } = await intake();
    const join = createJoinVisitors({ ...store, now, newId: testIds() });
    expect(await join("shop", fp("f1", "c1"))).toEqual([]);
    const [visitor] = await store.visitors.find("shop", ["c:c1"]);
    expect(visitor?.keys).toEqual(["c:c1", "f:f1"]);
    for (const ids of [fp("f1", "c1"), fp("f1"), fp("f2", "c1")]) {
      const known = await join("shop", ids);
      expect(known.map(({ visitorId }) => visitorId)).toEqual([visitor?.visitorId]);
    }
  });

  it("name the visitor of a user id beside one that the call made", async () => {
    const { record, store, now } = await intake();
    const join = createJoinVisitors({ ...store, now, newId: () => "joined" });
    await record(draft("homepage_view", { visitor: { ...NO_VISITOR, userId: "u1" } }));
    const known = await join("shop", { ...fp("f1", "c1"), userId: "u1" });
    expect(known.flatMap(({ keys }) => keys).sort()).toEqual(["c:c1", "f:f1", "u:u1"]);
  });
});

it("unsubscribe without a usable address has no effect, and says so", async () => {
  const { record } = await intake();
  const { notes } = await record(draft("unsubscribe", { visitor: fp("f1") }));
  expect(notes).toEqual(["unsubscribe has no effect: it names no usable e-mail address or phone"]);
});
