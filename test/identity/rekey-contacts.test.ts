import { rm } from "node:fs/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { CONTACT_KEY_RULES } from "../../src/domain/app.js";
import type { Contact } from "../../src/domain/contact.js";
import { confirmationKey, MAILING_SECRETS } from "../../src/domain/hook.js";
import { createSeal } from "../../src/domain/secret-encryption.js";
import { state } from "../../src/identity/ledger/ledger.js";
import { createVerifyLedger } from "../../src/identity/ledger/verify-ledger.js";
import { writeLinkToken } from "../../src/identity/links/link-token.js";
import { createLinks } from "../../src/identity/links/links.js";
import { rekeyContacts } from "../../src/identity/rekey-contacts.js";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { verifyStore } from "../../src/store/lmdb/verify.js";
import type { Store } from "../../src/store/ports/store.js";
import { app, contact, visitor } from "../contract/samples.js";
import { testClock, testIds, testSecrets } from "../fixtures/store.js";
import { storeKinds } from "../fixtures/stores.js";
import { makeDirectory } from "../store/lmdb/open-embedded.js";

const NEW_ID = testIds();
const NEW_SALT = testSecrets();
const LINK_KEY = "ab".repeat(32);

/** A contact as an earlier version stored it: with the keys of its own spelling. */
async function put(
  store: Store,
  contactId: string,
  keys: readonly string[],
  parts: Partial<Contact>,
  said: { email?: boolean; sms?: boolean } = {},
): Promise<void> {
  await store.unitOfWork.run("shop", (tx) => {
    let one = contact(contactId, parts);
    tx.contacts.put(contactId, one);
    for (const key of keys) tx.contactKeys.put(key, contactId);
    for (const channel of ["email", "sms"] as const) {
      const subscribed = said[channel];
      if (subscribed === undefined) continue;
      const how = {
        source: "rpc",
        eventId: "",
        reason: "",
        onlyUnknown: false,
        newSalt: NEW_SALT,
        newId: NEW_ID,
      } as const;
      one = state(tx, one, { channel, subscribed, at: 1000, by: `by ${contactId}`, recordedAt: 1000, ...how }).contact;
    }
  });
}

async function earlierShop(store: Store): Promise<void> {
  await store.apps.create({ ...app("shop"), contactKeyRules: 1 });
  await store.unitOfWork.run("shop", (tx) =>
    tx.mailingSecrets.put(MAILING_SECRETS, { linkKey: LINK_KEY, hook: null, signing: [], signingSince: 0 }),
  );
  await put(
    store,
    "k1",
    ["e:ann@xn--bcher-kva.example"],
    { email: "ann@xn--bcher-kva.example", createdAt: 1 },
    { email: true },
  );
  await put(
    store,
    "k2",
    ["e:ann@bücher.example"],
    { email: "Ann@bücher.example", createdAt: 2, firstName: "Ann" },
    { email: false },
  );
  await put(store, "k3", ["e:\u200Bbob@x.example"], { email: "\u200Bbob@x.example", createdAt: 3 }, { email: true });
  await put(store, "k4", ["p:0048601234567"], { phone: "0048601234567", createdAt: 4 }, { sms: false });
  await put(
    store,
    "k5",
    ["e:eve@x.example", "p:+48601234567"],
    { email: "eve@x.example", phone: "+48601234567", createdAt: 5 },
    { sms: true },
  );
  await put(store, "k6", ["e:carl@ｘ.example"], { email: "carl@ｘ.example", createdAt: 6 }, { email: true });
  await put(store, "k7", ["e:carl@x.example"], { email: "carl@x.example", createdAt: 7 });
  await put(store, "k8", ["e:a@-x.example"], { email: "a@-x.example", createdAt: 8 });
  await store.unitOfWork.run("shop", (tx) => {
    tx.visitors.put("v1", visitor("v1", { contactId: "k2", keys: ["c:c1"] }));
    tx.visitorKeys.put("c:c1", "v1");
    tx.confirmations.put(confirmationKey("k7", "sms"), { askedAt: 1, askedBy: "e", eventId: "e", visitorKey: "" });
  });
}

async function rekey(store: Store): Promise<number> {
  return rekeyContacts({ ...store, now: () => 5000, newId: NEW_ID, newSalt: NEW_SALT });
}

async function faultsOf(store: Store): Promise<number> {
  let faults = -1;
  for await (const report of createVerifyLedger(store)("shop", undefined)) faults = report.faultCount;
  return faults;
}

