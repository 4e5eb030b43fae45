import { createServer, type Http2Server } from "node:http2";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FeedFailure, type FetchFeed } from "../../src/catalog/feed/fetch-feed.js";
import { createReadFeeds } from "../../src/catalog/feed/schedule/read-feeds.js";
import { OperationState } from "../../src/gen/aisle/v1/operation_pb.js";
import { feedRunResult } from "../../src/services/feed-handlers.js";
import { openAisle } from "../fixtures/aisle.js";
import { runCommand } from "./run-command.js";

let aisle: Awaited<ReturnType<typeof openAisle>>;
let server: Http2Server;
let text: string | null;
beforeEach(async () => {
  text = "id,title\n1,Lamp\n,none\n";
  aisle = await openAisle();
  await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
  server = createServer(connectNodeAdapter({ routes: (router) => aisle.routes(router) }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.close();
});

const fetchFeed: FetchFeed = async () => {
  if (text === null) throw new FeedFailure("host_not_found");
  const bytes = Buffer.from(text);
  async function* chunks() {
    yield bytes;
  }
  return { version: { etag: "", lastModified: "" }, totalBytes: null, chunks: chunks(), close: () => {} };
};

/** Reads the feeds that are due. */
const readFeeds = async () => {
  aisle.now.at += 1000;
  const { store, clients, now, metrics } = aisle;
  const parts = { feeds: store.feeds, unitOfWork: store.unitOfWork, catalog: clients.catalog, fetchFeed };
  const read = createReadFeeds({
    ...parts,
    now,
    newId: () => "claim",
    metrics,
    resultOf: feedRunResult,
    report: () => {},
  });
  await read(new AbortController().signal);
};

const run = async (command: string, ...args: string[]) => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const all = ["feed", command, "--app", "shop", "--server", `http://127.0.0.1:${port}`, ...args];
  const timer = setInterval(() => command === "run" && !args.includes("--no-wait") && void readFeeds(), 20);
  return runCommand(all).finally(() => clearInterval(timer));
};
const URL = "https://shop.example/feed.csv";

describe("aisle feed", () => {
  it("sets a feed, reads it on request, lists the result and removes it", async () => {
    expect((await run("set", "--url", URL, "--every", "90m")).stdout).toBe(
      "Feed main of shop is imported every 90m, starting now\n",
    );
    expect((await run("list")).stdout).toMatch(/main +90m +https:\/\/shop\.example\/feed\.csv\n/);
    const { exitCode, stdout, stderr } = await run("run");
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^1 products imported, 1 rejected, 0 hidden, in [\d.]+ m?s\n$/),
    ]);
    expect(stderr).toBe("entry 3: id: missing\n");
    expect((await run("list")).stdout).toContain("1 products imported, 1 rejected");
    expect(JSON.parse((await run("list", "--json")).stdout)).toMatchObject({
      feedId: "main",
      everyMs: 5_400_000,
      lastRun: { outcome: "imported", accepted: 1, rejects: [{ position: 3, id: "", reason: "id: missing" }] },
    });
    expect((await run("remove")).stdout).toBe("Feed main of shop is removed\n");
    expect((await run("list")).stdout).toBe("The app has no feeds\n");
  });

  it("hides more than half of the products when forced", async () => {
    await run("set", "--url", URL, "--every", "1h", "--full");
    text = "id,title\n1,Lamp\n2,Tent\n3,Rope\n";
    await run("run");
    text = "id,title\n1,Lamp\n";
    expect((await run("run")).exitCode).toBe(1);
    expect((await run("run", "--force")).stdout).toMatch(
      /^1 products imported, 0 rejected, 2 hidden, in [\d.]+ m?s\n$/,
    );
  });

  it("prints the operation with --no-wait, which ends with the read", async () => {
    await run("set", "--url", URL, "--every", "1h");
    const { stdout } = await run("run", "--no-wait");
    const operationId = stdout.trim();
    const state = async () =>
      (await aisle.rpc.operations.getOperation({ appId: "shop", operationId })).operation?.state;
    expect(await state()).toBe(OperationState.RUNNING);
    await readFeeds();
    expect(await state()).toBe(OperationState.SUCCEEDED);
  });

  it("exits with 1 and the reason when the feed was not read", async () => {
    text = null;
    await run("set", "--url", URL, "--every", "1h", "--id", "other");
    const { exitCode, stderr } = await run("run", "--id", "other");
    expect([exitCode, stderr]).toEqual([1, "error: The feed was not read: its host is not found\n"]);
    expect((await run("list")).stdout).toContain("failed: The feed was not read");
  });

  it.each([
    [["--url", URL, "--every", "often"], "A time such as 15m"],
    [["--url", URL, "--every", "1m"], "feed.interval, 5 minutes to 30 days"],
    [["--url", "http://shop.example/f", "--every", "1h"], "feed.url, an https address"],
    [["--url", URL, "--every", "1h", "--format", "pdf"], "Allowed choices are google, ceneo, csv, tsv, jsonl"],
  ])("rejects %j", async (args, reason) => {
    const { exitCode, stderr } = await run("set", ...args);
    expect(exitCode).toBeGreaterThan(0);
    expect(stderr).toContain(reason);
  });

  it("reports that there is no such feed", async () => {
    expect((await run("run")).stderr).toContain("There is no such feed");
    expect((await run("remove")).exitCode).toBe(1);
  });
});
