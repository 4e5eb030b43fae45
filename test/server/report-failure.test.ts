import { rm } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Metrics } from "../../src/adapters/metrics.js";
import { FAILURE_PLACES, type FailurePlace } from "../../src/adapters/report-failure.js";
import { createPreload } from "../../src/catalog/preload.js";
import { InvalidArgument } from "../../src/domain/errors.js";
import type { Operation } from "../../src/domain/operation.js";
import { createSeal } from "../../src/domain/secret-encryption.js";
import { createRejectedEvents } from "../../src/intake/rejected-events.js";
import type { ServingModel, Source, SourceQuery } from "../../src/learning/sources/source.js";
import { createOperations } from "../../src/operations/operations.js";
import { boughtTogether } from "../../src/recommend/arrange/two-lists.js";
import { explain } from "../../src/recommend/explain.js";
import { createCountedPopularity } from "../../src/recommend/gather/counted-popularity.js";
import { gather } from "../../src/recommend/gather/gather.js";
import { createLiveLayer } from "../../src/recommend/products/new-product-watch.js";
import { liveSimilar } from "../../src/recommend/rank/new-products.js";
import { createFrameResults } from "../../src/results/frame-results.js";
import { refreshLiveOften, replicaSenderLimit, sealSecrets } from "../../src/server/local-services.js";
import { createLog } from "../../src/server/log.js";
import { createReportFailure } from "../../src/server/report-failure.js";
import { openEnvironment } from "../../src/store/lmdb/environment.js";
import { assembleStore, type EmbeddedStoreOptions } from "../../src/store/lmdb/store.js";
import type { Store } from "../../src/store/ports/store.js";
import type { Transaction } from "../../src/store/ports/unit-of-work.js";
import { product } from "../contract/samples.js";
import { wireAisle } from "../fixtures/aisle.js";
import { bareProduct } from "../fixtures/bare-product.js";
import { oneNewProduct } from "../fixtures/one-new-product.js";
import { emptyStore, testApp, testClock, testIds } from "../fixtures/store.js";
import { draft } from "../intake/intake-fixture.js";
import { makeDirectory } from "../store/lmdb/open-embedded.js";

/** Reports to a log and metrics as the server has them. */
function openReport() {
  const lines: { readonly place: string; readonly error: string; readonly unlogged: number }[] = [];
  const counts = new Map<string, number>();
  const metrics: Metrics = {
    count: (name, labels) => {
      if (name === "failures_passed_over") counts.set(labels!.place!, (counts.get(labels!.place!) ?? 0) + 1);
    },
    observe: () => undefined,
  };
  const log = createLog("info", (line) => void lines.push(JSON.parse(line)));
  const clock = { at: 0 };
  const reportFailure = createReportFailure(log, metrics, () => clock.at);
  /** The place was counted and logged, with the stack of what was thrown here. */
  const expectTold = (place: FailurePlace) => {
    expect(counts.get(place)).toBeGreaterThan(0);
    const told = lines.filter((line) => line.place === place);
    expect(told).toHaveLength(1);
    expect(told[0]!.error).toMatch(/Error: broken\n {4}at .*report-failure\.test\.ts/);
  };
  return { reportFailure, metrics, lines, counts, clock, expectTold };
}

const broken = (): never => {
  throw new Error("broken");
};
const brokenLater = async (): Promise<never> => broken();
const NONE = new Uint32Array(0);
const QUERY: SourceQuery = {
  session: { items: NONE, weights: new Float32Array(0), runs: NONE },
  basket: NONE,
  antecedents: NONE,
  hasCart: false,
  anchor: NONE,
};
const MODEL: ServingModel = {
  modelId: "m1",
  productIds: ["p0"],
  indexOf: (productId) => (productId === "p0" ? 0 : undefined),
  sources: ["association_rules" as const, "semantic" as const].map(
    (name): Source => ({ name, complements: broken, alternatives: broken, explain: broken }),
  ),
  byPopularity: Uint32Array.of(0),
  popularity: Float32Array.of(1),
  placing: { dimensions: 1, place: () => Float32Array.of(1), direction: () => Float32Array.of(1) },
};
const WEIGHTS = { association_rules: 1, semantic: 1, collaborative: 0, cart: 0, popularity: 1 };

