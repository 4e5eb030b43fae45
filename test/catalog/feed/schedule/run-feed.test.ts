import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { FeedFailure } from "../../../../src/catalog/feed/fetch-feed.js";
import { ErrorReason } from "../../../../src/gen/aisle/v1/error_reason_pb.js";
import { OperationKind, OperationState } from "../../../../src/gen/aisle/v1/operation_pb.js";
import { storeKinds } from "../../../fixtures/stores.js";
import { HOUR_MS, never, openShop } from "./feed-shop.js";

const stores = await storeKinds();

describe.each(stores)("a read that RunFeed asked for: $name", ({ openStore }) => {
  it("ends the operation with its result", async () => {
    const { set, read, feed, runNow, operation } = await openShop(openStore);
    await set();
    await read();
    const operationId = await runNow();
    expect(await runNow()).toBe(operationId); // it waits for the same read
    const waiting = await operation(operationId);
    expect(waiting).toMatchObject({ kind: OperationKind.RUN_FEED, state: OperationState.RUNNING });
    expect(waiting?.startTime).toBeUndefined();
    await read();
    const ended = await operation(operationId);
    expect(ended).toMatchObject({ state: OperationState.SUCCEEDED, progress: { doneShare: 1 } });
    expect(ended?.startTime).toBeDefined();
    expect(ended?.result).toEqual({ case: "feedRun", value: (await feed())?.lastRun });
  });

  it("is followed by another one for a RunFeed meanwhile, whose operation ends with that", async () => {
    const { set, read, host, runNow, operation } = await openShop(openStore);
    await set();
    const first = await runNow();
    let second = "";
    host.etag = '"a"';
    host.halfway = async () => {
      host.halfway = async () => {};
      second = await runNow();
    };
    await read();
    const states = async () => [(await operation(first))?.state, (await operation(second))?.state];
    expect(await states()).toEqual([OperationState.SUCCEEDED, OperationState.RUNNING]);
    await read();
    expect(await states()).toEqual([OperationState.SUCCEEDED, OperationState.SUCCEEDED]);
    expect(host.asked.map(({ etag }) => etag)).toEqual(["", ""]);
  });

  it("fails the operation when the feed cannot be read, and when it is removed", async () => {
    const { set, read, host, runNow, operation, catalog } = await openShop(openStore);
    await set();
    host.error = new FeedFailure("host_not_found");
    const unread = await runNow();
    await read();
    expect(await operation(unread)).toMatchObject({
      state: OperationState.FAILED,
      result: { case: "error", value: { code: Code.FailedPrecondition, reason: ErrorReason.FEED_FAILED } },
    });
    const removed = await runNow();
    await catalog.deleteFeed({ appId: "shop", feedId: "main" });
    expect(await operation(removed)).toMatchObject({
      state: OperationState.FAILED,
      result: { case: "error", value: { code: Code.NotFound, reason: ErrorReason.FEED_NOT_FOUND } },
    });
  });

  it("keeps its operation when the process stops or dies, until another one has read the feed", async () => {
    const { set, read, reader, host, now, runNow, operation, rpc } = await openShop(openStore);
    await set();
    const operationId = await runNow();
    const stop = new AbortController();
    host.halfway = async () => stop.abort();
    await read(stop.signal);
    host.halfway = () => new Promise(() => undefined);
    void reader()(never);
    await expect.poll(async () => host.asked.length).toBe(2);
    now.at += HOUR_MS;
    await rpc.operations.cancelOperation({ appId: "shop", operationId });
    expect(await operation(operationId)).toMatchObject({ state: OperationState.RUNNING });
    host.halfway = async () => {};
    await read();
    expect(await operation(operationId)).toMatchObject({ state: OperationState.SUCCEEDED });
  });
});
