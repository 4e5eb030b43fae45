import { randomUUID } from "node:crypto";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { describe, expect, it, vi } from "vitest";
import { idAt } from "../../src/domain/ids.js";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import { createUuids } from "../../src/server/uuids.js";
import { EventPosition, LATE_MS } from "../../src/services/event-position.js";
import { wireAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();
const appId = "shop";

describe.each(stores)("WatchEvents: $name", ({ openStore }) => {
  const open = async () => {
    const newId = createUuids({ now: Date.now, randomUuid: randomUUID });
    const aisle = wireAisle(await openStore(Date.now), { newId });
    const transport = createRouterTransport((router) => aisle.routes(router));
    const events = createClient(EventService, transport);
    await createClient(AppService, transport).createApp({ app: { appId } });
    let sent = 0;
    const record = async (count = 1, clientId = "c") => {
      for (let n = 0; n < count; n++)
        await events.recordEvent({
          appId,
          event: {
            actionType: "product_view",
            visitor: { clientId },
            products: [{ productId: "p" }],
            extraFields: { n: String(++sent) },
          },
        });
    };
    /** Watches until `count` events came, or for a time without events. */
    const watch = async (request: object, count: number, onMessage?: () => void) => {
      const found: string[] = [];
      let resumeToken = "";
      const stop = new AbortController();
      const late = setTimeout(() => stop.abort(), 20_000);
      try {
        for await (const message of events.watchEvents({ appId, ...request }, { signal: stop.signal })) {
          found.push(...message.events.map(({ extraFields }) => extraFields.n ?? ""));
          resumeToken = message.resumeToken;
          onMessage?.();
          if (found.length >= count) break;
        }
      } catch (error) {
        if (!stop.signal.aborted) throw error;
      } finally {
        clearTimeout(late);
      }
      return { found: found.map(Number), resumeToken };
    };
    return { events, record, watch };
  };
  const resuming = (resumeToken: string) => ({ resumeToken });
  const past = (value: number) => ({ start: { case: "pastEventCount" as const, value } });

  it("loses no event and sends none twice when it is resumed after each message", async () => {
    const { record, watch } = await open();
    await record(3);
    let { found, resumeToken } = await watch({}, 0);
    expect(found).toEqual([]);
    const recording = record(40);
    const all: number[] = [];
    while (all.length < 40) {
      const next = await watch(resuming(resumeToken), 1);
      all.push(...next.found);
      resumeToken = next.resumeToken;
    }
    await recording;
    expect(all).toEqual(Array.from({ length: 40 }, (_, n) => n + 4));
    await record(1);
    ({ found } = await watch(resuming(resumeToken), 1));
    expect(found).toEqual([44]);
  });

  it("sends past events first, on request, then new ones", async () => {
    const { record, watch } = await open();
    await record(5);
    const onMessage = vi.fn();
    const watching = watch(past(2), 4, onMessage);
    await expect.poll(() => onMessage.mock.calls.length).toBeGreaterThan(0);
    await record(2);
    expect((await watching).found).toEqual([4, 5, 6, 7]);
    const startTime = { seconds: 0n };
    expect((await watch({ start: { case: "startTime", value: startTime } }, 7)).found).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it("sends the events of one visitor, and takes no token of another request", async () => {
    const { events, record, watch } = await open();
    await record(2, "other");
    await record(1, "me");
    await record(1, "other");
    const visitor = { clientId: "me" };
    const { found, resumeToken } = await watch({ visitor, ...past(10) }, 1);
    expect(found).toEqual([3]);
    for (const request of [{ ...resuming(resumeToken) }, { visitor, ...resuming("nonsense") }])
      await expect(watch(request, 1)).rejects.toThrow(/invalid_argument.*resume_token/);
    await expect(watch(past(1001), 1)).rejects.toThrow(/invalid_argument.*past_event_count/);
    await expect(events.watchEvents({ appId: "none" })[Symbol.asyncIterator]().next()).rejects.toThrow(/not_found/);
  });
});

describe("a position in events", () => {
  const NOW = Date.UTC(2026, 10, 24);
  const id = (ms: number, n: number) => `${idAt(NOW + ms)}7000-8000-${String(n).padStart(12, "0")}`;
  const resume = (position: EventPosition) => EventPosition.decode(position.encode());

  it("knows an event that came late, before and after a resumption", () => {
    let position = new EventPosition();
    expect([position.look(id(-50, 1)), position.look(id(-10, 3))]).toEqual([true, true]);
    position = resume(position);
    expect([position.look(id(-50, 1)), position.look(id(-30, 2)), position.look(id(-10, 3))]).toEqual([
      false,
      true,
      false,
    ]);
    position.completed(NOW);
    position = resume(position);
    expect([1, 2, 3].map((n) => position.look(id([-50, -30, -10][n - 1] ?? 0, n)))).toEqual([false, false, false]);
  });

  it("settles events that are older than any may be late, and does not grow with them", () => {
    const position = new EventPosition();
    for (let n = 0; n < 1000; n++) position.look(id(-LATE_MS - 2000 + n, n));
    position.look(id(-5, 5000));
    position.completed(NOW);
    expect(position.encode().length).toBeLessThan(40);
    expect(position.look(id(-LATE_MS - 1500, 500))).toBe(false);
    expect(position.look(id(-5, 5000))).toBe(false);
    expect(position.look(id(-LATE_MS + 10, 6000))).toBe(true);
  });

  it("remembers at most 20,000 events", () => {
    const position = new EventPosition();
    for (let n = 0; n < 30_000; n++) position.look(id(-30_000 + n, n));
    position.completed(NOW);
    expect(position.encode().length).toBeLessThan(20_000 * 6 + 100);
    expect([position.look(id(-30_000, 0)), position.look(id(-1, 29_999))]).toEqual([false, false]);
  });
});
