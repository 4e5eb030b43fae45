import { setImmediate } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventSchema } from "../../src/gen/aisle/v1/event_pb.js";
import { COPIED_TABLES, type CopiedTable } from "../../src/ports/copies.js";
import type { Store } from "../../src/ports/store.js";
import { openAisle } from "../fixtures/aisle.js";
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
    occurredAt: fc.constantFrom(0, 1000, 2000).map((at) => timestampFromMs(NOON - 10_000 + at)),
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
async function contents(store: Store): Promise<unknown> {
  const rows = async (table: CopiedTable) => [table, await store.copies.scan("shop", table, "", 1000)];
  return Promise.all(COPIED_TABLES.map(rows));
}

async function* batches(all: readonly SentEvent[], size: number) {
  for (let from = 0; from < all.length; from += size) {
    const some = all.slice(from, from + size);
    yield { appId: "shop", events: some.map(({ event }) => event), idempotencyKeys: some.map(({ key }) => key) };
  }
}

describe("bulk intake beside single calls", () => {
  it("stores of a stream what the same events one by one would store, and refuses the same ones", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anySent, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 12 }),
        async (all, size) => {
          const [single, bulk] = [await openAisle(), await openAisle()];
          for (const one of [single, bulk]) await one.clients.apps.createApp({ app: { appId: "shop" } });
          const fates: string[] = [];
          for (const { event, key } of all) {
            const call = single.clients.events.recordEvent({ appId: "shop", event, idempotencyKey: key });
            fates.push(
              await call.then(
                ({ deduplicated }) => (deduplicated ? "known" : "stored"),
                () => "refused",
              ),
            );
          }
          const answer = await bulk.clients.events.recordEvents(batches(all, size));
          const count = (fate: string) => fates.filter((one) => one === fate).length;
          expect([answer.accepted, answer.deduplicated]).toEqual([BigInt(count("stored")), BigInt(count("known"))]);
          expect(answer.refused.map(({ index }) => Number(index))).toEqual(
            fates.flatMap((fate, n) => (fate === "refused" ? [n] : [])),
          );
          for (const one of [single, bulk]) await one.clients.events.listRejectedEvents({ appId: "shop" });
          expect(await contents(bulk.store)).toEqual(await contents(single.store));
          expect(bulk.faults).toEqual([]);
        },
      ),
      { numRuns: 12 },
    );
  });
});

for (const { name, openStore } of await storeKinds()) {
  describe(`bulk intake, ${name}`, () => {
    it("asks a fast sender for no more than two batches ahead of what is stored", async () => {
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
      expect((await aisle.clients.events.recordEvents(fast())).accepted).toBe(500n);
      expect(most).toBeLessThanOrEqual(20);
    });

    it("tells a sender that goes silent what its last batch failed with", async () => {
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
