import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { FeedFailure } from "../../../../src/catalog/feed/fetch-feed.js";
import { FeedFormat, FeedOutcome } from "../../../../src/gen/aisle/v1/feed_pb.js";
import { storeKinds } from "../../../fixtures/stores.js";
import { HOUR_MS, lines, never, openShop } from "./feed-shop.js";

const stores = await storeKinds();

describe.each(stores)("a scheduled feed: $name", ({ openStore }) => {
  it("is read at once, then when it is due, and hides products that it no longer lists", async () => {
    const { set, read, feed, shown, host, now } = await openShop(openStore);
    await set();
    await read();
    expect(await shown()).toEqual(["p1", "p2", "p3"]);
    host.text = lines(["p1", "p2"]);
    await read();
    expect(host.asked).toHaveLength(1);
    now.at += HOUR_MS;
    await read();
    expect(await shown()).toEqual(["p1", "p2"]);
    expect((await feed())?.lastRun).toMatchObject({
      outcome: FeedOutcome.IMPORTED,
      accepted: 2,
      hidden: 1,
      error: "",
    });
  });

  it("reports negative prices, and ids that come twice", async () => {
    const { set, read, feed, shown, host } = await openShop(openStore);
    host.text = "id,title,price\np1,One,1\np2,Two,-2\np1,One again,3\n";
    await set();
    await read();
    expect(await shown()).toEqual(["p1"]);
    expect((await feed())?.lastRun).toMatchObject({
      outcome: FeedOutcome.IMPORTED,
      rejects: [{ position: 3, productId: "p2", reason: "price: an amount below 0 is not accepted" }],
      error: "1 entries repeat an id, the first is entry 4; the last one of an id counts",
    });
  });

  it("hides more than half of the products only in the one read that is forced", async () => {
    const { set, read, feed, shown, host, now, catalog } = await openShop(openStore);
    await set();
    await read();
    host.text = lines(["p1"]);
    now.at += HOUR_MS;
    await read();
    expect((await feed())?.lastRun).toMatchObject({ outcome: FeedOutcome.FAILED, hidden: 0 });
    await catalog.runFeed({ appId: "shop", feedId: "main", force: true });
    await read();
    expect(await shown()).toEqual(["p1"]);
    host.text = lines(["p4"]);
    now.at += HOUR_MS;
    await read();
    expect((await feed())?.lastRun?.outcome).toBe(FeedOutcome.FAILED);
    expect(await shown()).toEqual(["p1", "p4"]);
  });

  it("is read again, forced, when that was asked for during a read", async () => {
    const { set, read, shown, host, now, catalog } = await openShop(openStore);
    await set();
    await read();
    host.text = lines(["p1"]);
    now.at += HOUR_MS;
    host.halfway = async () => {
      host.halfway = async () => {};
      await catalog.runFeed({ appId: "shop", feedId: "main", force: true });
    };
    await read();
    expect(await shown()).toEqual(["p1", "p2", "p3"]);
    await read();
    expect(await shown()).toEqual(["p1"]);
  });

  it("is skipped while its host reports no change, and read once a day all the same", async () => {
    const { set, read, feed, host, now } = await openShop(openStore);
    host.etag = '"a"';
    await set();
    await read();
    now.at += HOUR_MS;
    await read();
    expect((await feed())?.lastRun?.outcome).toBe(FeedOutcome.UNCHANGED);
    now.at += 24 * HOUR_MS;
    await read();
    expect((await feed())?.lastRun?.outcome).toBe(FeedOutcome.IMPORTED);
    expect(host.asked.map(({ etag }) => etag)).toEqual(["", '"a"', ""]);
  });

  it("is read again at once when asked for, also when it is unchanged", async () => {
    const { set, read, catalog, host } = await openShop(openStore);
    host.etag = '"a"';
    await set();
    await read();
    await catalog.runFeed({ appId: "shop", feedId: "main" });
    await read();
    expect(host.asked.map(({ etag }) => etag)).toEqual(["", ""]);
  });

  it("reports rejected items, and keeps such products as they are", async () => {
    const { set, read, feed, shown, host, now } = await openShop(openStore);
    await set();
    await read();
    host.text = `id,title,price\np1,T,1\n,none,2\np3,T,x\np2,T,3\n`;
    now.at += HOUR_MS;
    await read();
    expect((await feed())?.lastRun).toMatchObject({
      accepted: 2,
      rejected: 2,
      hidden: 0,
      rejects: [
        { position: 3, productId: "", reason: "id: missing" },
        { position: 4, productId: "p3" },
      ],
    });
    expect(await shown()).toEqual(["p1", "p2", "p3"]);
  });

  it("reports why a read failed, hides nothing, and is tried again when it is due", async () => {
    const { set, read, feed, shown, host, now, metrics, faults } = await openShop(openStore);
    await set();
    await read();
    const failures: [() => void, RegExp][] = [
      [() => (host.error = new FeedFailure("refused", 404)), /refused it \(status 404\)/],
      [() => (host.text = "<rss><channel><item><g:id>p1</g:id></item>"), /root element is not closed/],
      [() => (host.text = lines(["p1"])), /does not list 2 of the 3 products/],
      [() => (host.text = "name\nx\n"), /has no column id/],
    ];
    for (const [change, error] of failures) {
      host.error = undefined;
      change();
      now.at += HOUR_MS;
      await read();
      expect((await feed())?.lastRun).toMatchObject({
        outcome: FeedOutcome.FAILED,
        error: expect.stringMatching(error),
      });
    }
    expect(await shown()).toEqual(["p1", "p2", "p3"]);
    expect(faults).toEqual([]);
    expect(metrics.counts.get("feed_runs")).toBe(5);
  });

  it("is read by one of several processes", async () => {
    const { set, reader, host, now } = await openShop(openStore);
    await set();
    now.at += 1000;
    await Promise.all([reader()(never), reader()(never), reader()(never)]);
    expect(host.asked).toHaveLength(1);
  });

  it("is taken over from a killed process when its lease is over", async () => {
    const { set, read, reader, feed, host, now } = await openShop(openStore);
    await set();
    let begun = () => {};
    const hangs = new Promise<void>((resolve) => {
      begun = resolve;
    });
    host.halfway = () => {
      begun();
      return new Promise(() => {});
    };
    void reader()(never);
    await hangs;
    expect((await feed())?.running).toBe(true);
    host.halfway = async () => {};
    await read();
    expect(host.asked).toHaveLength(1);
    now.at += 121_000;
    await read();
    expect(host.asked).toHaveLength(2);
    expect(await feed()).toMatchObject({ running: false, lastRun: { outcome: FeedOutcome.IMPORTED } });
  });

  it("is released by a process that is stopped while it reads", async () => {
    const { set, read, feed, host } = await openShop(openStore);
    await set();
    const stop = new AbortController();
    host.halfway = async () => {
      stop.abort();
      throw new FeedFailure("timed_out");
    };
    await read(stop.signal);
    expect(await feed()).toMatchObject({ running: false });
    expect((await feed())?.lastRun).toBeUndefined();
    host.halfway = async () => {};
    await read();
    expect((await feed())?.lastRun?.outcome).toBe(FeedOutcome.IMPORTED);
  });

  it("stays removed or changed when that happened during a read", async () => {
    const { set, read, feed, host, catalog } = await openShop(openStore);
    await set();
    host.halfway = async () => void (await set({ url: "https://shop.example/other.csv" }));
    await read();
    expect(await feed()).toMatchObject({ url: "https://shop.example/other.csv" });
    expect((await feed())?.lastRun).toBeUndefined();
    host.halfway = async () => void (await catalog.deleteFeed({ appId: "shop", feedId: "main" }));
    await read();
    expect(await feed()).toBeUndefined();
  });
});

