import { describe, expect, it } from "vitest";
import type { Event } from "../../../src/domain/event.js";
import type { ModelRecord } from "../../../src/domain/model.js";
import { createYoungApps } from "../../../src/learning/training/young-apps.js";
import { createUuids } from "../../../src/server/uuids.js";
import { NOON, testApp } from "../../fixtures/store.js";
import { draft, intake, product } from "../../intake/intake-fixture.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A shop with a clock that the test moves, and trainings that learn what is there. */
function youngShop() {
  let at = NOON;
  const newId = createUuids({ now: () => at, randomUuid: () => "00000000-0000-4002-8000-000000000000" });
  const events: Event[] = [];
  const models: ModelRecord[] = [];
  let interactions = 0;
  let products = 0;
  const activity = () => (interactions + products === 0 ? "" : `${interactions}/${products}`);
  const young = createYoungApps({
    apps: { list: async (after) => (after === "" ? [testApp("shop")] : []) },
    models: { activity: async () => activity(), list: async () => models },
    events: { list: async (_appId, from, limit) => events.filter(({ eventId }) => eventId > from).slice(0, limit) },
    productCounts: async () => ({ fed: products, learned: 0 }),
    trainIfPossible: async () => {
      const dataCounts = { products, interactions };
      const manifest = { formatNumber: 1, cutOff: 0, seed: 0, dataCounts, algorithms: [] };
      const facts = { createdAt: at, trainingMs: 0, sizeBytes: 0, activity: activity() };
      models.unshift({ modelId: `m${models.length}`, manifest, ...facts });
      return true;
    },
    now: () => at,
  });
  return {
    models,
    async look(afterMs: number) {
      at += afterMs;
      await young.trainGrown((_appId, error) => expect.fail(String(error)));
      return models.length;
    },
    async view(count: number) {
      const { event } = await recordedView();
      for (let n = 0; n < count; n++) events.push({ ...event, eventId: newId() });
      interactions += count;
    },
    feed(count: number) {
      products += count;
    },
  };
}

/** An event as intake stores it. */
async function recordedView() {
  const shop = await intake();
  const { eventId } = await shop.record(draft("product_view", { products: [product("p1")] }));
  const event = await shop.store.events.get("shop", eventId);
  if (event === undefined) throw new Error("The event was not stored");
  return { event };
}

describe("a young app", () => {
  it("is trained 30 s after an import of products ended, and not while it goes on", async () => {
    const { look, feed } = youngShop();
    expect(await look(0)).toBe(0);
    for (let n = 0; n < 5; n++) {
      feed(100);
      expect(await look(20 * SECOND)).toBe(0);
    }
    expect(await look(20 * SECOND)).toBe(0);
    expect(await look(20 * SECOND)).toBe(1);
    expect(await look(10 * MINUTE)).toBe(1);
  });

  it("is trained at its first thousand interactions although events keep coming", async () => {
    const { look, view } = youngShop();
    await view(950);
    expect(await look(5 * SECOND)).toBe(0);
    await view(50);
    expect(await look(5 * SECOND)).toBe(1);
  });

  it("is not trained on a few interactions without products", async () => {
    const { look, view } = youngShop();
    await view(50);
    expect([await look(0), await look(MINUTE), await look(MINUTE)]).toEqual([0, 0, 0]);
    await view(50);
    expect([await look(0), await look(MINUTE)]).toEqual([0, 1]);
  });

  it("is trained again when its interactions have doubled, at most every two minutes", async () => {
    const { look, view } = youngShop();
    await view(1000);
    expect(await look(5 * SECOND)).toBe(1);
    await view(1000);
    expect(await look(MINUTE)).toBe(1);
    expect(await look(MINUTE)).toBe(2);
    await view(1000);
    expect(await look(10 * MINUTE)).toBe(2);
    await view(1000);
    expect(await look(MINUTE)).toBe(3);
  });

  it("is trained again when its first orders follow the import of its products", async () => {
    const { look, feed, view } = youngShop();
    feed(10);
    expect([await look(0), await look(MINUTE)]).toEqual([0, 1]);
    await view(500);
    expect(await look(3 * MINUTE)).toBe(2);
  });

  it("is left to the schedule once a model knows 20,000 interactions", async () => {
    const { look, models, feed, view } = youngShop();
    feed(10);
    expect([await look(0), await look(MINUTE)]).toEqual([0, 1]);
    models[0] = { ...models[0]!, manifest: { ...models[0]!.manifest, dataCounts: { interactions: 20_000 } } };
    feed(1000);
    await view(50);
    expect([await look(10 * MINUTE), await look(10 * MINUTE)]).toEqual([1, 1]);
  });
});
