import { describe, expect, it } from "vitest";
import { NotFound, Unavailable } from "../../src/domain/errors.js";
import { createRecordEvent, createTakeEvent } from "../../src/intake/record-event.js";
import { createSenderLimit } from "../../src/intake/sender-limit.js";
import type { Transaction } from "../../src/store/ports/unit-of-work.js";
import { countingMetrics } from "../fixtures/metrics.js";
import { emptyStore, NOON, testApp, testIds } from "../fixtures/store.js";
import { draft, product } from "./intake-fixture.js";

/** A store whose works wait for their turn until they are let go, or are done at once and answered then. */
async function openSlow(answerMs: number, { isDoneAtOnce = false } = {}) {
  const store = await emptyStore();
  await store.apps.create(testApp("shop"));
  let letGo = () => {};
  const turn = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const works: Promise<unknown>[] = [];
  const run = <T>(appId: string, work: (tx: Transaction) => T): Promise<T> => {
    const done = isDoneAtOnce
      ? store.unitOfWork.run(appId, work).then((result) => turn.then(() => result))
      : turn.then(() => store.unitOfWork.run(appId, work));
    works.push(done);
    return done;
  };
  const metrics = countingMetrics();
  const recordEvent = createRecordEvent({
    apps: store.apps,
    unitOfWork: { run },
    take: createTakeEvent({
      identify: () => ({ visitor: undefined, contact: undefined, visitorChanged: false, notes: [] }),
      effects: [],
    }),
    rejectedEvents: { keep: () => undefined },
    senderLimit: createSenderLimit(() => 0),
    answerMs,
    now: () => NOON,
    newEventId: testIds(),
    metrics,
  });
  /** How many events are stored when all works had their turn. */
  const stored = async () => {
    letGo();
    await Promise.allSettled(works);
    return (await store.events.list("shop", "", 10, false)).length;
  };
  return { recordEvent, stored, letGo, counts: metrics.counts };
}

const view = draft("product_view", { products: [product("p1")] });

describe("an event on a slow store", () => {
  it("is rejected after its deadline, and not stored when its turn comes", async () => {
    const { recordEvent, stored } = await openSlow(20);
    await expect(recordEvent("shop", view, "", true)).rejects.toThrow(Unavailable);
    expect(await stored()).toBe(0);
  });

  it("counts as stored late when it is written after its rejection, and not as acknowledged", async () => {
    const { recordEvent, stored, counts } = await openSlow(20, { isDoneAtOnce: true });
    await expect(recordEvent("shop", view, "", true)).rejects.toThrow(Unavailable);
    expect(await stored()).toBe(1);
    expect(Object.fromEntries(counts)).toEqual({ events_stored_late: 1, shed: 1 });
  });

  it("waits for its turn when it is part of a batch", async () => {
    const { recordEvent, stored, letGo } = await openSlow(0);
    const recording = recordEvent("shop", view, "", false);
    letGo();
    expect((await recording).deduplicated).toBe(false);
    expect(await stored()).toBe(1);
  });

  it("gets its usual error when it is invalid", async () => {
    const { recordEvent } = await openSlow(20_000);
    await expect(recordEvent("other", view, "", true)).rejects.toThrow(NotFound);
  });
});
