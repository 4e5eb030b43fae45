import { ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { Unavailable } from "../../src/domain/errors.js";
import { ErrorInfoSchema, RetryInfoSchema } from "../../src/gen/google/rpc/error_details_pb.js";
import type { Store } from "../../src/store/ports/store.js";
import { openAisle, wireAisle } from "../fixtures/aisle.js";
import { countingMetrics } from "../fixtures/metrics.js";
import { storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();
const appId = "shop";
const requestId = "2d9b5c5e-0d1c-4b0a-9c55-1a2b3c4d5e6f";
/** A claim without a sign of life for this long has lost its process. */
const LOST_MS = 30_000;

/** A store that counts changes, and may fail to make them. */
function countedStore(store: Store) {
  const made = { pointers: 0, bulk: 0, failure: undefined as (() => Promise<never>) | undefined };
  const counted: Store = {
    ...store,
    unitOfWork: {
      run: (id, work) => store.unitOfWork.run(id, work),
      runEach: (id, works) => {
        made.bulk++;
        return made.failure?.() ?? store.unitOfWork.runEach(id, works);
      },
    },
    models: {
      ...store.models,
      setPointer: (id, move, lease) => {
        made.pointers++;
        return made.failure?.() ?? store.models.setPointer(id, move, lease);
      },
    },
  };
  return { counted, made };
}

describe.each(stores)("changes in several transactions with a request_id: $name", ({ openStore }) => {
  const open = async () => {
    const { rpc, store, now, trainer } = await openAisle(openStore);
    await rpc.apps.createApp({ app: { appId } });
    const events = Array.from({ length: 30 }, (_, n) => ({
      actionType: "product_view",
      visitor: { clientId: `v${n % 10}` },
      products: [{ productId: `p${n % 3}`, title: "One" }],
    }));
    await rpc.events.batchRecordEvents({ appId, events });
    const { modelId } = await trainer.train(appId, () => undefined);
    const { counted, made } = countedStore(store);
    const metrics = countingMetrics();
    /** Two servers over the store. */
    const [one, two] = [1, 2].map(() => wireAisle(counted, { now, monotonicNow: now, metrics }).clients);
    if (one === undefined || two === undefined) throw new Error("There are two servers");
    return { rpc, store, now, made, metrics, modelId, one, two };
  };
  type Shop = Awaited<ReturnType<typeof open>>;
  const activate = ({ modelId }: Shop, server: Shop["one"]) =>
    server.models.activateModel({ appId, modelId, requestId });

  it("of ActivateModel, SetModelHold and UpdateProducts calls at once, one is carried out", async () => {
    const shop = await open();
    const { one, two, made } = shop;
    const four = [one, two, one, two];
    const activated = await Promise.all(four.map((server) => activate(shop, server)));
    expect(made.pointers).toBe(1);
    expect(new Set(activated.map(({ model }) => model?.version)).size).toBe(1);

    const held = await Promise.all(four.map(({ models }) => models.setModelHold({ appId, held: true, requestId })));
    expect(made.pointers).toBe(2);
    expect(held.every(({ model }) => model?.held)).toBe(true);

    const updates = [{ product: { productId: "new", title: "New" }, allowMissing: true }];
    const updated = await Promise.all(four.map(({ catalog }) => catalog.updateProducts({ appId, updates, requestId })));
    expect(made.bulk).toBe(1);
    for (const answer of updated) expect(answer).toEqual(updated[0]);
  });

  it("of ReplayRejectedEvents calls at once, one is carried out", async () => {
    const { rpc, one, two, metrics } = await open();
    await rpc.events.recordEvent({ appId, event: { actionType: "product_view" } }).catch(() => undefined);
    const { rejectedEvents } = await rpc.events.listRejectedEvents({ appId });
    const rejectedEventIds = rejectedEvents.map(({ rejectedEventId }) => rejectedEventId);
    const request = { appId, rejectedEventIds, correctedEvent: { actionType: "other" }, requestId };
    const answers = await Promise.all([one, two, one, two].map(({ events }) => events.replayRejectedEvents(request)));
    expect(metrics.counts.get("events_acknowledged")).toBe(1);
    expect(answers[0]?.replayed).toMatchObject([{ deduplicated: false }]);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it("a retry takes over the claim of a process that died before its answer, and later ones get that answer", async () => {
    const shop = await open();
    const { one, two, made, now } = shop;
    made.failure = () => new Promise(() => undefined);
    void activate(shop, one); // never answered
    await expect.poll(() => made.pointers).toBe(1);
    made.failure = undefined;
    const retry = activate(shop, two);
    now.at += LOST_MS + 1;
    expect((await retry).model).toMatchObject({ modelId: shop.modelId, active: true });
    expect(made.pointers).toBe(2);
    expect(await activate(shop, one)).toEqual(await retry);
    expect(made.pointers).toBe(2);
  });

  it("a retry of a try that takes long is told to come again: it changes nothing", async () => {
    const shop = await open();
    const { one, two, made } = shop;
    let goOn = () => {};
    made.failure = () =>
      new Promise((_, reject) => {
        goOn = () => reject(new Unavailable("The store is away"));
      });
    const first = activate(shop, one);
    await expect.poll(() => made.pointers).toBe(1);
    const error = await activate(shop, two).catch((cause: unknown) => ConnectError.from(cause));
    if (!(error instanceof ConnectError)) throw new Error("The retry is refused");
    expect(error.findDetails(ErrorInfoSchema)[0]?.reason).toBe("REQUEST_RUNNING");
    expect(error.findDetails(RetryInfoSchema)).toHaveLength(1);
    expect(made.pointers).toBe(1);
    goOn();
    await expect(first).rejects.toThrow(/unavailable/);
  });

  it("a try that failed gives its claim back: a retry is carried out at once", async () => {
    const shop = await open();
    const { one, two, made } = shop;
    made.failure = () => Promise.reject(new Unavailable("The store is away"));
    await expect(activate(shop, one)).rejects.toThrow(/unavailable/);
    made.failure = undefined;
    expect((await activate(shop, two)).model?.active).toBe(true);
  });

  it("another request is refused while the one with its id is under way", async () => {
    const shop = await open();
    const { one, two, made } = shop;
    made.failure = () => new Promise(() => undefined);
    void activate(shop, one); // never answered
    await expect.poll(() => made.pointers).toBe(1);
    await expect(two.models.activateModel({ appId, modelId: "other", requestId })).rejects.toThrow(
      /invalid_argument.*request_id/,
    );
  });
});
