import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { open } from "lmdb";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { NewestCommit } from "../../../src/store/lmdb/newest-commit.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import { event, view } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

const COUNT = fileURLToPath(new URL("./children/count.ts", import.meta.url));
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

  it("can be opened to be read while others commit between two reads of its file", async () => {
    await putViews(0, 100);
    const root = open<Uint8Array, string>(directory, { encoding: "binary", keyEncoding: "binary" });
    onTestFinished(() => root.close());
    const table = root.openDB<Uint8Array, string>("leases", { encoding: "binary", keyEncoding: "binary" });
    const { head } = NewestCommit.prototype;
    const heads = vi.spyOn(NewestCommit.prototype, "head");
    onTestFinished(() => heads.mockRestore());
    heads.mockImplementationOnce(function (this: NewestCommit, file) {
      const found = head.call(this, file);
      for (let n = 0; n < 10; n++) table.putSync("shop", Buffer.of(n)); // each reuses pages of earlier commits
      return found;
    });
    const reader = await openEmbeddedStore({ directory, now: Date.now, readOnly: true });
    expect(heads).toHaveBeenCalled();
    await reader.close();
  });

  it("runs the works of several processes one after the other", async () => {
    const children = [1, 2].map(() => spawn(process.execPath, ["--import", "tsx", COUNT, directory, "400"]));
    const ended = Promise.all(children.map((child) => once(child, "close")));
    for (let n = 0; n < 200; n++) {
      await store.unitOfWork.run("shop", (tx) => {
        tx.visitorKeys.put("count", String(Number(tx.visitorKeys.get("count") ?? 0) + 1));
      });
    }
    expect((await ended).map(([code]) => code)).toEqual([0, 0]);
    expect(await store.unitOfWork.run("shop", (tx) => tx.visitorKeys.get("count"))).toBe("1000");
  });
});
