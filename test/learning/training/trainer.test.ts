import { describe, expect, it } from "vitest";
import { Conflict, NotFound } from "../../../src/domain/errors.js";
import { startSchedule } from "../../../src/learning/training/schedule.js";
import { createTrainer, type RunTraining } from "../../../src/learning/training/trainer.js";
import { draft, intake, product } from "../../intake/intake-fixture.js";

const manifest = { formatNumber: 1, cutOff: 0, seed: 0, dataCounts: {}, algorithms: [] };

async function trainer(runTraining?: RunTraining) {
  const shop = await intake();
  const published: string[] = [];
  let n = 0;
  const it = createTrainer({
    apps: shop.store.apps,
    models: shop.store.models,
    leases: shop.store.leases,
    runTraining: runTraining ?? (async () => ({ manifest, bytes: [new Uint8Array(8)] })),
    publish: async (appId, record, bytes) => {
      published.push(`${appId} ${record.modelId}`);
      await shop.store.models.put(appId, record, bytes);
      return { modelId: record.modelId, version: "1", activatedAt: 0, usedVersions: [], isHeld: false };
    },
    now: shop.now,
    newModelId: () => `m${++n}`,
    newLeaseHolder: () => "this process",
  });
  const view = () => shop.record(draft("product_view", { products: [product("p1")] }));
  return { ...shop, trainer: it, published, view };
}

/** With events to learn from, and trainings that end when `finish` is called. */
async function slowTrainer() {
  let finish = () => {};
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const made = await trainer(async () => {
    await slow;
    return { manifest, bytes: [new Uint8Array(8)] };
  });
  await made.view();
  return { ...made, finish };
}

describe("the trainer", () => {
  it("rejects an unknown app, and one without products and events", async () => {
    const { trainer: it } = await trainer();
    await expect(it.train("nobody", () => undefined)).rejects.toEqual(new NotFound("app"));
    await expect(it.train("shop", () => undefined)).rejects.toMatchObject({ kind: "precondition" });
  });

  it("trains an app only once at a time", async () => {
    const { trainer: it, finish } = await slowTrainer();
    const first = it.train("shop", () => undefined);
    await expect(it.train("shop", () => undefined)).rejects.toBeInstanceOf(Conflict);
    finish();
    await expect(first).resolves.toMatchObject({ modelId: "m1" });
    await expect(it.train("shop", () => undefined)).resolves.toMatchObject({ modelId: "m2" });
  });

  it("lets one caller wait for the end of a training that nobody asked for, and refuses others at once", async () => {
    const { trainer: it, finish } = await slowTrainer();
    const unasked = it.trainIfPossible("shop", "data_grew", undefined);
    await expect(it.check("shop")).resolves.toBe(undefined);
    const first = it.train("shop", () => undefined);
    await expect(it.train("shop", () => undefined)).rejects.toMatchObject({ kind: "aborted" });
    await expect(it.check("shop")).rejects.toMatchObject({ kind: "aborted" });
    finish();
    await expect(unasked).resolves.toBe(true);
    await expect(first).resolves.toMatchObject({ modelId: "m2" });
  });

  it("leaves an app to the process that holds its lease, and trains it once the lease is released", async () => {
    const { trainer: it, view, store } = await trainer();
    await view();
    const lease = await store.leases.acquire("shop", "another process", 60_000);
    await expect(it.train("shop", () => undefined)).rejects.toMatchObject({ kind: "aborted" });
    if (lease !== undefined) await store.leases.release("shop", lease);
    await expect(it.train("shop", () => undefined)).resolves.toMatchObject({ modelId: "m1" });
  });

  it("records why it trained", async () => {
    const { trainer: it, view, store } = await trainer();
    await view();
    await it.trainIfPossible("shop", "data_grew", undefined);
    await it.train("shop", () => undefined);
    const reasons = (await store.models.list("shop")).map(({ modelId, reason }) => `${modelId} ${reason}`);
    expect(reasons.sort()).toEqual(["m1 data_grew", "m2 requested"]);
  });

  it("releases the lease when training fails", async () => {
    const { trainer: it, view, store } = await trainer(() => Promise.reject(new Error("training broke")));
    await view();
    await expect(it.train("shop", () => undefined)).rejects.toThrow("training broke");
    expect(await store.leases.acquire("shop", "another process", 1)).toBeDefined();
  });

  it("publishes nothing when training fails, and can train again", async () => {
    let fails = true;
    const {
      trainer: it,
      published,
      view,
    } = await trainer(async () => {
      if (fails) throw new Error("broken");
      return { manifest, bytes: [new Uint8Array(8)] };
    });
    await view();
    await expect(it.trainIfPossible("shop", "schedule", undefined)).rejects.toThrow("broken");
    expect(published).toEqual([]);
    fails = false;
    await expect(it.trainIfPossible("shop", "schedule", undefined)).resolves.toBe(true);
    expect(published).toEqual(["shop m1"]);
  });
});

describe("the training schedule", () => {
  it("runs again and again, also after a failure, and never twice at once", async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    let done = () => {};
    const three = new Promise<void>((resolve) => {
      done = resolve;
    });
    const errors: unknown[] = [];
    const schedule = startSchedule(
      1,
      async () => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
        if (++runs === 3) done();
        if (runs === 1) throw new Error("once");
      },
      (error) => errors.push(error),
    );
    await three;
    await schedule.stop();
    const after = runs;
    expect([most, errors.length]).toEqual([1, 1]);
    expect(after).toBe(3);
  });

  it("never runs when it is off", async () => {
    const schedule = startSchedule(
      0,
      async () => expect.fail("ran"),
      () => undefined,
    );
    await schedule.stop();
  });
});
