import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidArgument, Unavailable } from "../../src/domain/errors.js";
import { NO_MAILING_SECRETS } from "../../src/domain/hook.js";
import type { Records, Transaction } from "../../src/store/ports/unit-of-work.js";
import { RUNS } from "../fixtures/runs.js";
import { type OpenStore, START, useStore } from "./open-store.js";
import { change, contact, erasure, event, feed, hookEntry, order, product, visitor } from "./samples.js";

const DAY = 24 * 60 * 60 * 1000;

export function unitOfWorkContract(name: string, open: OpenStore): void {
  describe(`unit of work: ${name}`, () => {
    const under = useStore(open);

    const run = <T>(work: (tx: Transaction) => T, appId = "shop") => under.store.unitOfWork.run(appId, work);
    const key = (one: string) => run((tx) => tx.visitorKeys.get(one));

    it("resolves with the work's result, and passes it the app id", async () => {
      expect(await run((tx) => `${tx.appId}!`)).toBe("shop!");
      expect(await run(() => undefined)).toBeUndefined();
    });

    it("shows a work its own writes and removals", async () => {
      await run((tx) => {
        tx.visitorKeys.put("a", "1");
        expect(tx.visitorKeys.get("a")).toBe("1");
        tx.visitorKeys.put("a", "2");
        expect(tx.visitorKeys.get("a")).toBe("2");
        tx.visitorKeys.delete("a");
        expect(tx.visitorKeys.get("a")).toBeUndefined();
        tx.visitorKeys.put("b", "3");
      });
      expect(await key("a")).toBeUndefined();
      expect(await key("b")).toBe("3");
    });

    it("keeps records of every kind apart where one app id is a prefix of another", async () => {
      const kinds = (tx: Transaction): readonly Pick<Records<unknown>, "get">[] => [
        tx.idempotency,
        tx.events,
        tx.rejectedEvents,
        tx.visitors,
        tx.visitorKeys,
        tx.contacts,
        tx.contactKeys,
        tx.changes,
        tx.ledgerHead,
        tx.networkLinks,
        tx.products,
        tx.productSkus,
        tx.orders,
        tx.erasures,
        tx.mailingSecrets,
        tx.confirmations,
        tx.outbox,
        tx.deadHooks,
        tx.suppressions,
        tx.feeds,
      ];
      await run((tx) => {
        tx.idempotency.put("1k", { eventId: "e", bodyHash: "h", claimedAt: START });
        tx.events.put("1k", event("1k"));
        tx.visitors.put("1k", visitor("1k"));
        tx.visitorKeys.put("1k", "v");
        tx.contacts.put("1k", contact("1k"));
        tx.contactKeys.put("1k", "c");
        tx.changes.put("1k", change("1k", "c"));
        tx.ledgerHead.put("1k", { count: 1, hash: "h" });
        tx.networkLinks.put("1k", { day: 1, tallies: [], secret: "", count: 0 });
        tx.products.put("1k", product("1k", { sku: "1k" }));
        tx.orders.put("1k", order("1k"));
        tx.erasures.put("1k", erasure("1k"));
        tx.mailingSecrets.put("1k", NO_MAILING_SECRETS);
        tx.confirmations.put("1k", { askedAt: 1, askedBy: "e", eventId: "e", visitorKey: "" });
        tx.outbox.put("1k", hookEntry("1k"));
        tx.deadHooks.put("1k", hookEntry("1k"));
        tx.suppressions.put("1k", { suppressedAt: 1, source: "rpc" });
        tx.feeds.put("1k", feed("1k"));
      });
      const found = (appId: string, one: string) =>
        run((tx) => kinds(tx).map((records) => records.get(one) !== undefined), appId);
      expect(await found("shop1", "k")).not.toContain(true);
      expect((await found("shop", "1k")).filter(Boolean)).toHaveLength(19); // all but refused events, which have ids of their own
    });

    it("writes nothing of a work that throws, and rejects with its error", async () => {
      await run((tx) => tx.visitorKeys.put("a", "before"));
      const thrown = new Error("on purpose");
      const failing = run((tx) => {
        tx.visitorKeys.put("a", "after");
        tx.visitorKeys.put("b", "after");
        tx.visitors.put("v", visitor("v"));
        tx.events.put("e", event("e"));
        throw thrown;
      });
      await expect(failing).rejects.toBe(thrown);
      expect(await key("a")).toBe("before");
      expect(await key("b")).toBeUndefined();
      expect(await run((tx) => tx.visitors.get("v"))).toBeUndefined();
      expect(await under.store.events.get("shop", "e")).toBeUndefined();
    });

    it("keeps a failing work from affecting the works beside it", async () => {
      await run((tx) => tx.visitorKeys.put("read", "before"));
      const works = [
        run((tx) => tx.visitorKeys.put("a", "1")),
        run((tx) => {
          tx.visitorKeys.put("a", "wrong");
          tx.visitorKeys.delete("read");
          tx.visitorKeys.put("new", "wrong");
          throw new Error("on purpose");
        }),
        run((tx) => [tx.visitorKeys.get("a"), tx.visitorKeys.get("read"), tx.visitorKeys.get("new")]),
      ];
      const [first, second, third] = await Promise.allSettled(works);
      expect(first).toMatchObject({ status: "fulfilled" });
      expect(second).toMatchObject({ status: "rejected" });
      expect(third).toEqual({ status: "fulfilled", value: ["1", "before", undefined] });
      expect([await key("a"), await key("read"), await key("new")]).toEqual(["1", "before", undefined]);
    });

    const looped: { self?: object } = {};
    looped.self = looped;
    const LONG = "x".repeat(5000);

    it.each<[what: string, put: (tx: Transaction) => void, reason: unknown]>([
      [
        "a value that throws when it is read",
        (tx) =>
          tx.visitors.put("v", {
            ...visitor("v"),
            get keys(): string[] {
              throw new Error("unreadable");
            },
          }),
        expect.objectContaining({ message: "unreadable" }),
      ],
      [
        "a value that contains itself",
        (tx) => tx.visitors.put("v", Object.assign(visitor("v"), { visitorId: looped })),
        expect.any(Error),
      ],
      [
        "a record longer than a MongoDB document",
        (tx) => tx.visitorKeys.put("v", "x".repeat(17 * 1024 * 1024)),
        expect.any(InvalidArgument),
      ],
      ["a key that is too long", (tx) => tx.visitorKeys.put(LONG, "v"), expect.any(InvalidArgument)],
    ])("fails a work that writes %s, and no work beside it", async (_, put, reason) => {
      const good = (id: string) => (tx: Transaction) => tx.events.put(id, event(id));
      const poisonous = (tx: Transaction) => {
        tx.visitorKeys.put("beside", "v");
        put(tx);
      };
      const ids = ["e1", "e2", "e4", "e5"];
      const [first, second, failed, ...later] = await Promise.allSettled([
        run(good("e1")),
        run(good("e2")),
        run(poisonous),
        run(good("e4")),
        run(good("e5")),
      ]);
      expect(failed).toEqual({ status: "rejected", reason });
      expect(failed).not.toMatchObject({ reason: expect.any(Unavailable) });
      for (const outcome of [first, second, ...later]) expect(outcome).toMatchObject({ status: "fulfilled" });
      expect((await under.store.events.list("shop", "", 10, false)).map((one) => one.eventId)).toEqual(ids);
      const bulk = await under.store.unitOfWork.runEach("shop", [good("e6"), poisonous, good("e7")]);
      expect(bulk.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(await key("beside")).toBeUndefined();
    });

    it("does nothing when a work removes a record whose key is too long to exist", async () => {
      await run((tx) => {
        tx.visitorKeys.delete(LONG);
        tx.events.delete(LONG);
        tx.visitorKeys.put("a", "1");
      });
      expect(await key("a")).toBe("1");
    });

    it("runs the works of a bulk call in order, each all or nothing, and reports each outcome", async () => {
      const thrown = new Error("on purpose");
      const works = Array.from({ length: 1200 }, (_, n) => (tx: Transaction) => {
        const before = tx.visitorKeys.get("count") ?? "";
        tx.visitorKeys.put("count", String(n));
        tx.events.put(`e${n}`, event(`e${n}`));
        if (n % 100 === 7) throw thrown;
        return before;
      });
      const outcomes = await under.store.unitOfWork.runEach("shop", works);
      expect(outcomes).toHaveLength(1200);
      for (const [n, outcome] of outcomes.entries()) {
        if (n % 100 === 7) expect(outcome).toEqual({ status: "rejected", reason: thrown });
        else
          expect(outcome).toEqual({ status: "fulfilled", value: n === 0 ? "" : String(n % 100 === 8 ? n - 2 : n - 1) });
      }
      expect(await key("count")).toBe("1199");
      expect(await under.store.events.list("shop", "", 2000, false)).toHaveLength(1188);
      expect(await under.store.events.get("shop", "e107")).toBeUndefined();
      expect(await under.store.unitOfWork.runEach("shop", [])).toEqual([]);
    });

    it("runs the works of an app in the order of the calls, each on the results of those before", async () => {
      const increment = () =>
        run((tx) => {
          const count = Number(tx.visitorKeys.get("count") ?? 0) + 1;
          tx.visitorKeys.put("count", String(count));
          return count;
        });
      const counts = await Promise.all(Array.from({ length: 300 }, increment));
      expect(counts).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
      expect(await key("count")).toBe("300");
    });

    it("shows every read what was written before the promise resolved", async () => {
      for (let n = 0; n < 20; n++) {
        await run((tx) => tx.events.put("e", event("e", { receivedAt: n })));
        expect((await under.store.events.get("shop", "e"))?.receivedAt).toBe(n);
      }
    });

    it("keeps the records of two apps with the same ids apart", async () => {
      await Promise.all([
        run((tx) => tx.visitorKeys.put("a", "1"), "shop"),
        run((tx) => tx.visitorKeys.put("a", "2"), "shop-2"),
        run((tx) => tx.products.put("p", product("p", { sku: "s" })), "shop-2"),
      ]);
      expect(await key("a")).toBe("1");
      expect(await run((tx) => tx.products.get("p"))).toBeUndefined();
      expect(await run((tx) => tx.productSkus.get("s"))).toBeUndefined();
      expect(await run((tx) => tx.productSkus.get("s"), "shop-2")).toBe("p");
    });

    it("copies values, so that later changes of the written object have no effect", async () => {
      const keys = ["c:1"];
      await run((tx) => tx.visitors.put("v", visitor("v", { keys })));
      keys.push("c:2");
      expect((await run((tx) => tx.visitors.get("v")))?.keys).toEqual(["c:1"]);
    });

    it("finds products by SKU inside a work after its own changes", async () => {
      await run((tx) => {
        tx.products.put("p1", product("p1", { sku: "s1" }));
        expect(tx.productSkus.get("s1")).toBe("p1");
        tx.products.put("p1", product("p1", { sku: "s2" }));
        expect(tx.productSkus.get("s1")).toBeUndefined();
        expect(tx.productSkus.get("s2")).toBe("p1");
        tx.products.delete("p1");
        expect(tx.productSkus.get("s2")).toBeUndefined();
      });
    });

    it("forgets an idempotency record after 24 hours and accepts the key again", async () => {
      const claim = (eventId: string) =>
        run((tx) => {
          const found = tx.idempotency.get("key");
          if (found !== undefined) return found.eventId;
          tx.idempotency.put("key", { eventId, bodyHash: "h", claimedAt: under.at });
          return eventId;
        });
      const claimedAt = under.at;
      expect(await claim("e1")).toBe("e1");
      under.at = claimedAt + DAY;
      expect(await claim("e2")).toBe("e1");
      under.at = claimedAt + DAY + 1;
      expect(await claim("e3")).toBe("e3");
      under.at = claimedAt + 2 * DAY;
      expect(await claim("e4")).toBe("e3");
    });

    it("ends as if the works that do not throw had run one after the other", async () => {
      const step = fc.record({
        key: fc.constantFrom("a", "b", "c"),
        value: fc.option(fc.string({ maxLength: 5 }), { nil: undefined }),
      });
      const work = fc.record({ steps: fc.array(step, { maxLength: 4 }), fails: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(fc.array(work, { maxLength: 12 }), fc.boolean(), async (works, isBulk) => {
          const appId = `app${under.at++}`;
          const expected = new Map<string, string>();
          const seen: string[] = [];
          const expectedSeen: string[] = [];
          const calls = works.map((one) => (tx: Transaction) => {
            for (const { key: k, value } of one.steps) {
              seen.push(`${k}=${tx.visitorKeys.get(k)}`);
              if (value === undefined) tx.visitorKeys.delete(k);
              else tx.visitorKeys.put(k, value);
            }
            if (one.fails) throw new Error("on purpose");
          });
          const settled = isBulk
            ? await under.store.unitOfWork.runEach(appId, calls)
            : await Promise.allSettled(calls.map((call) => run(call, appId)));
          for (const one of works) {
            const attempt = new Map(expected);
            for (const { key: k, value } of one.steps) {
              expectedSeen.push(`${k}=${attempt.get(k)}`);
              if (value === undefined) attempt.delete(k);
              else attempt.set(k, value);
            }
            if (one.fails) continue;
            expected.clear();
            for (const [k, value] of attempt) expected.set(k, value);
          }
          expect(settled.map((one) => one.status === "rejected")).toEqual(works.map((one) => one.fails));
          const found = await run((tx) => ["a", "b", "c"].map((k) => tx.visitorKeys.get(k)), appId);
          expect(found).toEqual(["a", "b", "c"].map((k) => expected.get(k)));
          expect(new Set(seen)).toEqual(new Set(expectedSeen));
        }),
        { numRuns: RUNS.some },
      );
    });
  });
}
