import { once } from "node:events";
import { rm } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import { event, view } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

const READ = new URL("./children/read-in-thread.ts", import.meta.url);

/** What a thread runs first: a loader for TypeScript, then the script. */
const START = `import("tsx/esm/api").then(({ register }) => { register(); return import("${READ.href}"); });`;

describe("an embedded store in one directory", () => {
  let directory: string;
  let store: Store;

  beforeEach(async () => {
    directory = await makeDirectory();
    store = await openEmbeddedStore({ directory, now: Date.now });
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });

  const putViews = (from: number, to: number) =>
    store.unitOfWork.run("shop", (tx) => {
      for (let n = from; n < to; n++) tx.putInteraction(`v${n % 7}`, view(n));
    });

  async function openThread(): Promise<{ worker: Worker; read(): Promise<unknown> }> {
    const worker = new Worker(START, { eval: true, workerData: directory });
    const [opened]: unknown[] = await once(worker, "message");
    expect(opened).toBe("open");
    const read = async (): Promise<unknown> => {
      worker.postMessage("read");
      const [answer]: unknown[] = await once(worker, "message");
      return answer;
    };
    return { worker, read };
  }

  it("can be read by a thread while another writes", async () => {
    await putViews(0, 100);
    const { worker, read } = await openThread();
    expect(await read()).toEqual({ rows: 100, refused: true });
    for (let round = 1; round <= 20; round++) {
      await putViews(round * 100, (round + 1) * 100);
      const reading = read();
      await putViews(round * 100, (round + 1) * 100);
      expect(await reading).toEqual({ rows: (round + 1) * 100, refused: true });
    }
    worker.postMessage("close");
    await once(worker, "exit");
    await putViews(5000, 5100);
    expect(await store.interactions.recent("shop", ["v0"], 1)).toHaveLength(1);
  });

  it("keeps working when a reader thread is terminated", async () => {
    await putViews(0, 5000);
    for (let round = 0; round < 3; round++) {
      const { worker, read } = await openThread();
      void read().catch(() => undefined);
      await worker.terminate();
      await putViews(0, 100);
      await store.ready();
    }
    expect(await store.interactions.recent("shop", ["v0"], 1)).toHaveLength(1);
  });

  it("can be opened twice in one thread, and each sees the other's writes", async () => {
    const other = await openEmbeddedStore({ directory, now: Date.now });
    await store.unitOfWork.run("shop", (tx) => tx.events.put("e1", event("e1")));
    expect(await other.unitOfWork.run("shop", (tx) => tx.events.get("e1"))).toEqual(event("e1"));
    await other.unitOfWork.run("shop", (tx) => tx.events.put("e2", event("e2")));
    expect(await store.unitOfWork.run("shop", (tx) => tx.events.get("e2"))).toEqual(event("e2"));
    await other.close();
    expect(await store.events.get("shop", "e2")).toEqual(event("e2"));
    await store.unitOfWork.run("shop", (tx) => tx.events.put("e3", event("e3")));
  });
});
