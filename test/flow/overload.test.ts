import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { load } from "../../bench/open-loop/load.js";
import { createPrometheusMetrics } from "../../src/adapters/metrics/prometheus.js";
import { createFacade } from "../../src/facade/facade.js";
import { openEnvironment } from "../../src/store/lmdb/environment.js";
import { assembleStore, openEmbeddedStore } from "../../src/store/lmdb/store.js";
import type { WriterLimits } from "../../src/store/lmdb/writer-limits.js";
import { wireAisle } from "../fixtures/aisle.js";
import { temporaryDirectory } from "../fixtures/server.js";
import { testApp } from "../fixtures/store.js";

/** What a commit takes here at least, so that the store and not this machine says what can be taken. */
const COMMIT_MS = 20;
const MOST = 25;
/** So that nothing is given up on a machine that is busy otherwise. */
const PATIENT_MS = 60_000;

/** A facade over an embedded store whose commits are slow. */
async function openSlow(limits: Partial<WriterLimits>, admitted: number) {
  const directory = await temporaryDirectory();
  const environment = await openEnvironment(directory, false, () => undefined);
  const metrics = createPrometheusMetrics({ process: false });
  const transact: typeof environment.transact = async (body) => {
    await environment.transact(body);
    await pause(COMMIT_MS);
  };
  const options = { directory, now: Date.now, metrics, limits, onDamage: () => undefined };
  const store = await assembleStore({ ...environment, transact }, options);
  await store.apps.create(testApp("shop"));
  const inFlight = { first: admitted, least: admitted, most: admitted, targetMs: 500 };
  const aisle = wireAisle(store, { metrics, inFlight });
  const facade = createFacade({
    clients: aisle.clients,
    now: Date.now,
    newRequestId: () => "request",
    ready: () => store.ready(),
    isStopping: () => false,
    metrics,
    isFull: aisle.isFull,
  });
  await facade.listen({ host: "127.0.0.1", port: 0 });
  const close = async () => {
    aisle.close();
    await facade.close();
    await store.close();
  };
  let isOpen = true;
  onTestFinished(() => (isOpen ? close() : undefined));
  const address = facade.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    directory,
    url: `http://127.0.0.1:${port}/trace`,
    metrics,
    async reopened() {
      isOpen = false;
      await close();
      const again = await openEmbeddedStore({ directory, now: Date.now });
      onTestFinished(() => again.close());
      return again;
    },
  };
}

function shown(text: string, name: string): number {
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}

describe.each([
  ["the queue of the store", { maxWaiting: MOST }, 10_000, "queue_length"],
  ["the limit of events in flight", {}, MOST, "calls"],
] as const)("far more events than the server can store in %s", (_name, limits, admitted, reason) => {
  it("are each stored and answered 200, or refused with 503 and Retry-After, and the queue stays within its limit", async () => {
    const { directory, url, metrics, reopened } = await openSlow(limits, admitted);
    const waiting: number[] = [];
    const sampling = setInterval(
      () => void metrics.text().then((text) => waiting.push(shown(text, "aisle_store_queue_works"))),
      5,
    );
    const idsFile = join(directory, "ids");
    const bodies = Array.from(
      { length: 100 },
      (_, n) => `app_id=shop&action_type=product_view&product_ids=p${n}&c_id=c${n}`,
    );
    const { statuses, refusedWithoutRetryAfter, lost, timeouts, unsent } = await load({
      url,
      bodies,
      connections: 100,
      rate: 2500,
      seconds: 0.8,
      timeoutMs: PATIENT_MS,
      idsFile,
    });
    clearInterval(sampling);
    const answers = { ok: statuses[200] ?? 0, refused: statuses[503] ?? 0 };
    expect([Object.keys(statuses), refusedWithoutRetryAfter, lost, timeouts, unsent]).toEqual([
      ["200", "503"],
      0,
      0,
      0,
      0,
    ]);
    expect(answers.ok + answers.refused).toBe(2000);
    expect(Math.max(...waiting)).toBeLessThanOrEqual(MOST);
    const text = await metrics.text();
    expect(shown(text, `aisle_shed_total{reason="${reason}"}`)).toBe(answers.refused);
    expect(shown(text, "aisle_events_acknowledged_total")).toBe(answers.ok);

    const ids = (await readFile(idsFile, "utf8")).trimEnd().split("\n");
    const store = await reopened();
    const stored = await store.events.list("shop", "", 10_000, false);
    expect(new Set(stored.map(({ eventId }) => eventId))).toEqual(new Set(ids));
    expect(ids).toHaveLength(answers.ok);
  });
});