describe("a failure that only shortens an answer", () => {
  it("is logged once a minute for each place, with the number of repeats", () => {
    const { reportFailure, lines, counts, clock } = openReport();
    for (const at of [0, 1, 59_999, 60_000]) {
      clock.at = at;
      reportFailure("frame", new Error("broken"));
    }
    reportFailure("candidates", new Error("broken"));
    expect(lines.map(({ place, unlogged }) => [place, unlogged])).toEqual([
      ["frame", 0],
      ["frame", 2],
      ["candidates", 0],
    ]);
    expect(counts.get("frame")).toBe(4);
  });

  it("is logged with its whole stack, without quoted personal data", () => {
    const { reportFailure, lines } = openReport();
    const text = `no "Jane Doe" <jane@example.com> at +49 170 1234567 ${"x".repeat(10_000)}`;
    reportFailure("frame", new Error(text));
    expect(lines[0]!.error).not.toMatch(/Jane|jane|1234567/);
    expect(lines[0]!.error).toMatch(/\n {4}at .*report-failure\.test\.ts/);
  });

  const weights = { weights: WEIGHTS, by: "score" as const };
  const explained = {
    pinned: new Set<string>(),
    model: MODEL,
    query: QUERY,
    list: "alternative" as const,
    blended: undefined,
    weights: WEIGHTS,
    candidateCount: 10,
    narrowing: undefined,
    ready: undefined,
    boosts: undefined,
    explored: new Map(),
    live: new Map(),
    within: undefined,
  };
  type Report = ReturnType<typeof openReport>;

  /** What makes each place fail, and what is answered all the same. A commit and a watch can only fail on a MongoDB server. */
  const CASES: Readonly<Record<Exclude<FailurePlace, "store_commit" | "store_watch">, (report: Report) => unknown>> = {
    candidates: (report) => {
      const proposed = gather(MODEL, QUERY, "alternative", 10, report, weights);
      expect(proposed.map(({ source }) => source)).toEqual(["popularity"]);
    },
    explanation: ({ reportFailure }) => {
      const [reason] = explain([bareProduct("p0")], explained, reportFailure);
      expect(reason?.shares.map(({ source }) => source)).toEqual(["popularity"]);
    },
    bought_together: ({ reportFailure }) => {
      expect(boughtTogether(MODEL, QUERY, reportFailure)(0)).toBe(false);
    },
    new_products: ({ reportFailure }) => {
      const live = { size: 1, near: () => [{ productId: "new", score: 1 }], together: () => [], orderedWith: () => [] };
      const catalog = { get: () => undefined };
      const blended = { indices: Uint32Array.of(0), scores: Float64Array.of(1) };
      const question = { live, model: MODEL, asked: QUERY, catalog, passes: undefined, weights, reportFailure };
      expect([...liveSimilar(blended, [], 10, question).products]).toEqual([0]);
    },
    frame: async (report) => {
      await answered(report, (store) => ({ apps: { ...store.apps, getFrame: brokenLater } }));
    },
    visitor_history: async (report) => {
      await answered(report, (store) => ({ visitors: { ...store.visitors, find: brokenLater } }));
    },
    counted_popularity: async ({ reportFailure }) => {
      const counted = createCountedPopularity({ events: { list: brokenLater }, now: () => 0, reportFailure });
      expect(await counted.of("shop", oneNewProduct())).toBeUndefined();
    },
    live_events: async ({ reportFailure }) => {
      const catalog = oneNewProduct();
      const layer = createLiveLayer({ events: { list: brokenLater }, reportFailure });
      layer.of("shop", catalog, MODEL);
      await layer.refresh();
      expect(layer.of("shop", catalog, MODEL)?.size).toBe(1);
    },
    frame_counts: async ({ reportFailure, metrics }) => {
      const apps = { listFrames: brokenLater };
      const counts = createFrameResults({
        apps: { ...apps, list: brokenLater },
        visitors: { exposure: brokenLater },
        copies: { scan: brokenLater },
        unitOfWork: { run: brokenLater },
        now: () => 0,
        metrics,
        reportFailure,
      });
      const shown = {
        appId: "shop",
        frameId: "f",
        variant: "a",
        experimentAt: 1,
        visitorKeys: [],
        rotates: true,
        productIds: [],
        recommendationId: "",
        explored: [],
        variantGroupIds: [],
        usedAt: 0,
      };
      counts.shown({ ...shown, visitorKey: "fpcid:v" });
      await counts.flush();
    },
    rejected_events: async ({ reportFailure, metrics }) => {
      const now = testClock();
      const deps = { apps: { get: brokenLater }, unitOfWork: { run: brokenLater }, now, monotonicNow: now };
      const rejecting = createRejectedEvents({ ...deps, metrics, reportFailure });
      rejecting.keep("shop", draft("product_view"), "", new InvalidArgument("sku", "missing"));
      await rejecting.settled();
    },
    catalogue_load: async ({ reportFailure }) => {
      const load = createPreload({
        apps: { list: async () => [testApp("shop")] },
        views: { of: brokenLater, loaded: () => undefined },
        models: { current: async () => undefined },
        reportFailure,
      });
      await load(new AbortController().signal);
    },
    model_load: async ({ reportFailure }) => {
      const load = createPreload({
        apps: { list: async () => [testApp("shop")] },
        views: { of: brokenLater, loaded: () => undefined },
        models: { current: brokenLater },
        reportFailure,
      });
      await load(new AbortController().signal);
    },
    live_refresh: async ({ reportFailure }) => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const stop = refreshLiveOften({ refreshLive: brokenLater }, reportFailure);
      await vi.advanceTimersByTimeAsync(1000);
      stop();
    },
    sender_limit: async ({ reportFailure }) => {
      const { limit, stop } = replicaSenderLimit(
        { exchange: brokenLater, leave: brokenLater },
        testIds(),
        reportFailure,
      );
      expect(await limit("shop")).toMatchObject({ limit: 100 });
      await nextTurn();
      await stop();
    },
    store_upkeep: async ({ reportFailure }) => {
      const { environment, open } = await openParts();
      vi.spyOn(environment.tables.apps, "entries").mockImplementation(broken);
      const store = await open({ reportFailure });
      expect(await store.unitOfWork.run("shop", () => "done")).toBe("done");
    },
    product_listener: async ({ reportFailure }) => {
      const { open } = await openParts();
      const store = await open({ reportFailure });
      const told: unknown[] = [];
      store.products.watch("shop", broken);
      store.products.watch("shop", (changes) => told.push(...changes));
      await store.unitOfWork.run("shop", (tx) => tx.products.put("p1", product("p1")));
      expect(told).toEqual([{ put: product("p1") }]);
    },
    operations: async ({ reportFailure }) => {
      const { open } = await openParts();
      const store = await open({ reportFailure });
      vi.spyOn(store.copies, "scan").mockImplementation(brokenLater);
      const operations = createOperations({
        stored: store.operations,
        copies: store.copies,
        unitOfWork: store.unitOfWork,
        now: Date.now,
        newId: () => "o1",
        faultOf: () => ({ code: 13, message: "", reason: "" }),
        reportFailure,
      });
      await store.apps.create(testApp("shop"));
      const put = (appId: string, work: (tx: Transaction) => Operation) => store.unitOfWork.run(appId, work);
      await operations.begin("shop", "train_model", async () => "", put);
      await operations.settled();
    },
    secrets: async ({ reportFailure }) => {
      const { open } = await openParts();
      const store = await open({ reportFailure });
      vi.spyOn(store.hooks, "apps").mockImplementation(brokenLater);
      await sealSecrets(store, createSeal(undefined), { log: () => undefined, reportFailure });
    },
  };

  it.each(Object.entries(CASES))("is logged and counted: %s", async (name, fail) => {
    const report = openReport();
    await fail(report);
    report.expectTold(FAILURE_PLACES.find((place) => place === name)!);
  });
});

/** An embedded store whose tables a test can make fail before it opens the store over them. */
async function openParts() {
  const directory = await makeDirectory();
  const environment = await openEnvironment(directory, false, () => undefined);
  const open = async (options: Partial<EmbeddedStoreOptions>): Promise<Store> => {
    const store = await assembleStore(environment, { directory, now: Date.now, onDamage: () => undefined, ...options });
    onTestFinished(async () => {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    });
    return store;
  };
  return { environment, open };
}

/** Recommends for a known visitor over a store of which some part fails. */
async function answered(
  { reportFailure }: ReturnType<typeof openReport>,
  partsOf: (store: Store) => Partial<Store>,
): Promise<void> {
  const store = await emptyStore(Date.now);
  await store.apps.create(testApp("shop"));
  const aisle = wireAisle({ ...store, ...partsOf(store) }, { reportFailure });
  const answer = await aisle.clients.recommendations.recommend({ appId: "shop", visitor: { clientId: "v1" } });
  expect(answer.version).not.toBe("");
  aisle.close();
}
