import { describe, expect, it } from "vitest";
import { ERASURE_STEPS } from "../../../src/domain/erasure.js";
import { Unavailable } from "../../../src/domain/errors.js";
import { createSeal } from "../../../src/domain/secret-encryption.js";
import { OperationStage, OperationState } from "../../../src/gen/aisle/v1/operation_pb.js";
import { SubscriptionState } from "../../../src/gen/aisle/v1/subscription_pb.js";
import { createErasures, type ErasuresDependencies } from "../../../src/identity/privacy/erasure.js";
import { createSuppressions } from "../../../src/identity/suppressions.js";
import { erasureResult } from "../../../src/services/erasure-messages.js";
import { COPIED_TABLES } from "../../../src/store/ports/copies.js";
import type { UnitOfWork } from "../../../src/store/ports/unit-of-work.js";
import { randomOfThisRun } from "../../faults/random.js";
import { openAisle, wireAisle } from "../../fixtures/aisle.js";
import { passedOver, unexpectedFailure } from "../../fixtures/failures.js";
import { testIds } from "../../fixtures/store.js";
import { storeKinds } from "../../fixtures/stores.js";
import { type Aisle, erase, MAJA, NAMES_OF_MAJA, OMAR, visitShop } from "./person.js";

const stores = await storeKinds();

const ALL_OF_MAJA = {
  contacts: 1,
  subscriptionChanges: 1,
  visitors: 1,
  interactions: 4,
  orders: 1,
  events: 9,
  rejectedEvents: 1,
  idempotencyKeys: 3,
};

/** All that the store keeps of the app, as text. */
async function everythingOf({ store }: Aisle, appId: string): Promise<string> {
  const rows = [];
  for (const table of COPIED_TABLES) rows.push(...(await store.copies.scan(appId, table, "", 10_000)));
  return JSON.stringify(rows);
}

/** Erasures of a process beside the server's, some of whose parts are the test's own. */
function erasuresOf(
  { store, metrics, now }: Pick<Aisle, "store" | "metrics" | "now">,
  own: Partial<ErasuresDependencies>,
) {
  return createErasures({
    ...store,
    scrub: (appId) => store.scrub(appId),
    settled: async () => undefined,
    now,
    newId: testIds(),
    newKey: () => "5a".repeat(32),
    suppressions: createSuppressions({ seal: createSeal(undefined) }),
    metrics,
    resultOf: erasureResult,
    reportFailure: unexpectedFailure,
    ...own,
  });
}

async function namesLeft(aisle: Aisle, appId: string): Promise<string[]> {
  const text = (await everythingOf(aisle, appId)).toLowerCase();
  return NAMES_OF_MAJA.filter((name) => text.includes(name.toLowerCase()));
}

