import { describe, expect, it } from "vitest";
import { Conflict } from "../../src/domain/errors.js";
import { OPERATION_KEPT_MS, type Operation } from "../../src/domain/operation.js";
import type { LiveWork } from "../../src/operations/live-operation.js";
import { createOperations } from "../../src/operations/operations.js";
import type { Transaction } from "../../src/store/ports/unit-of-work.js";
import { testApp, testClock, testIds } from "../fixtures/store.js";
import { storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();
const never = new AbortController().signal;

describe.each(stores)("operations: $name", ({ openStore }) => {
  const open = async () => {
    const now = testClock();
    const store = await openStore(now);
    await store.apps.create(testApp("shop"));
    const newId = testIds();
    /** Of one process. */
    const process = () =>
      createOperations({
        stored: store.operations,
        copies: store.copies,
        unitOfWork: store.unitOfWork,
        now,
        newId,
        faultOf: (error) => ({ code: 2, message: error instanceof Error ? error.message : "", reason: "" }),
        reportFailure: (_, error) => {
          throw error;
        },
      });
    const put = (appId: string, work: (tx: Transaction) => Operation) => store.unitOfWork.run(appId, work);
    const begin = (run: LiveWork, at = process()) => at.begin("shop", "train_model", run, put);
    return { store, now, process, begin, put };
  };

  /** A work that goes on until it is told to end. */
  const slowWork = () => {
    let end = (_result: string) => {};
    let fail = (_error: unknown) => {};
    const run: LiveWork = (onProgress, signal) =>
      new Promise((resolve, reject) => {
        end = resolve;
        fail = reject;
        signal.addEventListener("abort", () => reject(signal.reason));
        onProgress({ stage: "read", share: 0.1 });
      });
    return { run, end: (result: string) => end(result), fail: (error: unknown) => fail(error) };
  };

  it("are answered by every process, with their result at the end", async () => {
    const { process, begin } = await open();
    const [one, two] = [process(), process()];
    const work = slowWork();
    const { operationId, state, stage } = await begin(work.run, one);
    expect([state, stage]).toEqual(["running", "read"]);
    expect(await two.get("shop", operationId)).toMatchObject({ state: "running", kind: "train_model" });
    const waiting = two.wait("shop", operationId, 60_000, never);
    work.end("done");
    expect(await waiting).toMatchObject({ state: "succeeded", share: 1, result: "done" });
    expect(await one.get("shop", operationId)).toMatchObject({ state: "succeeded" });
  });

  it("that are refused before their first progress leave nothing", async () => {
    const { process, begin } = await open();
    const refused = async () => {
      throw new Conflict("training_running", "under way");
    };
    await expect(begin(refused)).rejects.toThrow("under way");
    expect(await process().list("shop", "", 10)).toEqual([]);
  });

  it("that fail tell why, newest first in the list", async () => {
    const { process, begin } = await open();
    const one = process();
    for (const text of ["first", "second"]) {
      const work = slowWork();
      await begin(work.run, one);
      work.fail(new Error(text));
      await one.settled();
    }
    const faults = (await process().list("shop", "", 10)).map(({ state, fault }) => [state, fault?.message]);
    expect(faults).toEqual([
      ["failed", "second"],
      ["failed", "first"],
    ]);
  });

  it("stop when any process cancels them", async () => {
    const { process, begin } = await open();
    const two = process();
    const { operationId } = await begin(slowWork().run);
    await two.cancel("shop", operationId);
    const ended = await two.wait("shop", operationId, 20_000, never);
    expect(ended).toMatchObject({ state: "cancelled", fault: null });
    expect(await two.cancel("shop", operationId)).toMatchObject({ state: "cancelled" });
  });

  it("tell each change to whoever watches, and end the stream with their end", async () => {
    const { process, begin } = await open();
    const one = process();
    const work = slowWork();
    const { operationId } = await begin(work.run, one);
    const seen: string[] = [];
    setTimeout(() => work.end(""), 50);
    for await (const { state } of one.watch("shop", operationId, never)) seen.push(state);
    expect(seen).toEqual(["running", "succeeded"]);
  });

  it("without a sign of life for 30 seconds have failed", async () => {
    const { store, now, process, begin } = await open();
    const work = slowWork();
    const one = process();
    const { operationId } = await begin(work.run, one);
    const lost = (await store.operations.get("shop", operationId))!;
    const other: Operation = { ...lost, operationId: "ffffffff", workedAt: now.at };
    await store.unitOfWork.run("shop", (tx) => tx.operations.put(other.operationId, other));
    now.at += 31_000;
    expect(await process().get("shop", "ffffffff")).toMatchObject({ state: "failed", fault: { code: 10 } });
    expect(await store.operations.get("shop", "ffffffff")).toMatchObject({ state: "failed", endedAt: now.at });
    work.end("");
    await one.settled();
  });

  it("of a deleted app stop", async () => {
    const { store, process, begin } = await open();
    const one = process();
    await begin(slowWork().run, one);
    await store.apps.delete("shop");
    await one.settled();
    expect(await process().list("shop", "", 10)).toEqual([]);
  });

  it("are kept for 30 days after their end", async () => {
    const { store, now, process, begin } = await open();
    const one = process();
    const { operationId } = await begin(async () => "old", one);
    await one.settled();
    now.at += OPERATION_KEPT_MS + 1;
    await begin(async () => "new", one);
    await one.settled();
    await expect.poll(() => store.operations.get("shop", operationId)).toBeUndefined();
    expect(await one.list("shop", "", 10)).toHaveLength(1);
  });
});
