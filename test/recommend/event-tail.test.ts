import { describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event.js";
import { idAt } from "../../src/domain/ids.js";
import { EventTail } from "../../src/recommend/event-tail.js";
import type { EventStore } from "../../src/store/ports/event-store.js";

const NOW = Date.UTC(2026, 0, 1);

/** Events in memory, known by their ids alone. */
function openEvents() {
  const ids: string[] = [];
  const list: EventStore["list"] = async (_appId, from, limit, newestFirst) => {
    const sorted = [...ids].sort();
    const found = newestFirst
      ? sorted.reverse().filter((id) => from === "" || id < from)
      : sorted.filter((id) => id > from);
    return found.slice(0, limit).map((eventId) => ({ eventId }) as Event);
  };
  const store = (...times: number[]) => ids.push(...times.map((ms) => `${idAt(NOW + ms)}7`));
  const timesOf = (events: readonly Event[] | undefined) =>
    events?.map(({ eventId }) => ids.indexOf(eventId)).map((n) => ids[n]!);
  return { store, list, ids, timesOf };
}

async function all(read: () => Promise<readonly Event[] | undefined>): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const events = await read();
    if (events === undefined || events.length === 0) return found;
    found.push(...events.map(({ eventId }) => eventId));
  }
}

describe("the tail of an app's events", () => {
  it("returns each new event once, and one that became visible late when it has settled", async () => {
    const { store, list, ids } = openEvents();
    const tail = new EventTail("shop", { list }, NOW);
    store(1, 2);
    expect(await all(() => tail.next())).toEqual(ids);
    store(2000);
    expect(await all(() => tail.next())).toEqual(ids.slice(2));
    store(1000); // of a process whose commit took longer
    expect(await all(() => tail.next())).toEqual([]);
    expect(await all(() => tail.settled(NOW + 1500))).toEqual([]);
    expect(tail.isQuiet).toBe(false);
    expect(await all(() => tail.settled(NOW + 7001))).toEqual(ids.slice(3));
    expect(tail.isQuiet).toBe(true);
  });

  it("returns older events since the training after the newest hundred, all of them", async () => {
    const { store, list, ids } = openEvents();
    store(...Array.from({ length: 500 }, (_, n) => n + 1));
    store(-1);
    const tail = new EventTail("shop", { list }, NOW);
    const newest = await tail.next();
    expect(newest.map(({ eventId }) => eventId)).toEqual(ids.slice(400, 500));
    const older: string[] = [];
    for (let n = 0; n < 40; n++)
      older.push(...((await tail.settled(NOW + 60_000)) ?? []).map(({ eventId }) => eventId));
    expect([...older, ...newest.map(({ eventId }) => eventId)]).toEqual(ids.slice(0, 500));
    expect(tail.isQuiet).toBe(true);
  });

  it("goes on with the newest events when it skips, and returns the ones between when they have settled", async () => {
    const { store, list, ids } = openEvents();
    const tail = new EventTail("shop", { list }, NOW);
    store(1);
    await all(() => tail.next());
    store(...Array.from({ length: 100 }, (_, n) => n + 2));
    await tail.next();
    expect(tail.lag(NOW + 10_000)).toBe(10_000 - 17);
    await tail.skip();
    expect(tail.lag(NOW + 10_000)).toBe(0);
    store(200);
    expect(await all(() => tail.next())).toEqual(ids.slice(101));
    const between: string[] = [];
    for (let n = 0; n < 10; n++)
      between.push(...((await tail.settled(NOW + 60_000)) ?? []).map(({ eventId }) => eventId));
    expect(between).toEqual(ids.slice(17, 101));
  });
});
