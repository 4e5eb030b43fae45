import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idAt } from "../../src/domain/ids.js";
import type { Store } from "../../src/store/ports/store.js";
import { RUNS } from "../fixtures/runs.js";
import { because, type OpenStore, START, type StoreLimits, useStore } from "./open-store.js";
import { app, event } from "./samples.js";

/**
 * What is done to an app and by a watcher of it: two processes store events with these ages of their ids, in ms, while the next
 * steps go on; one is removed; the watcher takes a page and begins again behind some of it.
 */
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("store" as const),
      by: fc.constantFrom(0 as const, 1 as const),
      ages: fc.array(fc.nat({ max: 60_000 }), { minLength: 1, maxLength: 4 }),
      each: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "await" as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), nth: fc.nat() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("read" as const),
      limit: fc.integer({ min: 1, max: 5 }),
      kept: fc.nat({ max: 5 }),
      bounded: fc.boolean(),
    }),
  },
);

export function eventPositionsContract(name: string, open: OpenStore, limits: StoreLimits): void {
  describe(`positions in events: ${name}`, () => {
    const under = useStore(open);
    let made = 0;
    const idOf = (ageMs: number) => `${idAt(START - ageMs)}7000-8000-${String(++made).padStart(12, "0")}`;

    const put = async (store: Store, appId: string, ids: readonly string[], each = false): Promise<string[]> => {
      const works = ids.map((id) => (tx: Parameters<Parameters<Store["unitOfWork"]["run"]>[1]>[0]) => {
        const eventId = tx.eventId(id);
        tx.events.put(eventId, event(eventId));
        return eventId;
      });
      if (each) {
        const outcomes = await store.unitOfWork.runEach(appId, works);
        return outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      }
      return store.unitOfWork.run(appId, (tx) => works.map((work) => work(tx)));
    };
    const rest = async (appId: string, from: string): Promise<string[]> => {
      const found: string[] = [];
      for (let position = from; ; ) {
        const { events, isEnd, positionAfter } = await under.store.events.after(appId, position, 3);
        found.push(...events.map(({ eventId }) => eventId));
        if (isEnd) return found;
        position = positionAfter(events.length);
      }
    };
    const newApp = async () => {
      const appId = `app${made++}`;
      await under.store.apps.create(app(appId));
      return appId;
    };

    it("shows each event once behind a position, whatever ids, processes, removals, pages and resumptions", async () => {
      const second = limits.oneProcess === undefined ? await under.openSecond() : under.store;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const appId = await newApp();
          const processes = [under.store, second] as const;
          await put(under.store, appId, [idOf(0)]);
          let position = await under.store.events.position(appId);
          const stored: string[] = [];
          const removed = new Set<string>();
          const seen: string[] = [];
          let underWay: Promise<unknown>[] = [];
          for (const one of steps) {
            if (one.kind === "store") {
              const storing = put(processes[one.by], appId, one.ages.map(idOf), one.each);
              underWay.push(storing.then((ids) => stored.push(...ids)));
            } else if (one.kind === "await") {
              await Promise.all(underWay);
              underWay = [];
            } else if (one.kind === "remove") {
              const id = stored[one.nth % stored.length];
              if (id === undefined) continue;
              removed.add(id);
              await under.store.unitOfWork.run(appId, (tx) => tx.events.delete(id));
            } else {
              const reader = processes[one.kept % 2 === 0 ? 0 : 1];
              const upTo = one.bounded ? await reader.events.position(appId) : undefined;
              const { events, positionAfter } = await reader.events.after(appId, position, one.limit, upTo);
              const taken = one.kept < events.length ? events.slice(0, one.kept) : events;
              seen.push(...taken.map(({ eventId }) => eventId));
              position = positionAfter(taken.length);
              expect(position.length).toBeLessThan(600);
            }
          }
          await Promise.all(underWay);
          seen.push(...(await rest(appId, position)));
          expect(new Set(seen).size).toBe(seen.length);
          expect(new Set(stored).size).toBe(stored.length);
          const left = seen.filter((id) => !removed.has(id));
          expect(left.sort()).toEqual(stored.filter((id) => !removed.has(id)).sort());
        }),
        { numRuns: RUNS.few },
      );
    });

    it("shows the events from an id on, then those that are stored meanwhile under any id, each once", async () => {
      const appId = await newApp();
      const [, ...ids] = await put(under.store, appId, [idOf(50_000), idOf(40_000), idOf(30_000), idOf(20_000)]);
      let position = await under.store.events.position(appId, idAt(START - 45_000));
      const found: string[] = [];
      for (let isEnd = false; !isEnd; ) {
        const read = await under.store.events.after(appId, position, 2);
        found.push(...read.events.map(({ eventId }) => eventId));
        if (found.length === 2) ids.push(...(await put(under.store, appId, [idOf(48_000), idOf(10_000)])));
        isEnd = read.isEnd;
        position = read.positionAfter(read.events.length);
      }
      expect(found.sort()).toEqual(ids.sort());
    });

    it("shows events up to another position, and then has that position", async () => {
      const appId = await newApp();
      const first = await under.store.events.position(appId);
      const [early] = await put(under.store, appId, [idOf(5)]);
      const second = await under.store.events.position(appId);
      const [late] = await put(under.store, appId, [idOf(50)]);
      const read = await under.store.events.after(appId, first, 10, second);
      expect([read.events.map(({ eventId }) => eventId), read.isEnd]).toEqual([[early], true]);
      expect(await rest(appId, read.positionAfter(1))).toEqual([late]);
      expect((await under.store.events.after(appId, second, 10, second)).events).toEqual([]);
    });

    it("refuses the position of another store", async () => {
      const appId = await newApp();
      for (const position of ["", "nonsense", "id", "order"])
        await expect(under.store.events.after(appId, position, 1)).rejects.toThrow(/resume_token/);
    });

    it(`keeps the order of commits for a process whose clock is behind${because(limits.oneClock)}`, async () => {
      if (limits.oneClock !== undefined || limits.oneProcess !== undefined) return;
      const behind = await under.openSecond(() => START - 3_600_000);
      const appId = await newApp();
      await put(under.store, appId, [idOf(0)]);
      const position = await under.store.events.position(appId);
      const late = await put(behind, appId, [idOf(3_600_000)]);
      expect(await rest(appId, position)).toEqual(late);
    });
  });
}
