import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changeIdOf, commitmentOf, emptyLedger, hashOf } from "../../../src/domain/ledger.js";
import { eraseChange, foldChanges } from "../../../src/identity/ledger/ledger.js";
import { change } from "../../contract/samples.js";
import { RUNS } from "../../fixtures/runs.js";
import { draft, intake, NO_CONTACT } from "../../intake/intake-fixture.js";

const subscribe = (email: string, emailSubscribed: boolean | null = null) =>
  draft("subscribe", { contact: { ...NO_CONTACT, email, emailSubscribed } });

describe("the chain of the ledger", () => {
  it("numbers entries from 1 in order, and hashes each with the one before", async () => {
    const { record, store } = await intake();
    await Promise.all(["a@x.de", "b@x.de", "a@x.de", "c@x.de"].map((email) => record(subscribe(email))));
    const entries = await store.contacts.changes("shop", "", "", 10);
    expect(entries.map(({ changeId }) => changeId)).toEqual([1, 2, 3, 4].map(changeIdOf));
    let previous = emptyLedger("shop").hash;
    for (const entry of entries) {
      expect(entry.seal).toMatchObject({ previous, commitment: commitmentOf(entry, entry.seal?.salt ?? "") });
      previous = hashOf(entry, entry.seal?.commitment ?? "", previous);
      expect(entry.seal?.hash).toBe(previous);
    }
  });

  it("differs between two apps, even with the same statements", async () => {
    const { record, store } = await intake();
    await record(subscribe("a@x.de"), "", "shop");
    await record(subscribe("a@x.de"), "", "other");
    const [one] = await store.contacts.changes("shop", "", "", 1);
    const [other] = await store.contacts.changes("other", "", "", 1);
    expect(one?.seal?.previous).not.toBe(other?.seal?.previous);
  });

  it("stays the same when an entry's person is erased, who is then no longer in it", async () => {
    const { record, store } = await intake();
    await record(subscribe("a@x.de"));
    await record(subscribe("b@x.de"));
    const [before, next] = await store.contacts.changes("shop", "", "", 10);
    const { contactId = "", eventId = "", changeId = "" } = before ?? {};
    for (let again = 0; again < 2; again++) await store.unitOfWork.run("shop", (tx) => eraseChange(tx, changeId));
    const [erased, after] = await store.contacts.changes("shop", "", "", 10);
    expect(erased).toEqual({
      ...before,
      ...{ contactId: "", by: "", eventId: "", reason: "" },
      seal: { ...before?.seal, salt: "" },
    });
    expect(JSON.stringify(erased)).not.toContain(eventId);
    expect(after).toEqual(next);
    expect(await store.contacts.changes("shop", contactId, "", 10)).toEqual([]);
  });

  it("has one entry for the same statement of the same event", async () => {
    const { record, store } = await intake();
    await record(subscribe("a@x.de"), "key");
    await record(subscribe("a@x.de"), "key");
    expect(await store.contacts.changes("shop", "", "", 10)).toHaveLength(1);
  });
});

describe("the status computed from ledger entries", () => {
  it("is the contact's subscriptions, in whatever order statements come and entries are read", async () => {
    const statement = fc.record({ said: fc.constantFrom(true, false, null), ago: fc.integer({ min: 0, max: 5 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(statement, { minLength: 1, maxLength: 12 }),
        fc.infiniteStream(fc.nat()),
        async (all, dice) => {
          const { record, store, now } = await intake();
          for (const { said, ago } of all)
            await record({ ...subscribe("a@x.de", said), occurredAt: now.at - ago * 1000 });
          const contact = await store.contacts.find("shop", "e:a@x.de");
          const entries = await store.contacts.changes("shop", contact?.contactId ?? "", "", 100);
          const shuffled = entries.map((entry) => ({ entry, at: dice.next().value })).sort((a, b) => a.at - b.at);
          expect(foldChanges(shuffled.map(({ entry }) => entry)).email).toEqual(contact?.emailSubscription);
        },
      ),
      { numRuns: RUNS.few },
    );
  });

  it("is unknown without an entry", () => {
    const { email, sms } = foldChanges([change("n1", "k1")]);
    expect([email.status, sms.status]).toEqual([true, null]);
  });
});
