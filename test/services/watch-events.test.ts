import { randomUUID } from "node:crypto";
import { Code, createClient, createRouterTransport } from "@connectrpc/connect";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import { createUuids } from "../../src/server/uuids.js";
import { EventTails } from "../../src/services/event-tails.js";
import { MAX_WATCHES, MAX_WATCHES_OF_APP, WatchLimit } from "../../src/services/watch-limit.js";
import type { EventStore } from "../../src/store/ports/event-store.js";
import type { Store } from "../../src/store/ports/store.js";
import { wireAisle } from "../fixtures/aisle.js";
import { countingMetrics } from "../fixtures/metrics.js";
import { RUNS } from "../fixtures/runs.js";
import { emptyStore, testApp } from "../fixtures/store.js";
import { storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();
const appId = "shop";

/** A product view with a number and a long text. */
function view(n: number, textBytes = 0, clientId = "c") {
  return {
    actionType: "product_view",
    visitor: { clientId },
    products: [{ productId: "p", title: "t".repeat(textBytes) }],
    extraFields: { n: String(n) },
  };
}

async function open(store: Store, useBinaryFormat = true) {
  const newId = createUuids({ now: Date.now, randomUuid: randomUUID });
  const metrics = countingMetrics();
  const aisle = wireAisle(store, { newId, metrics });
  const transport = createRouterTransport((router) => aisle.routes(router), { transport: { useBinaryFormat } });
  const events = createClient(EventService, transport);
  const apps = createClient(AppService, transport);
  await apps.createApp({ app: { appId } });
  let sent = 0;
  const record = async (count = 1, clientId = "c") => {
    for (let n = 0; n < count; n++) await events.recordEvent({ appId, event: view(++sent, 0, clientId) });
  };
  const recordMany = async (count: number, textBytes = 0) => {
    const batch = Array.from({ length: count }, () => view(++sent, textBytes));
    const send = async function* () {
      for (let n = 0; n < count; n += 500) yield { appId, events: batch.slice(n, n + 500) };
    };
    await events.recordEvents(send());
  };
  /** Watches until `count` events came. */
  const watch = async (request: object, count: number, onMessage?: () => void) => {
    const found: string[] = [];
    const sizes: number[] = [];
    let resumeToken = "";
    const leave = new AbortController();
    for await (const message of events.watchEvents({ appId, ...request }, { signal: leave.signal })) {
      found.push(...message.events.map(({ extraFields }) => extraFields.n ?? ""));
      resumeToken = message.resumeToken;
      sizes.push(resumeToken.length);
      onMessage?.();
      if (found.length >= count) break;
    }
    leave.abort();
    return { found: found.map(Number), resumeToken, longestToken: Math.max(...sizes) };
  };
  return { apps, events, metrics, record, recordMany, watch };
}

const resuming = (resumeToken: string) => ({ resumeToken });
const past = (value: number) => ({ start: { case: "pastEventCount" as const, value } });
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, n) => n + from);

describe.each(stores)("WatchEvents: $name", ({ openStore }) => {
  it("loses no event and sends none twice when it is resumed after each message", async () => {
    const { record, watch } = await open(await openStore(Date.now));
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
    expect(all).toEqual(upTo(40, 4));
    await record(1);
    ({ found } = await watch(resuming(resumeToken), 1));
    expect(found).toEqual([44]);
  });

  it("sends past events first, on request, then new ones", async () => {
    const { record, watch } = await open(await openStore(Date.now));
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
    const { events, record, watch } = await open(await openStore(Date.now));
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

  it("sends each event once to watches that are resumed at random while others are stored", async () => {
    const { record, recordMany, watch } = await open(await openStore(Date.now));
    const recorded = fc.record({ count: fc.integer({ min: 1, max: 20 }), isBulk: fc.boolean() });
    let stored = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(recorded, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat({ max: 15 }), { minLength: 1, maxLength: 5 }),
        async (recordings, breaks) => {
          const count = recordings.reduce((sum, one) => sum + one.count, 0);
          const first = await watch({}, 0);
          const found: number[] = [];
          const watching = (async () => {
            let { resumeToken } = first;
            for (let n = 0; found.length < count; n++) {
              const next = await watch(resuming(resumeToken), Math.min(breaks[n] ?? count, count - found.length));
              found.push(...next.found);
              resumeToken = next.resumeToken;
            }
          })();
          await Promise.all(recordings.map((one) => (one.isBulk ? recordMany(one.count) : record(one.count))));
          await watching;
          expect(found.sort((a, b) => a - b)).toEqual(upTo(count, stored + 1));
          stored += count;
        },
      ),
      { numRuns: RUNS.few / 3 },
    );
  });

  it("has tokens of at most 1 kB through a burst of events, and resumes behind it", async () => {
    const { recordMany, record, watch } = await open(await openStore(Date.now));
    await record(1);
    const { resumeToken } = await watch({}, 0);
    await recordMany(1500);
    const { found, longestToken, ...burst } = await watch(resuming(resumeToken), 1500);
    expect(found).toEqual(upTo(1500, 2));
    expect(longestToken).toBeLessThanOrEqual(1024);
    await record(1);
    expect((await watch(resuming(burst.resumeToken), 1)).found).toEqual([1502]);
  });

  it("refuses a token of which anything is missing or altered", async () => {
    const { record, watch } = await open(await openStore(Date.now));
    await record(1);
    const { resumeToken } = await watch({}, 0);
    const truncated = upTo(resumeToken.length - 1).map((length) => resumeToken.slice(0, length));
    const altered = [...resumeToken].map(
      (letter, n) => resumeToken.slice(0, n) + (letter === "A" ? "B" : "A") + resumeToken.slice(n + 1),
    );
    for (const token of [...truncated, ...altered, `${resumeToken}A`, `${resumeToken}=`, ` ${resumeToken}`])
      await expect(watch(resuming(token), 0), token).rejects.toThrow(/invalid_argument.*resume_token/);
  });

  it("ends with NOT_FOUND when its app is deleted", async () => {
    const { apps, events } = await open(await openStore(Date.now));
    const watching = events.watchEvents({ appId })[Symbol.asyncIterator]();
    await watching.next();
    const end = expect(watching.next()).rejects.toMatchObject({ code: Code.NotFound });
    await apps.deleteApp({ appId });
    await end;
  });
});

