import { describe, expect, it } from "vitest";
import { createImportContacts, type ListedContact } from "../../src/identity/import-contacts.js";
import { testIds, testSecrets } from "../fixtures/store.js";
import { draft, intake, NO_CONTACT, NO_VISITOR } from "../intake/intake-fixture.js";

const LISTED: ListedContact = { ...NO_CONTACT, changedAt: null, reason: "", visitor: null };

async function shop() {
  const all = await intake();
  const deps = { unitOfWork: all.store.unitOfWork, now: all.now, newId: testIds(), newSalt: testSecrets() };
  const find = async (key: string) => {
    const contact = await all.store.contacts.find("shop", key);
    if (contact === undefined) throw new Error("there is no such contact");
    return contact;
  };
  const entries = () => all.store.contacts.changes("shop", "", "", 100);
  return { ...all, importContacts: createImportContacts(deps), find, entries };
}

describe("an import of contacts", () => {
  it("creates contacts with their states, and enters them into the ledger", async () => {
    const { importContacts, find, entries } = await shop();
    const ann = {
      ...LISTED,
      email: "Ann@x.de",
      firstName: "Ann",
      tags: ["vip"],
      emailSubscribed: true,
      reason: "list of 2024",
    };
    const bob = { ...LISTED, email: "bob@x.de", phone: "+48600100200", emailSubscribed: false, smsSubscribed: true };
    expect(await importContacts("shop", [ann, bob])).toEqual({ refused: [], suppressed: 0, keptUnsubscribed: 0 });
    expect(await find("e:ann@x.de")).toMatchObject({ email: "Ann@x.de", firstName: "Ann", tags: ["vip"] });
    expect((await find("e:bob@x.de")).smsSubscription.status).toBe(true);
    expect((await entries()).map(({ source, channel, to, reason }) => [source, channel, to, reason])).toEqual([
      ["import", "email", true, "list of 2024"],
      ["import", "email", false, ""],
      ["import", "sms", true, ""],
    ]);
  });

  it("keeps newer statements, and replaces older ones", async () => {
    const { importContacts, record, find, now } = await shop();
    const subscribe = { ...NO_CONTACT, email: "ann@x.de", emailSubscribed: false };
    await record(draft("subscribe", { contact: subscribe }));
    const at = (changedAt: number) => ({ ...LISTED, email: "ann@x.de", emailSubscribed: true, changedAt });
    await importContacts("shop", [at(now.at - 1)]);
    expect((await find("e:ann@x.de")).emailSubscription.status).toBe(false);
    now.at += 1000;
    await importContacts("shop", [at(now.at - 500)]);
    expect((await find("e:ann@x.de")).emailSubscription.status).toBe(true);
  });

  it("enters nothing the second time when the list says since when", async () => {
    const { importContacts, entries, now } = await shop();
    const list = [{ ...LISTED, email: "ann@x.de", emailSubscribed: true, changedAt: now.at - 5000 }];
    await importContacts("shop", list);
    now.at += 1000;
    await importContacts("shop", list);
    expect(await entries()).toHaveLength(1);
  });

  it("rejects each invalid contact, and imports the others", async () => {
    const { importContacts, find, now } = await shop();
    const { refused } = await importContacts("shop", [
      LISTED,
      { ...LISTED, email: "no address" },
      { ...LISTED, phone: "12" },
      { ...LISTED, email: "ann@x.de", smsSubscribed: true },
      { ...LISTED, email: "ann@x.de", changedAt: now.at + 3_600_000 },
      { ...LISTED, email: "ann@x.de", reason: "a\nb" },
      { ...LISTED, email: "ann@x.de", city: "x".repeat(9000) },
      { ...LISTED, email: "good@x.de" },
    ]);
    expect(refused.map(({ index, error }) => [index, error.field])).toEqual([
      [0, "email"],
      [1, "email"],
      [2, "phone"],
      [3, "phone"],
      [4, "change_time"],
      [5, "reason"],
      [6, "city"],
    ]);
    expect((await find("e:good@x.de")).emailSubscription.status).toBeNull();
  });

  it("links visitors, and proves their links", async () => {
    const { importContacts, store, statusOf } = await shop();
    const visitor = { ...NO_VISITOR, fingerprintId: "f1" };
    await importContacts("shop", [{ ...LISTED, email: "ann@x.de", emailSubscribed: true, visitor }]);
    expect(await statusOf("f1")).toMatchObject({ identified: true, email: true });
    expect((await store.visitors.find("shop", ["f:f1"]))[0]?.isProven).toBe(true);
  });

  it("is rejected for an unknown app", async () => {
    const { importContacts } = await shop();
    await expect(importContacts("nowhere", [])).rejects.toMatchObject({ resource: "app" });
  });
});
