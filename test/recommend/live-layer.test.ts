import { describe, expect, it } from "vitest";
import type { ServingModel } from "../../src/learning/model/source.js";
import { createLiveLayer } from "../../src/recommend/live-layer.js";
import { countingMetrics } from "../fixtures/metrics.js";
import { oneNewProduct } from "../fixtures/one-new-product.js";

const MODEL: ServingModel = {
  modelId: "m1",
  productIds: ["p0"],
  indexOf: (productId) => (productId === "p0" ? 0 : undefined),
  sources: [],
  byPopularity: Uint32Array.of(0),
  popularity: Float32Array.of(1),
  placing: { dimensions: 1, place: () => Float32Array.of(1), direction: () => Float32Array.of(1) },
};
const APPS = ["a", "b", "c", "d", "e"];

describe("the layer of what is newer than the models", () => {
  /** Apps whose events the layer read in each of some refreshes, when reading one app's uses up the budget of a second. */
  const read = async (heavy: string, refreshes: number) => {
    let at = 0;
    let found: string[] = [];
    const never = () => Promise.reject(new Error("nothing else is read"));
    const layer = createLiveLayer({
      events: {
        list: async (appId) => {
          found.push(appId);
          if (appId === heavy) at += 30;
          return [];
        },
      },
      models: { activity: async () => `${at}` },
      visitors: { find: never },
      interactions: { recent: never },
      copies: { scan: never },
      now: () => at,
      monotonicNow: () => at,
      metrics: countingMetrics(),
      reportFailure: (_place, error) => {
        throw error;
      },
    });
    for (const appId of APPS) layer.of(appId, oneNewProduct(), MODEL);
    const all: string[][] = [];
    for (let n = 0; n < refreshes; n++) {
      at += 1000;
      found = [];
      await layer.refresh();
      all.push([...new Set(found)].sort());
    }
    return all;
  };

  it("reads all apps each time while the budget lasts", async () => {
    expect(await read("none", 3)).toEqual([APPS, APPS, APPS]);
  });

  it.each(APPS)("reads each app at least every other time when %s uses up the budget", async (heavy) => {
    const all = await read(heavy, 6);
    for (let n = 1; n < all.length; n++) expect([...new Set([...all[n - 1]!, ...all[n]!])].sort()).toEqual(APPS);
  });
});