describe.each(stores)("EraseVisitor: $name", ({ openStore }) => {
  const openShop = async () => {
    const aisle = await openAisle(openStore);
    await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
    await visitShop(aisle, "shop", ["maja", "omar"]);
    return aisle;
  };
  const person = { email: MAJA.email };

  it("removes and counts everything about a person found by e-mail", async () => {
    const aisle = await openShop();
    expect(await namesLeft(aisle, "shop")).toEqual(NAMES_OF_MAJA);
    const tried = await erase(aisle, "shop", person, true);
    expect(tried).toEqual({ removed: ALL_OF_MAJA, contactsKept: 0, erasureId: "" });
    expect((await aisle.rpc.operations.listOperations({ appId: "shop" })).operations).toEqual([]);
    expect(await namesLeft(aisle, "shop")).toEqual(NAMES_OF_MAJA);
    const done = await erase(aisle, "shop", person);
    expect(done.removed).toEqual(ALL_OF_MAJA);
    expect(await namesLeft(aisle, "shop")).toEqual([]);
    expect(await aisle.status("shop", MAJA.fp_ccid)).toMatchObject({ identified: false, status: null });
    expect(await aisle.status("shop", OMAR.fp_ccid)).toMatchObject({ identified: true, status: true });
    expect(aisle.faults).toEqual([]);
  });

  it.each([
    ["a page's address", { page_url: "https://a.example/?mail=Maja.Muster%40Example.com&x=1" }],
    ["an address in an address", { page_url: "https://a.example/?to=%2Fp%3Fm%3Dmaja.muster%2540example.com" }],
    ["a product's address", { product_ids: "p1", product_urls: "https://a.example/p?m=maja.muster%40example.com" }],
    ["a product's title", { product_ids: "p1", product_titles: "for maja.muster@example.com" }],
    ["a coupon", { action_type: "order", order_id: "o-9", product_ids: "p1", coupon: "maja.muster@example.com-10" }],
    ["the platform", { platform: "shop of maja.muster@example.com" }],
    ["the text of a search", { search_query: "MAJA.MUSTER%40EXAMPLE.COM" }],
  ])("removes an event of nobody that holds the e-mail address in %s", async (_, form) => {
    const aisle = await openShop();
    const { eventId } = await aisle.trace({ app_id: "shop", action_type: "other", ...form });
    const other = await aisle.trace({
      app_id: "shop",
      action_type: "other",
      page_url: "https://a.example/?m=maja%40example.org",
    });
    await erase(aisle, "shop", person);
    const text = await everythingOf(aisle, "shop");
    expect([text.includes(eventId), text.includes(other.eventId)]).toEqual([false, true]);
  });

  it("finds the same person by phone, by contact id, and by any visitor id with the linked contact", async () => {
    for (const choose of [
      async () => ({ phone: MAJA.phone }),
      async ({ rpc }: Aisle) => {
        const { contact } = await rpc.subscriptions.getContact({
          appId: "shop",
          contact: { case: "email", value: MAJA.email },
        });
        return { contactId: contact?.contactId ?? "" };
      },
      async () => ({ visitor: { clientId: MAJA.c_id }, includeLinkedContact: true }),
      async () => ({ visitor: { fingerprintId: MAJA.fp_ccid }, includeLinkedContact: true }),
      async () => ({ visitor: { userId: MAJA.user_id }, includeLinkedContact: true }),
    ]) {
      const aisle = await openShop();
      expect((await erase(aisle, "shop", await choose(aisle))).removed).toEqual(ALL_OF_MAJA);
      expect(await namesLeft(aisle, "shop")).toEqual([]);
    }
  });

  it("keeps a contact that only a visitor id names, and reports it", async () => {
    const aisle = await openShop();
    const done = await erase(aisle, "shop", { visitor: { clientId: MAJA.c_id } });
    expect(done.contactsKept).toBe(1);
    const { erasures } = await aisle.rpc.privacy.listErasures({ appId: "shop" });
    expect(erasures[0]?.keptContactCount).toBe(1);
    expect(done.removed).not.toHaveProperty("contacts");
    const { contact } = await aisle.rpc.subscriptions.getContact({
      appId: "shop",
      contact: { case: "email", value: MAJA.email },
    });
    expect(contact?.email).toBe(MAJA.email);
    const left = await namesLeft(aisle, "shop");
    expect(left).not.toContain(MAJA.c_id);
    expect(left).not.toContain(MAJA.fp_ccid);
    expect(await aisle.status("shop", MAJA.fp_ccid)).toMatchObject({ identified: false });
  });

  it("removes nothing the second time, and logs each call without a name", async () => {
    const aisle = await openShop();
    const first = await erase(aisle, "shop", person);
    const second = await erase(aisle, "shop", person);
    expect(second.removed).toEqual({});
    const { erasures } = await aisle.rpc.privacy.listErasures({ appId: "shop" });
    expect(erasures.map(({ erasureId }) => erasureId)).toEqual([first.erasureId, second.erasureId]);
    expect(erasures.every(({ endTime: finishedAt }) => finishedAt !== undefined)).toBe(true);
    const { operations } = await aisle.rpc.operations.listOperations({ appId: "shop" });
    expect(operations.map(({ operationId }) => operationId)).toEqual([second.erasureId, first.erasureId]);
    expect(await namesLeft(aisle, "shop")).toEqual([]);
  });

  it("treats later events under the same names as new", async () => {
    const aisle = await openShop();
    await erase(aisle, "shop", person);
    aisle.now.at += 1000;
    await aisle.trace({ app_id: "shop", action_type: "subscribe", ...MAJA });
    expect(await aisle.status("shop", MAJA.fp_ccid)).toMatchObject({ identified: true, status: true });
    const { changes } = await aisle.rpc.subscriptions.listChanges({ appId: "shop" });
    expect(changes.map(({ contactId }) => contactId === "")).toEqual([true, false, false]); // hers, Omar's, the new one
  });

  it("is completed by other processes when one after the other is killed in the middle of it", async () => {
    const { store, metrics, ...aisle } = await openShop();
    let clock = aisle.now();
    /** A process that ends after so many transactions, of the last of which it does not learn that it was made. */
    const processOf = (transactions: number) => {
      let left = transactions;
      const run: UnitOfWork["run"] = async (appId, work) => {
        if (left-- <= 0) throw new Unavailable("The process has ended");
        const made = await store.unitOfWork.run(appId, work);
        if (left === 0) throw new Unavailable("The process has ended");
        return made;
      };
      return erasuresOf(
        { store, metrics, now: aisle.now },
        {
          unitOfWork: { ...store.unitOfWork, run },
          now: () => clock,
          reportFailure: passedOver,
        },
      );
    };
    const nobody = { visitor: { clientId: "", fingerprintId: "", userId: "" }, phone: "", contactId: "" };
    const maja = { ...nobody, email: MAJA.email, withLinkedContact: true };
    await expect(processOf(1).begin("shop", maja)).rejects.toThrow(Unavailable);
    const erasures = async () => (await store.copies.scan("shop", "erasures", "", 10)).map(({ value }) => value);
    const operationId = (await erasures())[0]?.erasureId ?? "";
    const operation = async () => (await aisle.rpc.operations.getOperation({ appId: "shop", operationId })).operation;
    const stages = new Set<OperationStage | undefined>();
    let processes = 1;
    for (; (await erasures())[0]?.step !== "done"; processes++) {
      expect(processes).toBeLessThan(100);
      aisle.now.at += 61_000;
      expect(await operation()).toMatchObject({ state: OperationState.RUNNING, result: { case: undefined } });
      stages.add((await operation())?.progress?.stage);
      // Some of them know that the process before had its clock 25 hours ahead.
      clock += processes % 3 === 0 ? -25 * 3600_000 : 61_000;
      await processOf(1).resume(() => undefined);
    }
    expect(processes).toBeGreaterThan(ERASURE_STEPS.length);
    const { subscriptionChanges: changes, idempotencyKeys: idempotency, ...others } = ALL_OF_MAJA;
    expect((await erasures()).map(({ counts }) => counts)).toEqual([{ ...others, changes, idempotency }]);
    expect(stages.has(OperationStage.UNSPECIFIED)).toBe(false);
    expect(stages.size).toBe(ERASURE_STEPS.length - 2); // but "identity" of earlier versions, and "done"
    expect(await operation()).toMatchObject({
      state: OperationState.SUCCEEDED,
      result: { case: "erasure", value: { erasureId: operationId, removed: ALL_OF_MAJA } },
    });
    expect(await namesLeft({ ...aisle, store, metrics }, "shop")).toEqual([]);
    expect(await aisle.status("shop", OMAR.fp_ccid)).toMatchObject({ identified: true, status: true });
  });

  it("leaves nothing received before it, and loses nothing received after it, whatever the person sends meanwhile", async () => {
    const { store, metrics, ...aisle } = await openShop();
    const { trace, now } = aisle;
    const devices = Array.from({ length: 20 }, (_, n) => ({ c_id: `device-${n}-of-maja` })); // more than a contact remembers
    const send = async (ids: Record<string, string>, mark: string, more: Record<string, string> = {}) => {
      now.at += 10;
      const { eventId, status } = await trace({
        app_id: "shop",
        action_type: "product_view",
        product_ids: mark,
        ...ids,
        ...more,
      });
      expect(status).toBe(200);
      return eventId;
    };
    const old: string[] = [];
    for (const ids of devices) {
      await send(ids, "old", { email: MAJA.email });
      old.push(await send(ids, "old"));
      await send(ids, "old", {
        action_type: "order",
        order_id: `order-${ids.c_id}`,
        utc_time: new Date(now() + 200_000).toISOString(),
      });
    }
    const random = randomOfThisRun(4343);
    const fresh: string[] = [];
    /** Between any two things that the erasure does, somebody sends something. */
    const meanwhile = async () => {
      const ids = devices[Math.floor(random() * devices.length)]!;
      const withAddress = random() < 0.5 ? { email: MAJA.email } : {};
      fresh.push(await send(ids, "fresh", withAddress));
    };
    const erasures = erasuresOf(
      { store, metrics, now: aisle.now },
      {
        copies: {
          ...store.copies,
          scan: async (...asked) => {
            await meanwhile();
            return store.copies.scan(...asked);
          },
        },
        unitOfWork: {
          ...store.unitOfWork,
          run: async (appId, work) => {
            const done = await store.unitOfWork.run(appId, work);
            await meanwhile();
            return done;
          },
        },
      },
    );
    now.at += 10;
    const names = { visitor: { clientId: "", fingerprintId: "", userId: "" }, phone: "", contactId: "" };
    await erasures.begin("shop", { ...names, email: MAJA.email, withLinkedContact: true });
    const steps = async () => (await store.copies.scan("shop", "erasures", "", 10)).map(({ value }) => value.step);
    await expect.poll(steps, { timeout: 50_000 }).toEqual(["done"]);
    await erasures.stop(); // also what was sent with its last transaction
    const text = await everythingOf({ ...aisle, store, metrics }, "shop");
    expect(text).not.toContain('"old"');
    expect(old.filter((eventId) => text.includes(eventId))).toEqual([]);
    expect(fresh.length).toBeGreaterThan(20);
    expect(fresh.filter((eventId) => !text.includes(eventId))).toEqual([]);
    const histories = (await store.copies.scan("shop", "interactions", "", 10_000)).map(({ value }) => value);
    expect(histories.filter(({ productIds }) => productIds.includes("fresh"))).toHaveLength(fresh.length);
    expect(await store.orders.get("shop", "order-device-0-of-maja")).toBeUndefined();
  });

  /** Erases Maja; `meanwhile` is called when the first transaction is made. */
  const eraseWhile = async (aisle: Aisle, meanwhile: () => Promise<void>) => {
    const { store } = aisle;
    let isFirst = true;
    const erasures = erasuresOf(aisle, {
      unitOfWork: {
        ...store.unitOfWork,
        run: async (appId, work) => {
          const done = await store.unitOfWork.run(appId, work);
          if (isFirst) {
            isFirst = false;
            await meanwhile();
          }
          return done;
        },
      },
    });
    const names = { visitor: { clientId: "", fingerprintId: "", userId: "" }, phone: "", contactId: "" };
    await erasures.begin("shop", { ...names, email: MAJA.email, withLinkedContact: true });
    const steps = async () => (await store.copies.scan("shop", "erasures", "", 10)).map(({ value }) => value.step);
    await expect.poll(steps, { timeout: 50_000 }).toEqual(["done"]);
    await erasures.stop(); // also what was sent with its last transaction
  };

  it("leaves nothing of events that waited while it began", async () => {
    const aisle = await openShop();
    const old = { app_id: "shop", action_type: "subscribe", email: MAJA.email, first_name: "Mustermaja" };
    await eraseWhile(aisle, async () => {
      aisle.now.at -= 5;
      await aisle.trace({ ...old, c_id: "new-device-of-maja" });
      await aisle.trace({ ...old, c_id: MAJA.c_id, product_ids: "p1", action_type: "product_view" });
      await aisle.trace(old);
      aisle.now.at += 10;
    });
    const text = await everythingOf(aisle, "shop");
    for (const mark of ["new-device-of-maja", MAJA.c_id, "Mustermaja"]) expect(text).not.toContain(mark);
    expect(text.toLowerCase()).not.toContain(MAJA.email.toLowerCase());
  });

  it("keeps what the person does after it, also with a visitor that an event under way has made", async () => {
    const aisle = await openShop();
    const { store, rpc, now } = aisle;
    const device = { app_id: "shop", c_id: "new-device-of-maja" };
    const send = async (form: Record<string, string>) =>
      expect((await aisle.trace({ ...device, ...form })).status).toBe(200);
    await eraseWhile(aisle, async () => {
      now.at -= 5;
      await send({ action_type: "subscribe", email: MAJA.email, note: "under way" });
      now.at += 10;
      await send({ action_type: "product_view", product_ids: "later" });
      await send({ action_type: "subscribe", email: MAJA.email, subscriber_status: "0" });
    });
    const { contact } = await rpc.subscriptions.getContact({
      appId: "shop",
      contact: { case: "email", value: MAJA.email },
    });
    expect(contact?.emailState).toBe(SubscriptionState.UNSUBSCRIBED);
    const histories = (await store.copies.scan("shop", "interactions", "", 10_000)).map(({ value }) => value);
    expect(histories.filter(({ productIds }) => productIds.includes("later"))).toHaveLength(1);
    const visitors = (await store.copies.scan("shop", "visitors", "", 100)).map(({ value }) => value);
    expect(visitors.filter(({ keys }) => keys.includes("c:new-device-of-maja"))).toHaveLength(1);
    expect(await everythingOf(aisle, "shop")).not.toContain("under way");
  });

  it("removes a contact and visitors that a server made whose clock was ahead", async () => {
    const aisle = await openShop();
    aisle.now.at += 60_000;
    await aisle.trace({ app_id: "shop", action_type: "other", c_id: "ahead-1", email: "ahead@example.com" });
    await aisle.trace({ app_id: "shop", action_type: "other", c_id: "ahead-2", email: "ahead@example.com" });
    aisle.now.at -= 60_000;
    const done = await erase(aisle, "shop", { email: "ahead@example.com" });
    expect(done.removed).toMatchObject({ contacts: 1, visitors: 2 });
  });

  it("removes events, orders and rejected events that another server took, whose clock was ahead", async () => {
    const { store, metrics, now, ...aisle } = await openShop();
    now.at += 60_000;
    await aisle.trace({ app_id: "shop", action_type: "product_view", c_id: "ahead-1", product_ids: "p1" });
    await aisle.trace({
      app_id: "shop",
      action_type: "order",
      c_id: "ahead-1",
      order_id: "o-ahead",
      product_ids: "p1",
    });
    now.at += 1000;
    await aisle.trace({ app_id: "shop", action_type: "product_view", c_id: "ahead-1" });
    const rejected = async () => JSON.stringify(await store.rejectedEvents.list("shop", "", 10));
    await expect.poll(rejected).toContain("ahead-1");
    now.at -= 61_000;
    const other = erasuresOf({ store, metrics, now }, {});
    const visitor = { clientId: "ahead-1", fingerprintId: "", userId: "" };
    await other.begin("shop", { visitor, email: "", phone: "", contactId: "", withLinkedContact: true });
    await expect.poll(async () => (await store.copies.scan("shop", "erasures", "", 1))[0]?.value.step).toBe("done");
    expect(await everythingOf({ ...aisle, store, metrics, now }, "shop")).not.toContain("ahead-1");
  });

  it.each([
    ["claimed it first", true],
    ["named it later", false],
  ])("and export leave out the person whose user id a stranger %s, unsigned", async (_, isFirst) => {
    const aisle = await openAisle(openStore);
    await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
    const send = (form: Record<string, string>) => aisle.trace({ app_id: "shop", ...form }, "203.0.113.5");
    const evil = () => send({ action_type: "other", c_id: "evil", user_id: "7", email: "evil@x.example" });
    const victim = async () => {
      await send({ action_type: "subscribe", c_id: "ann", user_id: "7", email: "ann@x.example" });
      await send({ action_type: "order", c_id: "ann", user_id: "7", order_id: "A-1", product_ids: "p1" });
      const event = { actionType: "order", visitor: { userId: "7" }, contact: { email: "ann@x.example" } };
      await aisle.rpc.events.recordEvent({
        appId: "shop",
        event: { ...event, order: { orderId: "A-2" }, products: [{ productId: "p1" }] },
      });
    };
    for (const act of isFirst ? [evil, victim] : [victim, evil]) await act();
    const items = async (email: string) => {
      const found: string[] = [];
      for await (const { item } of aisle.rpc.privacy.exportVisitor({ appId: "shop", person: { email } }))
        found.push(
          JSON.stringify(item, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
        );
      return found.join("\n");
    };
    expect(await items("evil@x.example")).not.toMatch(/ann|A-[12]/);
    expect(await items("ann@x.example")).not.toContain("evil");
    await erase(aisle, "shop", { email: "evil@x.example" });
    const left = await items("ann@x.example");
    for (const mark of ["ann", "A-1", "A-2"]) expect(left).toContain(mark);
    await erase(aisle, "shop", { email: "ann@x.example" });
    expect(await everythingOf(aisle, "shop")).not.toMatch(/ann@|"ann"|A-[12]/);
  });

  it("goes on at the next process when its own stops in the middle of it, and its operation is not lost", async () => {
    const { store, now, rpc, ...aisle } = await openShop();
    await aisle.settleOperations();
    const { outcome } = await rpc.privacy.eraseVisitor({ appId: "shop", person });
    await aisle.settleOperations();
    const operationId = outcome.case === "operation" ? (outcome.value.operationId ?? "") : "";
    const other = wireAisle(store, { now, monotonicNow: now }).clients;
    now.at += 31_000;
    const operation = async () => (await other.operations.getOperation({ appId: "shop", operationId })).operation;
    expect(await operation()).toMatchObject({ state: OperationState.RUNNING });
    expect((await other.operations.cancelOperation({ appId: "shop", operationId })).operation).toMatchObject({
      state: OperationState.RUNNING,
    });
    now.at += 31_000;
    await wireAisle(store, { now, monotonicNow: now }).resumeErasures(() => undefined);
    expect(await operation()).toMatchObject({ state: OperationState.SUCCEEDED, result: { case: "erasure" } });
    expect((await rpc.privacy.listErasures({ appId: "shop" })).erasures[0]?.endTime).toBeDefined();
  });

  it("changes no other app", async () => {
    const aisle = await openShop();
    await aisle.rpc.apps.createApp({ app: { appId: "other" } });
    await visitShop(aisle, "other", ["maja"]);
    await erase(aisle, "shop", person);
    expect(await namesLeft(aisle, "other")).toEqual(NAMES_OF_MAJA);
    expect((await aisle.rpc.privacy.listErasures({ appId: "other" })).erasures).toEqual([]);
    expect(await aisle.status("other", MAJA.fp_ccid)).toMatchObject({ identified: true });
  });

  it("removes the contact that a shared device is linked to now, and keeps the other", async () => {
    const aisle = await openShop();
    aisle.now.at += 1000;
    await aisle.trace({ app_id: "shop", action_type: "other", c_id: MAJA.c_id, email: OMAR.email });
    const ofMaja = await erase(aisle, "shop", person);
    expect(ofMaja.removed).toMatchObject({ contacts: 1 });
    expect(ofMaja.removed).not.toHaveProperty("visitors");
    expect(await aisle.status("shop", MAJA.fp_ccid)).toMatchObject({ identified: true, status: true }); // Omar's now
    const left = await namesLeft(aisle, "shop");
    expect(left).not.toContain("maja.muster");
    expect(left).toContain(MAJA.c_id);
    const ofOmar = await erase(aisle, "shop", { email: OMAR.email });
    expect(ofOmar.removed).toMatchObject({ contacts: 1, visitors: 2 });
    expect(await namesLeft(aisle, "shop")).toEqual([]);
  });

  it("rejects invalid names", async () => {
    const aisle = await openShop();
    await expect(erase(aisle, "shop", {})).rejects.toThrow(/Missing required field: person/);
    await expect(erase(aisle, "shop", { email: "no address" })).rejects.toThrow(/Invalid field: person.email/);
    await expect(erase(aisle, "none", person)).rejects.toThrow(/not_found/);
  });
});