describe.each(await storeKinds())("a number that a table wrote with a decimal: $name", ({ openStore }) => {
  it.each([
    ["48501234567.0", "p:485012345670", "p:48501234567"],
    ["0048501234567.0", "p:+485012345670", "p:+48501234567"],
  ])("is found as its digits: %s", async (phone, earlier, today) => {
    const store = await openStore(testClock());
    await store.apps.create({ ...app("shop"), contactKeyRules: 2 });
    await put(store, "k1", [earlier], { phone, email: "" }, { sms: false });
    expect(await rekey(store)).toBe(1);
    expect((await store.contacts.find("shop", today))?.contactId).toBe("k1");
    expect((await store.copies.scan("shop", "contactKeys", "", 10)).map(({ key }) => key)).toEqual([today]);
  });
});

describe.each(await storeKinds())("contacts of an earlier version: $name", ({ openStore }) => {
  async function opened() {
    const now = testClock();
    const store = await openStore(now);
    await earlierShop(store);
    return { store, now };
  }

  it("become one under the older id where their addresses are one, with the stricter state", async () => {
    const { store } = await opened();
    expect(await rekey(store)).toBeGreaterThan(0);
    const ann = await store.contacts.find("shop", "e:ann@xn--bcher-kva.example");
    expect(ann).toMatchObject({ contactId: "k1", firstName: "Ann", emailSubscription: { status: false } });
    const phone = await store.contacts.find("shop", "p:+48601234567");
    expect(phone).toMatchObject({ contactId: "k4", email: "eve@x.example", smsSubscription: { status: false } });
    expect((await store.contacts.list("shop", "", 100)).map(({ contactId }) => contactId)).toEqual([
      "k1",
      "k3",
      "k4",
      "k6",
      "k8",
    ]);
  });

  it("are found by today's keys, by their former ids, and by no earlier key", async () => {
    const { store } = await opened();
    await rekey(store);
    expect((await store.contacts.find("shop", "e:bob@x.example"))?.contactId).toBe("k3");
    expect((await store.contacts.find("shop", "e:carl@x.example"))?.emailSubscription.status).toBe(true);
    expect((await store.contacts.get("shop", "k7"))?.contactId).toBe("k6");
    const keys = (await store.copies.scan("shop", "contactKeys", "", 100)).map(({ key }) => key);
    expect(keys.sort()).toEqual(
      [
        "e:ann@xn--bcher-kva.example",
        "e:bob@x.example",
        "e:carl@x.example",
        "e:eve@x.example",
        "i:k2",
        "i:k5",
        "i:k7",
        "p:+48601234567",
      ].sort(),
    );
  });

  it("keep a ledger without faults, and their visitors", async () => {
    const { store } = await opened();
    await rekey(store);
    expect(await faultsOf(store)).toBe(0);
    expect((await store.visitors.get("shop", ["v1"])).map(({ contactId }) => contactId)).toEqual(["k1"]);
    const changes = await store.contacts.changes("shop", "k1", "", 10);
    expect(changes.map(({ source, to }) => [source, to])).toEqual([
      ["rpc", true],
      ["merge", false],
    ]);
  });

  it("are written once: a second start changes nothing", async () => {
    const { store } = await opened();
    await rekey(store);
    const before = await store.copies.scan("shop", "contacts", "", 100);
    expect(await rekey(store)).toBe(0);
    expect((await store.apps.get("shop"))?.contactKeyRules).toBe(CONTACT_KEY_RULES);
    expect(await store.copies.scan("shop", "contacts", "", 100)).toEqual(before);
  });

  it("are unsubscribed by a link that an earlier version signed for their spelling", async () => {
    const { store, now } = await opened();
    await rekey(store);
    const deps = {
      unitOfWork: store.unitOfWork,
      seal: createSeal(undefined),
      now,
      newId: NEW_ID,
      newSalt: NEW_SALT,
      newKey: () => LINK_KEY,
    };
    const links = createLinks(deps);
    const tokenFor = (contactId: string, address: string) =>
      writeLinkToken(
        Buffer.from(LINK_KEY, "hex"),
        { appId: "shop", purpose: "unsubscribe", channel: "email", contactId, validUntil: 9e12 },
        address,
      );
    await links.follow(tokenFor("k3", "\u200Bbob@x.example"), null);
    expect((await store.contacts.get("shop", "k3"))?.emailSubscription.status).toBe(false);
    await links.follow(tokenFor("k7", "carl@x.example"), null);
    expect((await store.contacts.get("shop", "k6"))?.emailSubscription.status).toBe(false);
    await expect(links.look(tokenFor("k7", "eve@x.example"))).rejects.toThrow();
  });
});

it("leaves an embedded store without faults", async () => {
  const directory = await makeDirectory();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const store = await openEmbeddedStore({ directory, now: () => 5 });
  await earlierShop(store);
  await rekey(store);
  await store.close();
  expect((await verifyStore(directory)).faultCount).toBe(0);
});