describe("the settings of a feed", () => {
  it.each<[string, object]>([
    ["feed.feed_id", { feedId: "a b" }],
    ["feed.url", { url: "http://shop.example/f" }],
    ["feed.url", { url: "https://user:secret@shop.example/f" }],
    ["feed.format, GOOGLE, CENEO, CSV, TSV, JSONL", { format: 99 }],
    ["feed.currency", { currency: "euro" }],
    ["feed.interval", { interval: durationFromMs(60_000) }],
    ["feed.interval", { interval: undefined }],
  ])("are rejected by the name %s", async (field, more) => {
    const { set, feed } = await openShop(stores[0]!.openStore);
    await expect(set(more)).rejects.toThrow(field);
    expect(await feed()).toBeUndefined();
  });

  it("have each of the formats, and none when the content decides", async () => {
    const { set, feed } = await openShop(stores[0]!.openStore);
    const { UNSPECIFIED, GOOGLE, CENEO, CSV, TSV, JSONL } = FeedFormat;
    for (const format of [GOOGLE, CENEO, CSV, TSV, JSONL, UNSPECIFIED]) {
      await set({ format });
      expect((await feed())?.format).toBe(format);
    }
  });

  it("exist for at most 20 feeds of an app", async () => {
    const { set } = await openShop(stores[0]!.openStore);
    for (let n = 0; n < 20; n++) await set({ feedId: `f${n}` });
    await set({ feedId: "f3" });
    await expect(set({ feedId: "f20" })).rejects.toThrow("at most 20");
  });
});
