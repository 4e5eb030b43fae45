import { setImmediate } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventSchema } from "../../src/gen/aisle/v1/event_pb.js";
import { COPIED_TABLES, type CopiedTable } from "../../src/store/ports/copies.js";
import type { Store } from "../../src/store/ports/store.js";
import { openAisle } from "../fixtures/aisle.js";
import { RUNS } from "../fixtures/runs.js";
import { NOON } from "../fixtures/store.js";
import { storeKinds } from "../fixtures/stores.js";

type EventInit = MessageInitShape<typeof EventSchema>;

interface SentEvent {
  readonly event: EventInit;
  readonly key: string;
}

/** Events that meet each other: few visitors, products, contacts, orders and keys; some are to be refused. */
const anySent: fc.Arbitrary<SentEvent> = fc.record({
  key: fc.constantFrom("", "", "", "k1", "k2"),
  event: fc.record({
    actionType: fc.constantFrom("product_view", "add_to_cart", "order", "order_cancel", "subscribe", "other", ""),
    eventTime: fc.constantFrom(0, 1000, 2000).map((at) => timestampFromMs(NOON - 10_000 + at)),
    bot: fc.boolean(),
    visitor: fc.record({
      clientId: fc.constantFrom("", "c1", "c2"),
      fingerprintId: fc.constantFrom("", "f1", "f2"),
      userId: fc.constantFrom("", "u1"),
    }),
    contact: fc.record({
      email: fc.constantFrom("", "one@example.com", "Two@example.com", "none"),
      phone: fc.constantFrom("", "+49 1234567"),
      emailSubscribed: fc.constantFrom(undefined, true, false),
    }),
    products: fc.array(
      fc.record({
        productId: fc.constantFrom("", "p1", "p2", "p3"),
        sku: fc.constantFrom("", "s1", "s2"),
        title: fc.constantFrom("", "Boots", "Lamp"),
      }),
      { maxLength: 3 },
    ),
    order: fc.record({ orderId: fc.constantFrom("", "o1", "o2"), status: fc.constantFrom("", "new", "paid") }),
  }),
});

/** Every record of the app, with the key it has within it. */
async function contents(store: Store, appId: string): Promise<unknown> {
  const rows = async (table: CopiedTable) => [table, await store.copies.scan(appId, table, "", 1000)];
  // Which views are due depends on what the process knows of the app's frames at the moment.
  return Promise.all(COPIED_TABLES.filter((table) => table !== "dueResults").map(rows));
}

async function* batches(appId: string, all: readonly SentEvent[], size: number) {
  for (let from = 0; from < all.length; from += size) {
    const some = all.slice(from, from + size);
    yield { appId, events: some.map(({ event }) => event), idempotencyKeys: some.map(({ key }) => key) };
  }
}

describe("a bulk call", () => {
  it("refuses to list more than 10,000 events", async () => {
    const aisle = await openAisle();
    await aisle.clients.apps.createApp({ app: { appId: "shop" } });
    async function* stream() {
      const events = Array.from({ length: 1000 }, (): EventInit => ({}));
      for (let n = 0; n < 11; n++) yield { appId: "shop", events, listEvents: true };
    }
    const failed: unknown = await aisle.clients.events.recordEvents(stream()).catch((error: unknown) => error);
    expect(ConnectError.from(failed).code).toBe(Code.InvalidArgument);
    expect(ConnectError.from(failed).rawMessage).toContain("list_events");
  });

  it("stores and rejects the same events as single calls would", async () => {
    const [single, bulk] = [await openAisle(), await openAisle()];
    let apps = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(anySent, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 12 }),
        async (all, size) => {
          const appId = `shop${++apps}`;
          for (const one of [single, bulk]) await one.clients.apps.createApp({ app: { appId } });
          const fates: string[] = [];
          for (const { event, key } of all) {
            const call = single.clients.events.recordEvent({ appId, event, idempotencyKey: key });
            fates.push(
              await call.then(
                ({ deduplicated }) => (deduplicated ? "known" : "stored"),
                () => "refused",
              ),
            );
          }
          const answer = await bulk.clients.events.recordEvents(batches(appId, all, size));
          const count = (fate: string) => fates.filter((one) => one === fate).length;
          expect([answer.accepted, answer.deduplicated]).toEqual([count("stored"), count("known")]);
          expect(answer.refused.map(({ index }) => Number(index))).toEqual(
            fates.flatMap((fate, n) => (fate === "refused" ? [n] : [])),
          );
          for (const one of [single, bulk]) await one.clients.events.listRejectedEvents({ appId });
          expect(await contents(bulk.store, appId)).toEqual(await contents(single.store, appId));
          expect(bulk.faults).toEqual([]);
        },
      ),
      { numRuns: RUNS.few },
    );
  });
});

for (const { name, openStore } of await storeKinds()) {
  describe(`bulk intake, ${name}`, () => {
    it("lets a fast sender run at most two batches ahead of the store", async () => {
      const aisle = await openAisle(openStore);
      await aisle.clients.apps.createApp({ app: { appId: "shop" } });
      let stored = 0;
      let most = 0;
      const { runEach } = aisle.store.unitOfWork;
      Object.assign(aisle.store.unitOfWork, {
        runEach: async (...[appId, works]: Parameters<typeof runEach>) => {
          for (let turn = 0; turn < 20; turn++) await setImmediate(); // a slow disk
          const outcomes = await runEach(appId, works);
          stored += works.length;
          return outcomes;
        },
      });
      async function* fast() {
        for (let n = 0; n < 50; n++) {
          most = Math.max(most, n * 10 - stored);
          yield { appId: "shop", events: Array.from({ length: 10 }, (): EventInit => ({ actionType: "other" })) };
        }
      }
      expect((await aisle.clients.events.recordEvents(fast())).accepted).toBe(500);
      expect(most).toBeLessThanOrEqual(20);
    });

    it("lists the outcome of each event of a batch on request, by position in the stream", async () => {
      const aisle = await openAisle(openStore);
      await aisle.clients.apps.createApp({ app: { appId: "shop" } });
      const other = (n: number): EventInit => ({ actionType: n === 3 ? "" : "other", platform: `p${n}` });
      async function* stream() {
        yield { appId: "shop", events: [other(0), other(1)] };
        yield { events: [other(2), other(3), other(4)], idempotencyKeys: ["k2", "k3", "k4"], listEvents: true };
        yield { events: [other(4)], idempotencyKeys: ["k4"], listEvents: true };
      }
      const { recorded, refused } = await aisle.clients.events.recordEvents(stream());
      expect(refused.map(({ index }) => index)).toEqual([3]);
      expect(recorded.map(({ index, deduplicated }) => [index, deduplicated])).toEqual([
        [2, false],
        [4, false],
        [5, true],
      ]);
      expect(recorded[2]?.eventId).toBe(recorded[1]?.eventId);
      for (const { index, eventId } of recorded) {
        const { event } = await aisle.clients.events.getEvent({ appId: "shop", eventId });
        expect(event?.platform).toBe(`p${Math.min(Number(index), 4)}`);
      }
    });

    it("tells a sender that goes silent why its last batch failed", async () => {
      const aisle = await openAisle(openStore);
      async function* silent() {
        yield { appId: "unknown", events: [{ actionType: "other" }] };
        await new Promise(() => undefined);
      }
      const failed: unknown = await aisle.clients.events.recordEvents(silent()).catch((error: unknown) => error);
      expect(ConnectError.from(failed).code).toBe(Code.NotFound);
    });
  });
}
