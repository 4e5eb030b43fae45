import { rm } from "node:fs/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Event } from "../../src/domain/event.js";
import { confirmationKey } from "../../src/domain/hook.js";
import type { Visitor } from "../../src/domain/visitor.js";
import { NOTHING_PARTED, partPlaceholders } from "../../src/identity/part-placeholders.js";
import { examinePeople } from "../../src/identity/placeholders.js";
import { readPerson } from "../../src/identity/privacy/export.js";
import { createGetStatus } from "../../src/identity/subscription-status.js";
import { NOT_LINKED } from "../../src/identity/visitors.js";
import { isNobody, spellingsOfNobody } from "../../src/parse/words-for-nothing.js";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { verifyStore } from "../../src/store/lmdb/verify.js";
import type { Store } from "../../src/store/ports/store.js";
import { app, change } from "../contract/samples.js";
import { NO_VISITOR, said, storeJoinedGuests, storeJoinedVisitor } from "../fixtures/joined-guests.js";
import { testClock, testIds } from "../fixtures/store.js";
import { storeKinds } from "../fixtures/stores.js";
import { makeDirectory } from "../store/lmdb/open-embedded.js";

async function storeGuests(store: Store, appId: string): Promise<void> {
  await store.apps.create(app(appId));
  await storeJoinedGuests(store, appId);
}

/** All that the store says of people, with each visitor under its first key. */
async function peopleOf(store: Store, appId: string) {
  const all = async <N extends Parameters<Store["copies"]["scan"]>[1]>(table: N) =>
    store.copies.scan(appId, table, "", 1000);
  const visitors = (await all("visitors")).map(({ value }) => ({ ...value, keys: [...value.keys].sort() }));
  const names = new Map(visitors.map(({ visitorId, keys }) => [visitorId, `of ${keys[0]}`]));
  const name = (id: string) => names.get(id) ?? id;
  const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  return {
    visitors: visitors
      .map((one) => ({ ...one, visitorId: name(one.visitorId), members: one.members.map(name) }))
      .sort(byText),
    keys: (await all("visitorKeys")).map(({ key, value }) => `${key} ${name(value)}`),
    contacts: (await all("contacts")).map(({ value }) => ({ ...value, visitorIds: value.visitorIds.map(name) })),
    orders: (await all("orders")).map(({ value }) => ({ ...value, visitorId: name(value.visitorId) })),
    history: (await all("interactions"))
      .map(({ key, value }) => ({ owner: name(key.slice(0, key.indexOf("\0"))), value }))
      .sort(byText),
    rest: [await all("confirmations"), await all("frameExposures"), await all("events")],
  };
}

const newId = testIds();
const part = (store: Store, appId: string) => partPlaceholders({ ...store, newId }, appId);

