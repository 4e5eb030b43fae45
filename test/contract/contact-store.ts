import { describe, expect, it } from "vitest";
import { appendChange, eraseChange } from "../../src/identity/ledger/ledger.js";
import { type OpenStore, useStore } from "./open-store.js";
import { change, contact } from "./samples.js";

export function contactStoreContract(name: string, open: OpenStore): void {
  describe(`contact store: ${name}`, () => {
    const under = useStore(open);

    const full = contact("k1", {
      email: "Anna@Example.com",
      phone: "+49 30 1234567",
      firstName: "Anna",
      lastName: "Ärmel",
      country: "DE",
      city: "Berlin",
      gender: "f",
      birthDate: "1990-02-03",
      tags: ["vip", "b2b"],
      emailSubscription: { status: true, changedAt: 7, changedBy: "e1", recordedAt: 9 },
      smsSubscription: { status: false, changedAt: 8, changedBy: "c2", recordedAt: 10 },
      createdAt: 9,
    });

    it("returns a contact as it was recorded, by id and by key", async () => {
      await under.store.unitOfWork.run("shop", (tx) => {
        tx.contacts.put("k1", full);
        tx.contactKeys.put("e:anna@example.com", "k1");
        tx.contactKeys.put("p:+49301234567", "k1");
      });
      expect(await under.store.contacts.get("shop", "k1")).toEqual(full);
      expect(await under.store.contacts.find("shop", "e:anna@example.com")).toEqual(full);
      expect(await under.store.contacts.find("shop", "p:+49301234567")).toEqual(full);
      expect(await under.store.contacts.find("shop", "p:+4930123456")).toBeUndefined();
      expect(await under.store.contacts.get("shop", "")).toBeUndefined();
      expect(await under.store.contacts.get("shop-2", "k1")).toBeUndefined();
      expect(await under.store.contacts.find("shop-2", "e:anna@example.com")).toBeUndefined();
    });

    it("lists the contacts of an app in id order, from an id on", async () => {
      for (const [appId, ids] of [
        ["shop", ["k2", "k1", "k3"]],
        ["shop-2", ["k0", "k4"]],
      ] as const)
        await under.store.unitOfWork.run(appId, (tx) => {
          for (const id of ids) tx.contacts.put(id, contact(id));
        });
      const idsOf = async (after: string, limit: number) =>
        (await under.store.contacts.list("shop", after, limit)).map(({ contactId }) => contactId);
      expect([await idsOf("", 2), await idsOf("k2", 10), await idsOf("k3", 10)]).toEqual([["k1", "k2"], ["k3"], []]);
    });

    it("continues the chain of the ledger", async () => {
      const head = () => under.store.unitOfWork.run("shop", (tx) => tx.ledgerHead.get("app"));
      expect(await head()).toBeUndefined();
      const append = (contactId: string) =>
        under.store.unitOfWork.run("shop", (tx) => appendChange(tx, { ...change("", contactId), salt: "5a" }));
      const [one, two] = await Promise.all([append("k1"), append("k2")]);
      const three = await append("k1");
      expect(await head()).toEqual({ count: 3, hash: three.seal?.hash });
      expect(three.seal?.previous).toBe(two.seal?.hash);
      expect(await under.store.contacts.changes("shop", "", "", 10)).toEqual([one, two, three]);
    });

    describe("ledger", () => {
      const changes = [change("c1", "k1"), change("c2", "k2"), change("c3", "k1"), change("c4", "k11")];
      const record = () =>
        under.store.unitOfWork.run("shop", (tx) => {
          for (const one of changes) tx.changes.put(one.changeId, one);
        });

      it("lists all entries, oldest first, from an id on", async () => {
        await record();
        expect(await under.store.contacts.changes("shop", "", "", 10)).toEqual(changes);
        expect(await under.store.contacts.changes("shop", "", "c1", 2)).toEqual(changes.slice(1, 3));
        expect(await under.store.contacts.changes("shop", "", "c4", 2)).toEqual([]);
        expect(await under.store.contacts.changes("shop-2", "", "", 10)).toEqual([]);
      });

      it("lists those of one contact", async () => {
        await record();
        expect(await under.store.contacts.changes("shop", "k1", "", 10)).toEqual([changes[0], changes[2]]);
        expect(await under.store.contacts.changes("shop", "k1", "", 1)).toEqual([changes[0]]);
        expect(await under.store.contacts.changes("shop", "k1", "c1", 10)).toEqual([changes[2]]);
        expect(await under.store.contacts.changes("shop", "k1", "c2", 10)).toEqual([changes[2]]);
        expect(await under.store.contacts.changes("shop", "k", "", 10)).toEqual([]);
      });

      it("lists an erased one among all and for no contact", async () => {
        await record();
        for (let again = 0; again < 2; again++) await under.store.unitOfWork.run("shop", (tx) => eraseChange(tx, "c1"));
        const erased = { ...change("c1", ""), by: "", eventId: "", reason: "" };
        expect(await under.store.contacts.changes("shop", "", "", 1)).toEqual([erased]);
        expect(await under.store.contacts.changes("shop", "k1", "", 10)).toEqual([changes[2]]);
      });
    });
  });
}
