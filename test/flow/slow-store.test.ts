import { setTimeout as pause } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it, onTestFinished } from "vitest";
import { load } from "../../bench/open-loop/load.js";
import { createFacade } from "../../src/facade/facade.js";
import { RecordEventsRequestSchema } from "../../src/gen/aisle/v1/event_service_pb.js";
import { RetryInfoSchema } from "../../src/gen/google/rpc/error_details_pb.js";
import type { ConcurrencyLimits } from "../../src/intake/admission.js";
import type { Store } from "../../src/store/ports/store.js";
import type { Transaction, UnitOfWork } from "../../src/store/ports/unit-of-work.js";
import { wireAisle } from "../fixtures/aisle.js";
import { emptyStore, testApp } from "../fixtures/store.js";

/** What a commit takes: about 50 works a second when they are many. */
const BASE_MS = 20;
const WORK_MS = 20;
const MAX_BATCH = 500;
const FAR = { answerMs: 750, historyMs: 375, settingsMs: 190 };

interface Waiting {
  /** Does the work; gives back whether it was done, and what tells its caller. */
  run(): Promise<{ readonly isDone: boolean; tell(): void }>;
}

/** A store with commits like those of a slow remote one: one after the other, each of all works that have gathered. */
function withSlowCommits(store: Store) {
  let isStopped = false;
  let goOn = () => {};
  let waiting: Waiting[] = [];
  let isCommitting = false;
  const commitAll = async () => {
    isCommitting = true;
    while (waiting.length > 0) {
      if (isStopped) await new Promise<void>((resolve) => (goOn = resolve));
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      const begunAt = performance.now();
      const outcomes = await Promise.all(batch.map((one) => one.run()));
      const done = outcomes.filter(({ isDone }) => isDone).length; // what nobody waits for any more costs nothing
      if (done > 0) await pause(BASE_MS + done * WORK_MS - (performance.now() - begunAt));
      for (const { tell } of outcomes) tell();
    }
    isCommitting = false;
  };
  const run = <T>(appId: string, work: (tx: Transaction) => T): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.push({
        async run() {
          try {
            const result = await store.unitOfWork.run(appId, work);
            return { isDone: true, tell: () => resolve(result) };
          } catch (error) {
            return { isDone: false, tell: () => reject(error) };
          }
        },
      });
      if (!isCommitting) void commitAll();
    });
  const unitOfWork: UnitOfWork = {
    run,
    runEach: (appId, works) => Promise.allSettled(works.map((work) => run(appId, work))),
  };
  return {
    store: { ...store, unitOfWork },
    stop() {
      isStopped = true;
    },
    goOn() {
      isStopped = false;
      goOn();
    },
  };
}

async function openFacade(inFlight?: ConcurrencyLimits) {
  const empty = await emptyStore();
  await empty.apps.create(testApp("shop"));
  const slow = withSlowCommits(empty);
  // A limit that a test gives is about the limit alone: nothing is late then.
  const remoteStore = inFlight === undefined ? FAR : { ...FAR, answerMs: 60_000 };
  const aisle = wireAisle(slow.store, { remoteStore, inFlight });
  const facade = createFacade({
    clients: aisle.clients,
    isFull: aisle.isFull,
    now: Date.now,
    newRequestId: () => "request",
    ready: async () => undefined,
    isStopping: () => false,
  });
  await facade.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    aisle.close();
    await facade.close();
  });
  const address = facade.server.address();
  return { aisle, slow, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}` };
}

const view = (n: number) => `app_id=shop&action_type=product_view&product_ids=p${n}&c_id=c${n}`;
const bodies = Array.from({ length: 200 }, (_, n) => view(n));

describe("a slow remote store", () => {
  it("goes on to store events at five times its rate, and refuses the rest before its sender gives up", async () => {
    const { url } = await openFacade();
    const trace = { url: `${url}/trace`, bodies };
    const best = await load({ ...trace, connections: 16, seconds: 3 });
    const rate = 5 * best.okPerSecond;
    // A refusal is held back for a while, so that many connections are needed for the rate. The limit settles in some rounds.
    const over = await load({ ...trace, connections: 300, rate, warmSeconds: 6, seconds: 5 });
    // Without the limit it is 0; on a busy machine the sender itself is late.
    expect(over.okPerSecond / best.okPerSecond).toBeGreaterThan(0.2);
    expect(over.refusedWithoutRetryAfter).toBe(0);
    expect(over.other.p50).toBeLessThan(5000);
  });

  it("has one limit for REST and RPC, and none for reads or bulk calls", async () => {
    const { aisle, url, slow } = await openFacade({ first: 1, least: 1, most: 1, targetMs: 500 });
    const post = () => fetch(`${url}/trace`, { method: "POST", body: new URLSearchParams(view(1)) });
    slow.stop();
    const first = post();
    await expect.poll(() => aisle.isFull()).toBe(true);
    expect((await post()).status).toBe(503);
    const event = { actionType: "product_view", visitor: { clientId: "c" }, products: [{ productId: "p" }] };
    const refused = await aisle.clients.events.recordEvent({ appId: "shop", event }).catch(ConnectError.from);
    expect(refused).toBeInstanceOf(ConnectError);
    if (!(refused instanceof ConnectError)) return;
    expect([refused.code, refused.findDetails(RetryInfoSchema)[0]?.retryDelay?.seconds]).toEqual([
      Code.Unavailable,
      1n,
    ]);
    const bulk = aisle.clients.events.recordEvents(
      (async function* () {
        yield create(RecordEventsRequestSchema, { appId: "shop", events: [event] });
      })(),
    );
    expect((await fetch(`${url}/subscription_status?app_id=shop&fpcid=0123456789abcdef`)).status).toBe(200);
    slow.goOn();
    expect((await first).status).toBe(200);
    expect((await bulk).accepted).toBe(1);
    expect((await post()).status).toBe(200);
  });

  it("stores live events during a bulk call at full speed", async () => {
    const { aisle, url } = await openFacade();
    let isOver = false;
    const event = { actionType: "product_view", visitor: { clientId: "bulk" }, products: [{ productId: "p" }] };
    const bulk = aisle.clients.events.recordEvents(
      (async function* () {
        while (!isOver)
          yield create(RecordEventsRequestSchema, { appId: "shop", events: Array.from({ length: 200 }, () => event) });
      })(),
    );
    const { statuses } = await load({
      url: `${url}/trace`,
      bodies,
      connections: 50,
      rate: 20,
      warmSeconds: 3,
      seconds: 5,
    });
    isOver = true;
    expect((statuses[200] ?? 0) / 100).toBeGreaterThanOrEqual(0.8); // without the steps 0.1
    expect((await bulk).accepted).toBeGreaterThan(100);
  });
});