describe.each(await storeKinds())("visitors that a placeholder joined: $name", ({ openStore }) => {
  async function shop() {
    const store = await openStore(testClock());
    await storeGuests(store, "shop");
    const contactOf = async (key: string) => (await store.visitors.find("shop", [key]))[0]?.contactId;
    const historyOf = async (historyIds: readonly string[]) =>
      (await store.interactions.recent("shop", historyIds, 100)).map(({ productIds }) => productIds[0]).sort();
    const historyOfKey = async (key: string) => historyOf((await store.visitors.find("shop", [key]))[0]?.members ?? []);
    return { store, contactOf, historyOf, historyOfKey };
  }

  it("are found by usual spellings, with their words and how much they hold", async () => {
    const { store } = await shop();
    const found = await examinePeople(store, "shop", false);
    expect(found).toMatchObject({ unusable: 0, contactIds: [] });
    expect(found.joined).toHaveLength(2);
    expect(found.joined).toContainEqual({ visitorId: "v1", words: ["0"], ids: 5, contacts: 1, events: 5, orders: 4 });
    expect(found.joined).toContainEqual({
      visitorId: "v8",
      words: ["undefined"],
      ids: 2,
      contacts: 1,
      events: 2,
      orders: 0,
    });
  });

  it("are found in any spelling by a look at every id, with all their contacts, and contacts with an unusable address", async () => {
    const { store } = await shop();
    await store.unitOfWork.run("shop", (tx) => tx.visitorKeys.put("c:<<  gUEST >>", "v9"));
    const keys = ["c:zoe", "c:<<  gUEST >>"];
    await store.unitOfWork.run("shop", (tx) => tx.visitors.put("v9", { ...tx.visitors.get("v9")!, keys }));
    expect((await examinePeople(store, "shop", false)).joined).toHaveLength(2);
    const found = await examinePeople(store, "shop", true);
    const contacts = found.joined.map(({ visitorId, contacts: count }) => `${visitorId} ${count}`);
    expect(contacts.sort()).toEqual(["v1 2", "v8 2", "v9 1"]);
    expect(found).toMatchObject({ unusable: 1, contactIds: ["k-none"] });
  });

  it("become one visitor for each browser, with the address, history and orders of its own events", async () => {
    const { store, contactOf, historyOf, historyOfKey } = await shop();
    expect(await part(store, "shop")).toEqual({
      visitors: 2,
      keys: 2,
      unlinked: 0,
      orders: 3,
      events: 5,
      unknown: { ids: 1, orders: 1, events: 2 },
      statements: 0,
    });
    expect(await Promise.all(["c:ann", "f:f-ann", "c:bo", "c:dan", "c:eve"].map(contactOf))).toEqual([
      "k-ann",
      "k-ann",
      "k-bo",
      "k-dan",
      "k-eve",
    ]);
    expect(await store.visitors.find("shop", ["c:ann", "f:f-ann"])).toHaveLength(1);
    expect(await historyOfKey("c:ann")).toEqual(["p1", "p5", "p7"]);
    expect(await historyOfKey("f:f-bo")).toEqual(["p2"]);
    expect(await historyOfKey("c:late")).toEqual(["p4"]);
    expect(await historyOfKey("c:dan")).toEqual(["p8"]);
    expect(await historyOfKey("c:eve")).toEqual(["p9"]);
    expect(await historyOfKey("c:zoe")).toEqual(["p0"]);
    expect(await historyOf(["k-cy"])).toEqual(["p3"]);
    expect(await historyOf(["v1", "v2", "v8"])).toEqual([]);
  });

  it("leave no placeholder, and give orders and addresses that no event tells to nobody", async () => {
    const { store, historyOf } = await shop();
    await part(store, "shop");
    expect(await store.visitors.find("shop", ["u:0", "f:undefined", "c:silent"])).toEqual([]);
    expect(await store.visitors.get("shop", ["v1", "v8"])).toEqual([]);
    expect(await store.visitors.exposure("shop", "u:0")).toBeUndefined();
    const ownerOf = async (orderId: string) => {
      const { contactId, visitor } = (await store.orders.get("shop", orderId))!;
      return [contactId, visitor.userId];
    };
    expect(await ownerOf("o2")).toEqual(["k-bo", ""]);
    expect(await ownerOf("o3")).toEqual(["k-cy", ""]);
    expect(await ownerOf("o7")).toEqual(["", ""]);
    expect(await ownerOf("o10")).toEqual(["", ""]);
    expect(await historyOf(["anonymous:order:o10"])).toEqual(["p10"]);
    expect(await historyOf(["anonymous:of a removed event", "anonymous:e6"])).toEqual(["p6", "p90"]);
    const [waiting] = await store.copies.scan("shop", "confirmations", "", 10);
    expect(waiting?.value.visitorKey).toBe("");
    expect((await examinePeople(store, "shop", true)).joined).toEqual([]);
  });

  it("show and export nothing of another person afterwards", async () => {
    const { store } = await shop();
    const statusOf = (fingerprintId: string) => createGetStatus(store)("shop", { ...NO_VISITOR, fingerprintId });
    expect(await statusOf("f-ann")).toMatchObject({ email: false }); // Bo's
    await part(store, "shop");
    expect(await statusOf("f-ann")).toMatchObject({ identified: true, email: true });
    expect(await statusOf("f-bo")).toMatchObject({ identified: true, email: false });
    for (const names of [
      { email: "ann@guests.example", visitor: NO_VISITOR },
      { email: "", visitor: { ...NO_VISITOR, clientId: "ann" } },
    ]) {
      let text = "";
      const person = { phone: "", contactId: "", withLinkedContact: true, ...names };
      for await (const { items } of readPerson(store, "shop", person, Date.now())) text += JSON.stringify(items);
      expect(text).toContain("ann@guests.example");
      expect(text).toContain('"orderId":"o7"');
      expect(text).not.toMatch(/(bo|cy|dan|eve)@|"o(2|3|10)"/);
    }
  });

  it("have a proven link only where the shop's own event made it", async () => {
    const { store } = await shop();
    await part(store, "shop");
    const proof = async (key: string) => (await store.visitors.find("shop", [key]))[0]?.isProven;
    expect(await Promise.all(["c:ann", "c:bo", "c:dan", "c:eve"].map(proof))).toEqual([false, true, false, true]);
  });

  const UNSIGNED = { isShops: false };
  const SHOPS = { isShops: true };
  const guest = (ids: { readonly f?: string; readonly u?: string }) => ({
    clientId: "0",
    fingerprintId: ids.f ?? "",
    userId: ids.u ?? "",
  });
  /** What becomes of one visitor and its events: the keys of each new visitor, its contact, and what the shop has proven. */
  async function partVisitor(joined: Partial<Visitor>, events: readonly Event[]) {
    const store = await openStore(testClock());
    await store.apps.create(app("shop"));
    await storeJoinedVisitor(store, "shop", joined, events);
    const wait = { askedAt: 1, askedBy: "e1", eventId: "e1", visitorKey: "u:42" };
    await store.unitOfWork.run("shop", (tx) => tx.confirmations.put(confirmationKey("k-evil", "email"), wait));
    const parted = await part(store, "shop");
    const visitors = (await store.copies.scan("shop", "visitors", "", 10)).map(({ value }) => {
      const proofs = [...(value.isProven ? ["link"] : []), ...(value.isUserProven ? ["user"] : [])];
      return [[...value.keys].sort().join(" "), value.contactId, proofs.join(" ")];
    });
    const [asked] = await store.copies.scan("shop", "confirmations", "", 10);
    return { visitors: visitors.sort(), unlinked: parted.unlinked, askedBy: asked?.value.visitorKey };
  }
  const LINKED = { contactId: "k-ann", isProven: true, isUserProven: true };

  it("leave a user id to the browser for which the shop has said it, not to a stranger's that named it first", async () => {
    const { visitors } = await partVisitor({ ...LINKED, linkedBy: "e3" }, [
      said(1, guest({ f: "EVIL", u: "42" }), "", UNSIGNED),
      said(2, guest({ f: "F1", u: "42" }), "", SHOPS),
      said(3, { userId: "42" }, "ann", SHOPS),
    ]);
    expect(visitors).toEqual([
      ["f:EVIL", "", ""],
      ["f:F1 u:42", "k-ann", "link user"],
    ]);
  });

  it("leave a proof to the browser that the shop's event names, not to a stranger's that named the address first", async () => {
    const { visitors } = await partVisitor({ ...LINKED, linkedBy: "e1" }, [
      said(1, guest({ f: "EVIL" }), "ann", UNSIGNED),
      said(2, guest({ f: "F1" }), "ann", SHOPS),
    ]);
    expect(visitors).toEqual([
      ["f:EVIL", "k-ann", ""],
      ["f:F1", "k-ann", "link"],
    ]);
  });

  it.each(Object.values(NOT_LINKED))("are not linked by an event with the note: %s", async (note) => {
    const { visitors } = await partVisitor({}, [
      said(1, { clientId: "mallory", userId: "0" }, "ann", { ...UNSIGNED, notes: ["another note", note] }),
    ]);
    expect(visitors).toEqual([["c:mallory", "", ""]]);
  });

  it("are not linked by a user id alone in an event that does not say who sent it", async () => {
    const linked = { ...LINKED, contactId: "k-evil", linkedBy: "e1" };
    const { visitors, unlinked } = await partVisitor({ ...linked, keys: ["c:0", "u:42"] }, [
      said(1, { userId: "42" }, "evil"),
    ]);
    expect(visitors).toEqual([["u:42", "", ""]]);
    expect(unlinked).toBe(1);
  });

  it("become one visitor of all browsers to which the shop's events gave one user id", async () => {
    const { visitors } = await partVisitor({ ...LINKED, keys: ["c:0", "f:F1", "f:F2", "u:42"] }, [
      said(1, guest({ f: "F1", u: "42" }), "", SHOPS),
      said(2, guest({ f: "F2", u: "42" }), "", SHOPS),
      said(3, { clientId: "late", userId: "42" }, "", SHOPS),
    ]);
    expect(visitors).toEqual([["c:late f:F1 f:F2 u:42", "", "user"]]);
  });

  it("are proven by the shop's event that says the same as unsigned ones before and after it", async () => {
    const senders = [UNSIGNED, SHOPS, UNSIGNED];
    const { visitors } = await partVisitor(
      LINKED,
      senders.map((sender, n) => said(n, guest({ f: "F1", u: "42" }), "ann", { actionType: "subscribe", ...sender })),
    );
    expect(visitors).toEqual([["f:F1 u:42", "k-ann", "link user"]]);
  });

  it("become two visitors where the events of two browsers with one user id do not say who sent them", async () => {
    const { visitors } = await partVisitor(LINKED, [
      said(1, guest({ f: "F1", u: "42" }), ""),
      said(2, guest({ f: "F2", u: "42" }), ""),
    ]);
    expect(visitors).toEqual([
      ["f:F1 u:42", "", ""],
      ["f:F2", "", ""],
    ]);
  });

  it.each([
    ["a stranger's event, its browser", guest({ f: "EVIL", u: "42" }), UNSIGNED, "f:EVIL"],
    ["a stranger's event with a user id alone, nobody", guest({ u: "42" }), UNSIGNED, ""],
    ["the shop's event, its user", guest({ u: "42" }), SHOPS, "u:42"],
  ])("have a waiting confirmation of %s", async (_, ids, sender, expected) => {
    expect((await partVisitor({}, [said(1, ids, "evil", sender)])).askedBy).toBe(expected);
  });

  it("lose a link that no event tells", async () => {
    const { store, contactOf } = await shop();
    await store.unitOfWork.run("shop", (tx) =>
      tx.visitors.put("v8", { ...tx.visitors.get("v8")!, contactId: "k-cy", linkedBy: "an import" }),
    );
    expect(await part(store, "shop")).toMatchObject({ unlinked: 1 });
    expect(await contactOf("c:dan")).toBe("k-dan");
    expect(await contactOf("c:eve")).toBe("k-eve");
  });

  it("count the statements that one person's event made for another, and leave them", async () => {
    const { store } = await shop();
    const causes = [
      ["e1", "k-ann"],
      ["e4", "k-bo"],
      ["e6", "k-bo"],
      ["e7", "k-ann"],
    ] as const;
    await store.unitOfWork.run("shop", (tx) => {
      for (const [eventId, contactId] of causes) tx.changes.put(eventId, { ...change(eventId, contactId), eventId });
    });
    expect(await part(store, "shop")).toMatchObject({ statements: 2 }); // e4 and e6
    expect(await store.contacts.changes("shop", "", "", 10)).toHaveLength(causes.length);
  });

  it("stay as they are when it runs again", async () => {
    const { store } = await shop();
    await part(store, "shop");
    const before = await peopleOf(store, "shop");
    expect(await part(store, "shop")).toEqual(NOTHING_PARTED);
    expect(await peopleOf(store, "shop")).toEqual(before);
  });

  it("end the same when it is stopped between any two transactions and runs again", async () => {
    const { store } = await shop();
    let works = 0;
    const counting: Store["unitOfWork"]["run"] = (id, work) => {
      works++;
      return store.unitOfWork.run(id, work);
    };
    await partPlaceholders({ ...store, unitOfWork: { run: counting }, newId }, "shop");
    const whole = await peopleOf(store, "shop");
    expect(works).toBeGreaterThan(5);
    for (let stop = 0; stop < works; stop++) {
      const appId = `shop${stop}`;
      await storeGuests(store, appId);
      let left = stop;
      const stopping: Store["unitOfWork"]["run"] = async (id, work) => {
        if (left-- === 0) throw new Error("stopped");
        return store.unitOfWork.run(id, work);
      };
      const stopped = partPlaceholders({ ...store, unitOfWork: { run: stopping }, newId }, appId);
      await expect(stopped).rejects.toThrow("stopped");
      expect(await part(store, appId)).not.toEqual(NOTHING_PARTED);
      expect(await peopleOf(store, appId)).toEqual(whole);
    }
  });
});

it("leaves an embedded store with no more faults than before", async () => {
  const directory = await makeDirectory();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const faults = async (work: (store: Store) => Promise<unknown>) => {
    const store = await openEmbeddedStore({ directory, now: () => 5 });
    await work(store);
    await store.close();
    return (await verifyStore(directory)).faultCount;
  };
  const before = await faults((store) => storeGuests(store, "shop"));
  expect(await faults((store) => part(store, "shop"))).toBe(before);
});

it("usual spellings of placeholders name nobody", () => {
  const spellings = spellingsOfNobody();
  expect(spellings.filter((id) => !isNobody(id))).toEqual([]);
  const known = ["0", "-1", "guest", "Guest", "NULL", "NaN", "(not set)", "undefined", "[object Object]", "N/A"];
  expect(spellings).toEqual(expect.arrayContaining([...known, "00000000-0000-0000-0000-000000000000"]));
});
