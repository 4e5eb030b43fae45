import { describe, expect, it } from "vitest";
import { NotFound } from "../../../src/domain/errors.js";
import type { ModelRecord } from "../../../src/domain/model.js";
import { createModelRegistry } from "../../../src/learning/snapshot/registry.js";
import { emptyStore, NOON, testApp, testClock } from "../../fixtures/store.js";

const record = (modelId: string, createdAt: number): ModelRecord => ({
  modelId,
  createdAt,
  trainingMs: 1,
  sizeBytes: 1,
  manifest: { formatNumber: 1, cutOff: 0, seed: 0, dataCounts: {}, algorithms: [] },
  activity: "",
  reason: "requested",
});

async function registry() {
  const now = testClock();
  const store = await emptyStore(now);
  await store.apps.create(testApp("shop"));
  const make = () =>
    createModelRegistry({
      models: store.models,
      load: async (_modelId, bytes) => Buffer.concat(bytes).toString(),
      now,
      firstVersionOf: async () => "2026112110",
    });
  const models = make();
  const publish = (modelId: string, text: string) =>
    models.publish("shop", { ...record(modelId, now.at), sizeBytes: text.length }, [Buffer.from(text)]);
  return { now, store, models, publish, make };
}

describe("the model registry", () => {
  it("keeps the serving model when the lease of a newer one was taken over", async () => {
    const { now, store, models, publish } = await registry();
    await publish("m1", "one");
    const lost = await store.leases.acquire("shop", "stalled", 10);
    now.at += 11;
    await store.leases.acquire("shop", "another", 10);
    const late = models.publish("shop", { ...record("m2", now.at), sizeBytes: 3 }, [Buffer.from("two")], lost);
    await expect(late).rejects.toMatchObject({ kind: "aborted" });
    expect((await models.current("shop"))?.model).toBe("one");
    expect((await store.models.pointer("shop"))?.modelId).toBe("m1");
  });

  it("has no model before the first one", async () => {
    const { models } = await registry();
    expect(await models.current("shop")).toBeUndefined();
  });

  it("serves a published model with its hour as the version", async () => {
    const { models, publish } = await registry();
    await publish("m1", "one");
    expect(await models.current("shop")).toMatchObject({ model: "one", pointer: { version: "2026112112" } });
  });

  it("never gives a version twice: digits are appended within the hour", async () => {
    const { publish, now } = await registry();
    const versions = [];
    for (let n = 1; n <= 4; n++) {
      versions.push((await publish(`m${n}`, "x")).version);
      now.at += n === 2 ? 1000 : 0;
    }
    expect(versions).toEqual(["2026112112", "202611211200", "20261121120001", "20261121120001000"]);
  });

  it("rolls back to a kept model with a new version", async () => {
    const { models, publish, now } = await registry();
    await publish("m1", "one");
    now.at += 3600_000;
    await publish("m2", "two");
    now.at += 3600_000;
    const pointer = await models.activate("shop", "m1");
    expect(pointer.version).toBe("2026112114");
    expect((await models.current("shop"))?.model).toBe("one");
  });

  it("keeps three snapshots", async () => {
    const { store, publish, now } = await registry();
    for (const id of ["m1", "m2", "m3", "m4"]) {
      await publish(id, id);
      now.at += 1000;
    }
    expect((await store.models.list("shop")).map((one) => one.modelId)).toEqual(["m4", "m3", "m2"]);
  });

  it("rejects the activation of a model that is not kept", async () => {
    const { models } = await registry();
    await expect(models.activate("shop", "gone")).rejects.toEqual(new NotFound("model"));
  });

  it("serves another process's model about a second after its publication, and the old one until then", async () => {
    const { models, publish, make, now } = await registry();
    await publish("m1", "one");
    const other = make();
    expect((await other.current("shop"))?.model).toBe("one");
    now.at += 500;
    await publish("m2", "two");
    now.at += 1500;
    await other.current("shop"); // begins to look again
    await expect.poll(async () => (await other.current("shop"))?.model).toBe("two");
    expect((await models.current("shop"))?.model).toBe("two");
  });

  it("loads the model of an earlier run", async () => {
    const { publish, make } = await registry();
    await publish("m1", "one");
    expect(await make().current("shop")).toMatchObject({ model: "one", pointer: { activatedAt: NOON } });
  });

  it("loads another process's model without a request", async () => {
    const { models, publish, make } = await registry();
    await publish("m1", "one");
    const other = make();
    expect((await other.current("shop"))?.model).toBe("one");
    await publish("m2", "two");
    await other.lookAgain();
    // The clock stands still, so this question makes no look of its own.
    expect((await other.current("shop"))?.model).toBe("two");
    await models.activate("shop", "m1");
    await other.lookAgain();
    expect((await other.current("shop"))?.model).toBe("one");
  });
});
