import { rm } from "node:fs/promises";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { keysOfContact } from "../../src/domain/address-keys.js";
import { takeContact } from "../../src/identity/contacts.js";
import { repairEmbedded } from "../../src/store/lmdb/repair.js";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { verifyStore } from "../../src/store/lmdb/verify.js";
import { repairMongo } from "../../src/store/mongo/repair.js";
import { openMongoStore } from "../../src/store/mongo/store.js";
import type { Store } from "../../src/store/ports/store.js";
import { app, contact } from "../contract/samples.js";
import { openAisle } from "../fixtures/aisle.js";
import { openMongoPeer } from "../fixtures/mongo-peer.js";
import { erased } from "../fixtures/operations.js";
import { RUNS } from "../fixtures/runs.js";
import { emptyStore } from "../fixtures/store.js";
import { storeKinds } from "../fixtures/stores.js";
import { NO_CONTACT } from "../intake/intake-fixture.js";
import { makeDirectory } from "./lmdb/open-embedded.js";
import { databaseName, PATIENT } from "./mongo/open-mongo.js";

const now = () => 5;

interface Place {
  open(): Promise<Store>;
  repair(): Promise<number>;
  faults(): Promise<number>;
}

async function embedded(): Promise<Place> {
  const directory = await makeDirectory();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return {
    open: () => openEmbeddedStore({ directory, now }),
    repair: () => repairEmbedded(directory),
    faults: async () => (await verifyStore(directory)).faultCount,
  };
}

const peer = await openMongoPeer();
afterAll(() => peer.stop());

async function mongo(): Promise<Place> {
  const database = databaseName();
  const url = peer.url(database);
  onTestFinished(() => peer.drop(database));
  return {
    open: () => openMongoStore({ url, now, limits: PATIENT }),
    repair: () => repairMongo(url, PATIENT.answerMs),
    faults: async () => 0,
  };
}

const places = [
  { name: "embedded", make: embedded },
  { name: "mongo", make: mongo },
];

/** Entries that lead to nobody, or to a contact without that key, and a contact without its entries. */
async function hurt(place: Place): Promise<void> {
  const store = await place.open();
  await store.apps.create(app("shop"));
  await store.unitOfWork.run("shop", (tx) => {
    tx.contacts.put("other", contact("other", { phone: "48 600 100 200" }));
    tx.contactKeys.put("p:+48600100200", "other");
    tx.contacts.put("both", contact("both", { phone: "48600100201" }));
    tx.contactKeys.put("p:+48600100201", "both");
    tx.contactKeys.put("p:48600100201", "both");
    tx.contacts.put("moved", contact("moved", { phone: "99999", email: "a@b.de" }));
    tx.contactKeys.put("p:+48600100202", "moved");
    tx.contactKeys.put("p:99999", "moved");
    tx.contactKeys.put("e:a@b.de", "moved");
    tx.contactKeys.put("p:+48600100203", "erased");
    tx.contacts.put("unknown", contact("unknown", { email: "c@d.de" }));
  });
  await store.close();
}

describe.each(places)("a wrong index of contacts: $name", ({ make }) => {
  let place: Place;
  beforeEach(async () => {
    place = await make();
    await hurt(place);
  });

  async function mustFit(): Promise<void> {
    const store = await place.open();
    const find = async (key: string) => (await store.contacts.find("shop", key))?.contactId;
    expect(await find("p:48600100200")).toBe("other");
    expect(await find("e:c@d.de")).toBe("unknown");
    const rows = await store.copies.scan("shop", "contactKeys", "", 100);
    expect(rows.map(({ key }) => key).sort()).toEqual(
      ["e:a@b.de", "e:c@d.de", "p:48600100200", "p:48600100201", "p:99999"].sort(),
    );
    await store.close();
    expect(await place.faults()).toBe(0);
  }

  it("is corrected by a repair, and a second repair finds nothing", async () => {
    expect(await place.repair()).toBe(6);
    expect(await place.repair()).toBe(0);
    await mustFit();
  });
});

it("has a fault for each entry of another contact's record, and each entry without a contact", async () => {
  const place = await embedded();
  await hurt(place);
  expect(await place.faults()).toBe(6);
});

it("finds a contact under each of its keys, however its phone number was written", async () => {
  const store = await emptyStore();
  await store.apps.create(app("shop"));
  const phone = fc.stringMatching(/^[ +]{0,3}[0-9 ()./-]{0,14}[ ]{0,2}$/);
  await fc.assert(
    fc.asyncProperty(fc.array(phone, { minLength: 1, maxLength: 3 }), fc.nat(), async (phones, n) => {
      await store.unitOfWork.run("shop", (tx) => {
        for (const [i, one] of phones.entries()) {
          const taken = takeContact(tx, { ...NO_CONTACT, email: `a${n}@b.de`, phone: one }, `contact:${n}-${i}`, 1);
          for (const key of taken.contact === undefined ? [] : keysOfContact(taken.contact))
            expect(tx.contactKeys.get(key)).toBe(taken.contact?.contactId);
        }
      });
      for (const { key, value } of await store.copies.scan("shop", "contactKeys", "", 1000)) {
        const owner = await store.contacts.get("shop", value);
        expect(owner && keysOfContact(owner)).toContain(key);
      }
    }),
    { numRuns: RUNS.some },
  );
});

const stores = await storeKinds();

describe.each(stores)("a phone number whose plus became a space in a form: $name", ({ openStore }) => {
  it("is stored with its plus, found by it, and erased with its key", async () => {
    const { rpc, facade, store } = await openAisle(openStore);
    await rpc.apps.createApp({ app: { appId: "shop" } });
    const payload = "app_id=shop&action_type=subscribe&phone=+48600100200&c_id=c1";
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect((await facade.inject({ method: "POST", url: "/trace", headers, payload })).statusCode).toBe(200);
    expect((await store.contacts.find("shop", "p:+48600100200"))?.phone).toBe("+48600100200");
    await erased(rpc, "shop", { phone: "+48600100200" });
    expect(await store.copies.scan("shop", "contactKeys", "", 10)).toEqual([]);
  });
});
