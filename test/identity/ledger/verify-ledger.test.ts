import { describe, expect, it } from "vitest";
import type { SubscriptionChange } from "../../../src/domain/contact.js";
import { changeIdOf, emptyLedger, seal } from "../../../src/domain/ledger.js";
import { eraseChange } from "../../../src/identity/ledger/ledger.js";
import { type Anchor, createVerifyLedger, type LedgerReport } from "../../../src/identity/ledger/verify-ledger.js";
import type { Transaction } from "../../../src/store/ports/unit-of-work.js";
import { change } from "../../contract/samples.js";
import { draft, intake, NO_CONTACT } from "../../intake/intake-fixture.js";

/** A shop with five entries of two contacts, and what a verification of it finds. */
async function shop() {
  const { record, store, now } = await intake();
  for (const [email, emailSubscribed] of [
    ["a@x.de", true],
    ["b@x.de", true],
    ["a@x.de", false],
    ["a@x.de", false],
    ["b@x.de", false],
  ] as const) {
    now.at += 1000;
    await record(draft("subscribe", { contact: { ...NO_CONTACT, email, emailSubscribed } }));
  }
  const verify = createVerifyLedger(store);
  const look = async (anchor?: Anchor) => {
    const reports: LedgerReport[] = [];
    for await (const report of verify("shop", anchor)) reports.push(report);
    const faults = reports.flatMap(({ newFaults }) => newFaults);
    const places = faults.map(({ kind, changeId, contactId }) => `${kind} ${changeId || contactId}`);
    return { ...reports.at(-1), places };
  };
  const edit = (body: (tx: Transaction) => void) => store.unitOfWork.run("shop", body);
  const entries = await store.contacts.changes("shop", "", "", 100);
  const alter = (number: number, more: Partial<SubscriptionChange>) =>
    edit((tx) => tx.changes.put(changeIdOf(number), { ...entries[number - 1]!, ...more }));
  return { store, look, edit, alter, entries };
}

