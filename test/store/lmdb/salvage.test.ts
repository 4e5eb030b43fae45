import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunSalvage, type SalvageProgress, salvageStore, salvageTables } from "../../../src/store/lmdb/salvage.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { verifyStore } from "../../../src/store/lmdb/verify.js";
import { app, contact, event, product, view, visitor } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

const EVENTS = 500;
const PAGE_BYTES = 4096;
/** In this process: nothing here makes LMDB end it. */
const run: RunSalvage = async (from, into, tasks) => {
  const states = new Map<number, SalvageProgress>();
  for await (const progress of salvageTables(from, into, tasks)) states.set(progress.task, progress);
  return [...states.values()];
};
const idOf = (n: number) => `e${String(n).padStart(6, "0")}`;

describe("the salvage of a damaged embedded store", () => {
  let root: string;
  let directory: string;
  let to: string;

  beforeEach(async () => {
    root = await makeDirectory();
    [directory, to] = [join(root, "store"), join(root, "rescued")];
    const store = await openEmbeddedStore({ directory, now: () => 5 });
    await store.apps.create(app("shop"));
    await store.unitOfWork.run("shop", (tx) => {
      for (let n = 0; n < EVENTS; n++) {
        tx.events.put(idOf(n), event(idOf(n), { platform: `event ${n} `.repeat(5) }));
        tx.putInteraction("v1", view(n, idOf(n)));
      }
      tx.visitors.put("v1", visitor("v1", { keys: ["c:1"] }));
      tx.visitorKeys.put("c:1", "v1");
      tx.contacts.put("k1", contact("k1", { email: "a@b.de", phone: "" }));
      tx.contactKeys.put("e:a@b.de", "k1");
      tx.products.put("p1", product("p1", { sku: "s1", description: "It is large. ".repeat(1000) }));
    });
    await store.close();
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  /** Changes the page whose leaf holds this text. */
  async function damage(text: string, change: (page: Buffer) => void): Promise<Buffer> {
    const path = join(directory, "data.mdb");
    const bytes = await readFile(path);
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
      const page = bytes.subarray(at - (at % PAGE_BYTES), at - (at % PAGE_BYTES) + PAGE_BYTES);
      if (page.readUInt16LE(18) === 2) change(page);
    }
    await writeFile(path, bytes);
    return bytes;
  }
  const eventsOf = async (path: string) => {
    const store = await openEmbeddedStore({ directory: path, now: () => 5, readOnly: true });
    try {
      return (await store.events.list("shop", "", EVENTS, false)).map(({ eventId }) => eventId);
    } finally {
      await store.close();
    }
  };

  it("returns everything in a sound one", async () => {
    expect(await salvageStore(directory, to, run)).toMatchObject({ lost: [], removed: 0 });
    expect(await verifyStore(to)).toMatchObject({
      faultCount: 0,
      entries: { events: EVENTS, products: 1, visitors: 1 },
    });
    expect(await eventsOf(to)).toHaveLength(EVENTS);
  });

  it("counts the entries that a damaged page hides, and returns the others", async () => {
    const damaged = await damage("event 250 event", (page) => page.writeUInt16LE(4, 20));
    const { lost } = await salvageStore(directory, to, run);
    const there = await eventsOf(to);
    expect(lost).toEqual([{ table: "events", count: EVENTS - there.length, parts: [] }]);
    expect(there.length).toBeGreaterThan(EVENTS - 60);
    expect((await verifyStore(to)).faultCount).toBe(0);
    expect(await readFile(join(directory, "data.mdb"))).toEqual(damaged);
  });

  it("reads on behind the place where LMDB ends the process, forwards one by one and then backwards", async () => {
    const asked: string[] = [];
    const ending: RunSalvage = async (from, into, tasks) => {
      const [first] = tasks;
      if (first?.table === "events") asked.push(`${first.reverse ? "back" : "on"} ${first.atOnce}`);
      if (first?.table === "events" && !first.reverse) return []; // it ends before anything was written
      const events = tasks.findIndex(({ table, reverse }) => table === "events" && !reverse);
      return run(from, into, events < 0 ? tasks : tasks.slice(0, events));
    };
    const { lost } = await salvageStore(directory, to, ending);
    expect(asked).toEqual(["on 1", "back 1000"]);
    expect(await eventsOf(to)).toHaveLength(EVENTS);
    expect(lost).toEqual([]);
  });

  it("returns everything but a damaged record, which it lists with those that refer to it", async () => {
    await damage("event 250 event", (page) => {
      page[page.indexOf("event 250 event")]! ^= 1;
    });
    const { lost, removed } = await salvageStore(directory, to, run);
    const parts = [{ appId: "shop", after: idOf(249), before: idOf(251) }];
    expect(lost).toEqual([{ table: "events", count: 1, parts }]);
    expect(removed).toBe(1);
    expect(await eventsOf(to)).toEqual(
      Array.from({ length: EVENTS }, (_, n) => idOf(n)).filter((id) => id !== idOf(250)),
    );
    expect((await verifyStore(to)).faultCount).toBe(0);
  });
});