describe("WatchEvents", () => {
  it.each([true, false])("sends the same events to all watches, in binary form: %s", async (isBinary) => {
    const { record, watch } = await open(await emptyStore(Date.now), isBinary);
    const onMessage = vi.fn();
    const watches = upTo(5).map((n) => watch(n === 5 ? { visitor: { clientId: "me" } } : {}, 3, onMessage));
    await expect.poll(() => onMessage.mock.calls.length).toBeGreaterThanOrEqual(5);
    for (const who of ["me", "other", "me", "me", "other"]) await record(1, who);
    const found = (await Promise.all(watches)).map((one) => one.found);
    for (const one of found.slice(0, 4)) expect(upTo(5).slice(0, one.length)).toEqual(one);
    expect(found[4]).toEqual([1, 3, 4]);
  });

  it("reads the store once for all watches at its end", async () => {
    const store = await emptyStore(Date.now);
    const after = vi.fn<EventStore["after"]>(store.events.after);
    const { record, watch } = await open({ ...store, events: { ...store.events, after } });
    const onMessage = vi.fn();
    const watches = upTo(20).map(() => watch({}, 10, onMessage));
    await expect.poll(() => onMessage.mock.calls.length).toBeGreaterThanOrEqual(20);
    await record(10);
    for (const { found } of await Promise.all(watches)) expect(found).toEqual(upTo(10));
    const read = after.mock.settledResults.flatMap(({ value }) => ("events" in value ? value.events : []));
    expect(read).toHaveLength(10);
  });

  it("reads nothing when the last watch of an app has ended", async () => {
    const read: string[] = [];
    const position = async (app: string) => String(read.push(app));
    const after = async () => ({ events: [], isEnd: true, positionAfter: () => "" });
    const count = async () => ({ count: 0, lastId: "" });
    const events = { position, after, get: async () => undefined, list: async () => [], count };
    const apps = { get: async (app: string) => testApp(app) };
    const tails = new EventTails({ apps, events, watches: new WatchLimit(countingMetrics()) });
    const [one, other] = [tails.join("one"), tails.join("one")];
    const readsOf = (app: string) => read.filter((of) => of === app).length;
    expect(one.tail).toBe(other.tail);
    one.leave();
    await expect.poll(() => readsOf("one")).toBeGreaterThan(1);
    other.leave();
    const reads = readsOf("one");
    const another = tails.join("another");
    onTestFinished(another.leave);
    await expect.poll(() => readsOf("another")).toBeGreaterThan(1);
    expect(readsOf("one")).toBe(reads);
  });

  it("sends a watch that takes nothing for a while all events, though the shared ones are gone", async () => {
    const { events, recordMany } = await open(await emptyStore(Date.now));
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const slow = events.watchEvents({ appId }, { signal: stop.signal })[Symbol.asyncIterator]();
    await slow.next();
    const found: number[] = [];
    await recordMany(8000, 400);
    while (found.length < 8000) {
      const next = await slow.next();
      if (next.done === true) break;
      found.push(...next.value.events.map(({ extraFields }) => Number(extraFields.n)));
    }
    expect(found).toEqual(upTo(8000));
  });

  it("refuses more watches of an app than it may have", async () => {
    const { events, metrics } = await open(await emptyStore(Date.now));
    const begin = () => events.watchEvents({ appId })[Symbol.asyncIterator]().next();
    await Promise.all(upTo(MAX_WATCHES_OF_APP).map(begin));
    await expect(begin()).rejects.toMatchObject({
      code: Code.ResourceExhausted,
      rawMessage: `The app has ${MAX_WATCHES_OF_APP} watches and takes no more: end one, or let one watch serve several readers`,
    });
    expect(metrics.counts.get("shed")).toBe(1);
  });

  it("takes another watch, of the app and of the server, when one has ended", () => {
    const limit = new WatchLimit(countingMetrics());
    const leave = upTo(MAX_WATCHES_OF_APP).map(() => limit.enter(appId))[0];
    expect(() => limit.enter(appId)).toThrow(`The app has ${MAX_WATCHES_OF_APP} watches`);
    leave?.();
    leave?.();
    const again = limit.enter(appId);
    expect(() => limit.enter(appId)).toThrow("The app has");
    for (let n = MAX_WATCHES_OF_APP; n < MAX_WATCHES; n++) limit.enter(`app${n}`);
    expect(() => limit.enter("another")).toThrow(`The server has ${MAX_WATCHES} watches`);
    again();
    limit.enter("another");
  });
});
