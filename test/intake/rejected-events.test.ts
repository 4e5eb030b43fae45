import { describe, expect, it } from "vitest";
import { AlreadyExists, InvalidArgument, RateLimited, Unavailable } from "../../src/domain/errors.js";
import type { SentEvent } from "../../src/intake/normalise.js";
import { createRejectedEvents } from "../../src/intake/rejected-events.js";
import type { UnitOfWork } from "../../src/store/ports/unit-of-work.js";
import { passedOver } from "../fixtures/failures.js";
import { countingMetrics } from "../fixtures/metrics.js";
import { emptyStore, NOON, testApp, testClock } from "../fixtures/store.js";
import { draft, intake, NO_CONTACT, NO_VISITOR, product } from "./intake-fixture.js";

const EMPTY_VIEW = draft("product_view");
const FIXED_VIEW = draft("product_view", { products: [product("p1")] });

async function rejectedShop() {
  const its = await intake();
  const list = async (appId = "shop") => {
    await its.rejecting.settled();
    return its.store.rejectedEvents.list(appId, "", 2000);
  };
  const reject = async (...args: Parameters<typeof its.record>) => {
    await expect(its.record(...args)).rejects.toBeDefined();
    const [newest] = await list(args[2]);
    return newest!;
  };
  return { ...its, list, reject };
}

describe("a rejected event", () => {
  it("is kept with the reason and as it was sent", async () => {
    const { reject } = await rejectedShop();
    const sent = draft("product_view", { extraFields: { note: "hello" }, searchQuery: "tents" });
    expect(await reject(sent, "key-1")).toMatchObject({
      rejectedAt: NOON,
      fault: "missing",
      field: "event.products",
      idempotencyKey: "s\nkey-1",
      event: { actionType: "product_view", extraFields: { note: "hello" }, searchQuery: "tents", occurredAt: 0 },
      replayedAs: "",
    });
  });

  it("is kept when its key belongs to another event, and not when it is a retry", async () => {
    const { record, list, reject } = await rejectedShop();
    await record(FIXED_VIEW, "key-1");
    await record(FIXED_VIEW, "key-1");
    expect(await list()).toEqual([]);
    expect(await reject(draft("homepage_view"), "key-1")).toMatchObject({ fault: "reused", field: "idempotency_key" });
  });

  it("is not kept for an unknown app, or when only a rate limit rejected it", async () => {
    const { record, list, store, rejecting } = await rejectedShop();
    await expect(record(EMPTY_VIEW, "", "nobody")).rejects.toBeDefined();
    for (let n = 0; n < 101; n++) await record({ ...FIXED_VIEW, sender: "server" }).catch(() => undefined);
    expect(await list()).toEqual([]);
    await rejecting.settled();
    expect(await store.rejectedEvents.list("nobody", "", 10)).toEqual([]);
  });
});

describe("a replay", () => {
  it("records a corrected event once, with the time of its rejection", async () => {
    const { now, replay, reject, store, list } = await rejectedShop();
    const { rejectedId } = await reject(EMPTY_VIEW);
    now.at += 3600_000;
    const first = await replay("shop", rejectedId, FIXED_VIEW);
    const again = await replay("shop", rejectedId, FIXED_VIEW);
    expect(again).toMatchObject({ eventId: first.eventId, deduplicated: true });
    expect(await store.events.list("shop", "", 10, false)).toMatchObject([
      { eventId: first.eventId, occurredAt: NOON, receivedAt: NOON + 3600_000 },
    ]);
    expect(await list()).toMatchObject([{ event: null, replayedAs: first.eventId }]);
  });

  it("of an event from a clock that was ahead happened when it was rejected, and ends no later unsubscription", async () => {
    const { now, record, replay, reject, store, statusOf } = await rejectedShop();
    const says = (emailSubscribed: boolean | null, more: Partial<SentEvent> = {}) =>
      draft("subscribe", {
        visitor: { ...NO_VISITOR, fingerprintId: "f1" },
        contact: { ...NO_CONTACT, email: "ann@shop.example", emailSubscribed },
        ...more,
      });
    const ahead = { occurredAt: NOON + 24 * 3600_000 };
    const { rejectedId } = await reject(says(null, { ...ahead, actionType: "" }));
    now.at += 3600_000;
    await record(says(false));
    now.at += 48 * 3600_000;
    await replay("shop", rejectedId, says(null, ahead));
    expect((await store.events.list("shop", "", 10, false)).map(({ occurredAt }) => occurredAt - NOON)).toEqual([
      3600_000, 0,
    ]);
    expect(await statusOf("f1")).toMatchObject({ email: false });
  });

  it("requested by many callers at once records one event", async () => {
    const { replay, reject, store } = await rejectedShop();
    const { rejectedId } = await reject(EMPTY_VIEW);
    const all = await Promise.all(Array.from({ length: 10 }, () => replay("shop", rejectedId, FIXED_VIEW)));
    expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(1);
    expect(await store.events.list("shop", "", 10, false)).toHaveLength(1);
  });

  it("of an event that is still invalid changes nothing, and can be tried again", async () => {
    const { replay, reject, store, list } = await rejectedShop();
    const { rejectedId } = await reject(EMPTY_VIEW);
    const before = await list();
    await expect(replay("shop", rejectedId, undefined)).rejects.toBeInstanceOf(InvalidArgument);
    expect(await list()).toEqual(before);
    expect(await store.events.list("shop", "", 10, false)).toEqual([]);
    await expect(replay("shop", rejectedId, FIXED_VIEW)).resolves.toMatchObject({ deduplicated: false });
  });

  it("does not repeat an event that its sender has sent again under the same key", async () => {
    const { record, replay, reject, store } = await rejectedShop();
    const { rejectedId } = await reject(EMPTY_VIEW, "key-1");
    await record({ ...FIXED_VIEW, searchQuery: "corrected by the sender" }, "key-1");
    await expect(replay("shop", rejectedId, FIXED_VIEW)).rejects.toBeInstanceOf(AlreadyExists);
    expect(await store.events.list("shop", "", 10, false)).toHaveLength(1);
  });

  it("records an event whose key another event has used, as it was sent", async () => {
    const { record, replay, reject, store } = await rejectedShop();
    await record(FIXED_VIEW, "key-1");
    const { rejectedId } = await reject(draft("homepage_view"), "key-1");
    await replay("shop", rejectedId, undefined);
    const events = await store.events.list("shop", "", 10, false);
    expect(events.map(({ actionType }) => actionType)).toEqual(["product_view", "homepage_view"]);
  });
});

