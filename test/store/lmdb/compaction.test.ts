import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { examineEmbedded } from "../../../src/store/lmdb/doctor.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { verifyStore } from "../../../src/store/lmdb/verify.js";
import type { Store } from "../../../src/store/ports/store.js";
import { fillShop } from "../../contract/copies.js";
import { event } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

const COMPACTED = "The file of the store was compacted: what was erased is in it no more";

describe("the data file of an embedded store after an erasure", () => {
  let directory: string;
  const lines: string[] = [];

  beforeEach(async () => {
    directory = await makeDirectory();
    lines.length = 0;
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const open = () => openEmbeddedStore({ directory, now: Date.now, log: (line) => lines.push(line) });
  const holds = (text: string) => readFileSync(join(directory, "data.mdb")).includes(text);

  /** A store with a shop, and in its file the bytes of events that were removed. */
  async function eraseSomething(store: Store): Promise<void> {
    await fillShop(store);
    const ids = Array.from({ length: 300 }, (_, n) => `gone${n}`);
    await store.unitOfWork.run("shop", (tx) => {
      for (const id of ids) tx.events.put(id, event(id, { searchQuery: `marker of ${id}` }));
    });
    await store.unitOfWork.run("shop", (tx) => {
      for (const id of ids) tx.events.delete(id);
    });
    await store.scrub("shop");
  }

  it("has lost the erased data, and nothing else, when it is opened again", async () => {
    const first = await open();
    await eraseSomething(first);
    await first.close();
    expect(holds("marker of gone")).toBe(true);
    const again = await open();
    onTestFinished(() => again.close());
    expect(lines).toEqual([COMPACTED]);
    expect(holds("marker of gone")).toBe(false);
    expect(existsSync(join(directory, "compacting"))).toBe(false);
    expect((await again.events.list("shop", "", 10, false)).map(({ eventId }) => eventId)).toEqual(["e1", "e2", "e3"]);
    expect((await again.contacts.find("shop", "e:a@b.de"))?.contactId).toBe("k1");
    await again.unitOfWork.run("shop", (tx) => tx.events.put("e4", event("e4")));
    expect(await again.events.get("shop", "e4")).toBeDefined();
  });

  it("is compacted once, and is sound", async () => {
    const first = await open();
    await eraseSomething(first);
    await first.close();
    expect((await examineEmbedded(directory, Date.now)).some(({ about }) => about === "erasure")).toBe(true);
    for (let n = 0; n < 2; n++) await (await open()).close();
    expect(lines).toEqual([COMPACTED]);
    expect((await examineEmbedded(directory, Date.now)).some(({ about }) => about === "erasure")).toBe(false);
    expect(await verifyStore(directory)).toMatchObject({ entries: { events: 3, contacts: 1, orders: 1 } });
  });

  it("is compacted again after a crash interrupted that", async () => {
    const first = await open();
    await eraseSomething(first);
    await first.close();
    await mkdir(join(directory, "compacting"));
    await writeFile(join(directory, "compacting/data.mdb"), "half of a file");
    await (await open()).close();
    expect(lines).toEqual([COMPACTED]);
    expect(holds("marker of gone")).toBe(false);
  });
});