describe("a verification of a ledger", () => {
  it("finds no fault in a sound ledger, and returns the head of its chain", async () => {
    const { look, entries } = await shop();
    const head = { count: 5, hash: entries[4]?.seal?.hash };
    expect(await look()).toMatchObject({
      places: [],
      entries: 5,
      erased: 0,
      unchained: 0,
      contacts: 2,
      head,
      isDone: true,
    });
  });

  it("finds no fault in an app without entries, and rejects an unknown app", async () => {
    const { store } = await intake();
    const verify = createVerifyLedger(store);
    const { value } = await verify("other", undefined).next();
    expect(value).toMatchObject({ entries: 0, faultCount: 0, isDone: true, head: emptyLedger("other") });
    await expect(verify("nowhere", undefined).next()).rejects.toMatchObject({ resource: "app" });
  });

  it("finds no fault after a person was erased with their contact", async () => {
    const { look, edit, entries } = await shop();
    const { contactId = "" } = entries[0] ?? {};
    await edit((tx) => {
      for (const entry of entries) if (entry.contactId === contactId) eraseChange(tx, entry.changeId);
      tx.contacts.delete(contactId);
    });
    expect(await look()).toMatchObject({ places: [], entries: 5, erased: 3, contacts: 1 });
  });

  it("counts entries from before the chain, and checks those after them", async () => {
    const { look, edit } = await shop();
    await edit((tx) => tx.changes.put("0199-old:email", change("0199-old:email", "k0")));
    expect(await look()).toMatchObject({ places: [], entries: 5, unchained: 1 });
  });

  it.each([
    ["a state", { to: true }],
    ["a time", { occurredAt: 5 }],
    ["when it was recorded", { recordedAt: 5 }],
    ["a source", { source: "rpc" as const }],
    ["a channel", { channel: "sms" as const }],
  ])("names the entry in which %s was changed", async (_what, more) => {
    const { look, alter } = await shop();
    await alter(3, more);
    expect((await look()).places).toContain(`changed ${changeIdOf(3)}`);
  });

  it.each([
    ["the contact", { contactId: "contact:other" }],
    ["the reason", { reason: "asked for it" }],
    ["the event", { eventId: "e9" }],
    ["who said it", { by: "e9" }],
  ])("names the entry in which %s was changed", async (_what, more) => {
    const { look, alter } = await shop();
    await alter(3, more);
    expect((await look()).places).toContain(`person ${changeIdOf(3)}`);
  });

  it("names the entry of an erased person that was assigned to another", async () => {
    const { look, edit, alter, entries } = await shop();
    await edit((tx) => eraseChange(tx, changeIdOf(2)));
    await alter(2, { contactId: "", by: "", eventId: "", reason: "made up", seal: { ...entries[1]!.seal!, salt: "" } });
    expect((await look()).places).toContain(`person ${changeIdOf(2)}`);
  });

  it("names each missing entry", async () => {
    for (const number of [1, 3, 5]) {
      const { look, edit } = await shop();
      await edit((tx) => tx.changes.delete(changeIdOf(number)));
      expect((await look()).places).toContain(`missing ${changeIdOf(number)}`);
    }
  });

  it("names the entry after one that was hashed again, and the last one by the head", async () => {
    const resealed = (entry: SubscriptionChange, number: number) => {
      const { changeId: _, seal: before, ...said } = { ...entry, to: true };
      return seal(said, number, before?.salt ?? "", before?.previous ?? "");
    };
    const { look, edit, entries } = await shop();
    await edit((tx) => tx.changes.put(changeIdOf(3), resealed(entries[2]!, 3)));
    expect((await look()).places).toContain(`link ${changeIdOf(4)}`);
    const again = await shop();
    await again.edit((tx) => tx.changes.put(changeIdOf(5), resealed(again.entries[4]!, 5)));
    expect((await again.look()).places).toContain(`head ${changeIdOf(5)}`);
  });

  it("names entries that were swapped, and a missing hash", async () => {
    const { look, edit, alter, entries } = await shop();
    await edit((tx) => {
      tx.changes.put(changeIdOf(2), { ...entries[2]!, changeId: changeIdOf(2) });
      tx.changes.put(changeIdOf(3), { ...entries[1]!, changeId: changeIdOf(3) });
    });
    const { places } = await look();
    expect(places).toEqual(expect.arrayContaining([`changed ${changeIdOf(2)}`, `changed ${changeIdOf(3)}`]));
    await alter(2, {});
    await alter(3, { seal: null });
    expect((await look()).places).toEqual([`changed ${changeIdOf(3)}`]);
  });

  it("names a contact whose subscription differs from its entries", async () => {
    const { store, look, edit } = await shop();
    const contact = await store.contacts.find("shop", "e:a@x.de");
    if (contact === undefined) throw new Error("the fixture has a contact");
    const { emailSubscription } = contact;
    for (const tampered of [
      { ...emailSubscription, status: true },
      { ...emailSubscription, changedAt: 7 },
    ]) {
      await edit((tx) => tx.contacts.put(contact.contactId, { ...contact, emailSubscription: tampered }));
      expect((await look()).places).toEqual([`contact ${contact.contactId}`]);
    }
  });

  it("detects by an anchor a chain that was rebuilt as a whole", async () => {
    const { look, edit, entries } = await shop();
    const noted = { changeId: changeIdOf(4), hash: entries[3]?.seal?.hash ?? "" };
    expect((await look(noted)).places).toEqual([]);
    await edit((tx) => {
      let { hash } = emptyLedger("shop");
      for (const [at, entry] of entries.entries()) {
        const { changeId: _, seal: before, ...said } = { ...entry, recordedAt: entry.recordedAt + 1 };
        const made = seal(said, at + 1, before?.salt ?? "", hash);
        tx.changes.put(made.changeId, made);
        hash = made.seal.hash;
      }
      tx.ledgerHead.put("app", { count: entries.length, hash });
    });
    expect((await look()).places).toEqual([]);
    expect((await look(noted)).places).toEqual([`anchor ${changeIdOf(4)}`]);
    expect((await look({ ...noted, changeId: changeIdOf(9) })).places).toEqual([`anchor ${changeIdOf(9)}`]);
  });
});