describe("the log of rejected events", () => {
  const missing = new InvalidArgument("event.products", "missing");

  async function open(unitOfWork?: Pick<UnitOfWork, "run">) {
    const now = testClock();
    const store = await emptyStore(now);
    await store.apps.create(testApp("shop"));
    await store.apps.create(testApp("other"));
    const metrics = countingMetrics();
    const works: number[] = [];
    const run: UnitOfWork["run"] = (appId, work) => {
      works.push(now());
      return (unitOfWork ?? store.unitOfWork).run(appId, work);
    };
    const rejecting = createRejectedEvents({
      apps: store.apps,
      unitOfWork: { run },
      now,
      monotonicNow: now,
      metrics,
      reportFailure: passedOver,
    });
    const count = async (appId: string) => {
      await rejecting.settled();
      return (await store.rejectedEvents.list(appId, "", 5000)).length;
    };
    return { now, rejecting, metrics, works, count };
  }
  const large = (bytes: number) => draft("product_view", { searchQuery: "x".repeat(bytes) });

  it("drops an event that is too large", async () => {
    const { rejecting, metrics, count } = await open();
    rejecting.keep("shop", large(65 * 1024), "", missing);
    rejecting.keep("shop", large(60 * 1024), "", missing);
    expect(await count("shop")).toBe(1);
    expect(metrics.counts.get("rejected_events_dropped")).toBe(1);
  });

  it("keeps a bounded part of a flood, in bounded works, and keeps events again afterwards", async () => {
    const { now, rejecting, works, count } = await open();
    for (let n = 0; n < 20_000; n++) rejecting.keep("shop", large(10_000), "", missing);
    const kept = await count("shop");
    expect(kept).toBeGreaterThan(100);
    expect(kept * 10_000).toBeLessThan(2.1 * 2 ** 20);
    expect(works.length).toBeLessThan(50);
    now.at += 1000;
    for (let n = 0; n < 20_000; n++) rejecting.keep("shop", large(10_000), "", missing);
    expect(await count("shop")).toBeLessThanOrEqual(kept + 7);
  });

  it("keeps events of another app while one is flooded", async () => {
    const { now, rejecting, count } = await open();
    for (let n = 0; n < 20_000; n++) rejecting.keep("shop", large(10_000), "", missing);
    await rejecting.settled();
    now.at += 1000;
    rejecting.keep("other", EMPTY_VIEW, "", missing);
    expect(await count("other")).toBe(1);
  });

  it("drops what the store rejects, without an error to the caller, and continues", async () => {
    const { rejecting, metrics } = await open({
      run: () => Promise.reject(new Unavailable("The disk of the store is full")),
    });
    for (let n = 0; n < 3; n++) {
      rejecting.keep("shop", EMPTY_VIEW, "", missing);
      await rejecting.settled();
    }
    expect(metrics.counts.get("rejected_events_dropped")).toBe(3);
  });

  it("keeps nothing for errors that are not the event's fault", async () => {
    const { rejecting, count } = await open();
    const limit = { limit: 100, windowMs: 1000 };
    for (const error of [new Unavailable("busy"), new RateLimited(10, limit), new TypeError("a fault of ours")])
      rejecting.keep("shop", EMPTY_VIEW, "", error);
    expect(await count("shop")).toBe(0);
  });
});
