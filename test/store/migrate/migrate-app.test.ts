import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AlreadyExists, Conflict, InvalidArgument, NotFound } from "../../../src/domain/errors.js";
import { compareApp, isEqual, type MigrationDeps, migrateApp } from "../../../src/store/migrate/migrate-app.js";
import { COPIED_TABLES, type CopiedTable } from "../../../src/store/ports/copies.js";
import type { Store } from "../../../src/store/ports/store.js";
import { fillShop } from "../../contract/copies.js";
import { START } from "../../contract/open-store.js";
import {
  anyEvent,
  anyId,
  anyInteraction,
  anyProduct,
  app,
  event,
  model,
  pointer,
  visitor,
} from "../../contract/samples.js";
import { RUNS } from "../../fixtures/runs.js";
import { storeKinds } from "../../fixtures/stores.js";

const kinds = await storeKinds();
const now = () => START;
const pairs = kinds.flatMap((from) => kinds.map((to) => ({ from, to, name: `${from.name} to ${to.name}` })));

let runs = 0;
function migration(from: Store, to: Store, change: Partial<MigrationDeps> = {}): MigrationDeps {
  return { from, to, now, newId: () => `run${++runs}`, again: false, onProgress: () => undefined, ...change };
}

/** A shop with a model that serves and one of before. */
async function fullShop(store: Store): Promise<void> {
  await fillShop(store);
  for (const id of ["m1", "m2"]) {
    const bytes = Buffer.from(`bytes of ${id}`);
    await store.models.put("shop", model(id, bytes, { createdAt: Number(id.slice(1)) }), [bytes]);
  }
  await store.models.setPointer("shop", () => pointer("m2", "2026"));
}

async function everything(store: Store) {
  const tables = await Promise.all(COPIED_TABLES.map((table) => store.copies.scan("shop", table, "", 1000)));
  const models = await store.models.list("shop");
  const bytes = await Promise.all(models.map(({ modelId }) => store.models.read("shop", modelId)));
  return {
    app: await store.apps.get("shop"),
    tables,
    models: models.map((record) => ({ ...record, activity: "" })),
    bytes: bytes.map((each) => Buffer.concat(each ?? []).toString()),
    pointer: await store.models.pointer("shop"),
  };
}

describe.each(pairs)("an app copied from $name", ({ from: fromKind, to: toKind }) => {
  const open = async () => {
    const from = await fromKind.openStore(now);
    const to = await toKind.openStore(now);
    await fullShop(from);
    return { from, to };
  };

  it("equals the source, and the copy compared both", async () => {
    const { from, to } = await open();
    const report = await migrateApp(migration(from, to), "shop");
    expect(report).toMatchObject({ appId: "shop", outcome: "copied", wasDone: false, written: 38 });
    expect(report.tables.map(({ table }) => table)).toEqual(["apps", ...COPIED_TABLES, "models"]);
    expect(report.tables.every(isEqual)).toBe(true);
    expect(report.tables.find(({ table }) => table === "events")?.target.rows).toBe(3);
    expect(await everything(to)).toEqual(await everything(from));
  });

  it("is not visible before it is complete, and an interrupted copy continues", async () => {
    const { from, to } = await open();
    await from.unitOfWork.run("shop", (tx) => {
      for (let n = 0; n < 1200; n++) tx.events.put(`f${n}`, event(`f${n}`));
    });
    for (const table of COPIED_TABLES) {
      const onProgress: MigrationDeps["onProgress"] = (progress) => {
        if (progress.table === table) throw new Error("killed");
      };
      await expect(migrateApp(migration(from, to, { onProgress }), "shop")).rejects.toThrow("killed");
      expect(await to.apps.get("shop")).toBeUndefined();
      expect((await to.copies.mark("shop"))?.state).toBe("copying");
    }
    const first: string[] = [];
    const onProgress: MigrationDeps["onProgress"] = ({ stage, table }) =>
      void (stage === "copying" && first.push(table));
    const report = await migrateApp(migration(from, to, { onProgress }), "shop");
    expect(first[0]).toBe(COPIED_TABLES.at(-1));
    expect(report.outcome).toBe("copied");
    expect(await everything(to)).toEqual(await everything(from));
  });
});

/** The store as others write to it whenever a table of it begins to be read. */
function writtenWhileRead(store: Store, table: CopiedTable, write: () => Promise<void>): Store {
  const scan: Store["copies"]["scan"] = async (appId, read, after, limit) => {
    if (read === table && after === "") await write();
    return store.copies.scan(appId, read, after, limit);
  };
  return { ...store, copies: { ...store.copies, scan } };
}

const [kind] = kinds;

describe("copying an app", () => {
  const open = async () => {
    const [from, to] = [await kind!.openStore(now), await kind!.openStore(now)];
    await fullShop(from);
    return { from, to };
  };

  it("follows writes to the source, removals too", async () => {
    const { from, to } = await open();
    let isWritten = false;
    const written = writtenWhileRead(from, "orders", async () => {
      if (isWritten) return;
      isWritten = true;
      await from.unitOfWork.run("shop", (tx) => {
        tx.events.put("e0", event("e0"));
        tx.events.delete("e2");
        tx.visitors.put("v0", visitor("v0"));
        tx.deleteInteraction("v1", 1, "e1");
      });
    });
    const report = await migrateApp(migration(written, to), "shop");
    expect([isWritten, report.outcome]).toEqual([true, "copied"]);
    expect(await everything(to)).toEqual(await everything(from));
  });

  it("does not finish while the source is written, and finishes in a later run", async () => {
    const { from, to } = await open();
    let n = 0;
    const written = writtenWhileRead(from, "events", () =>
      from.unitOfWork.run("shop", (tx) => tx.events.put(`n${++n}`, event(`n${n}`))),
    );
    const report = await migrateApp(migration(written, to), "shop");
    expect(report.outcome).toBe("differs");
    expect(report.tables.filter((table) => !isEqual(table)).map(({ table }) => table)).toEqual(["events"]);
    expect(await to.apps.get("shop")).toBeUndefined();
    expect((await migrateApp(migration(from, to), "shop")).outcome).toBe("copied");
    expect(await everything(to)).toEqual(await everything(from));
  });

  it("is only compared by a later run once it has finished, unless it is requested again", async () => {
    const { from, to } = await open();
    await migrateApp(migration(from, to), "shop");
    expect(await migrateApp(migration(from, to), "shop")).toMatchObject({
      outcome: "equal",
      wasDone: true,
      written: 0,
    });
    await to.unitOfWork.run("shop", (tx) => tx.events.put("e9", event("e9")));
    expect(await migrateApp(migration(from, to), "shop")).toMatchObject({ outcome: "differs", wasDone: true });
    expect(await to.events.get("shop", "e9")).toEqual(event("e9"));
    expect(await migrateApp(migration(from, to, { again: true }), "shop")).toMatchObject({
      outcome: "copied",
      written: 1,
    });
    expect(await everything(to)).toEqual(await everything(from));
  });

  it("adds new models of the source and removes those that the source no longer has", async () => {
    const { from, to } = await open();
    await migrateApp(migration(from, to), "shop");
    const bytes = Buffer.from("third");
    await from.models.put("shop", model("m3", bytes, { createdAt: 3 }), [bytes]);
    await from.models.prune("shop", 1); // keeps m2, which serves
    await migrateApp(migration(from, to, { again: true }), "shop");
    expect((await to.models.list("shop")).map(({ modelId }) => modelId)).toEqual(["m3", "m2"]);
    expect(await everything(to)).toEqual(await everything(from));
  });

  it("leaves out expired idempotency keys", async () => {
    const { from, to } = await open();
    const old = { eventId: "e1", bodyHash: "h", claimedAt: START - 25 * 60 * 60 * 1000 };
    await from.unitOfWork.run("shop", (tx) => tx.idempotency.put("old", old));
    expect((await migrateApp(migration(from, to), "shop")).outcome).toBe("copied");
    expect(await to.copies.scan("shop", "idempotency", "", 9)).toHaveLength(1);
  });

  it("finds each table in which one row differs from the source", async () => {
    const { from, to } = await open();
    await migrateApp(migration(from, to), "shop");
    await to.copies.begin("shop", (mark) => mark && { ...mark, run: "tamper", state: "copying" });
    for (const table of COPIED_TABLES) {
      const [row] = await to.copies.scan("shop", table, "", 1);
      const batch = { table, puts: [], removals: [row!.key], upTo: "" };
      await to.copies.write("shop", "tamper", batch);
      const differing = (await compareApp(migration(from, to), "shop")).filter((each) => !isEqual(each));
      expect(differing.at(-1)?.table).toBe(table);
    }
  });

  it("finds a value that differs by one character", async () => {
    const { from, to } = await open();
    await migrateApp(migration(from, to), "shop");
    await to.unitOfWork.run("shop", (tx) => tx.events.put("e2", event("e2", { platform: "x" })));
    const differing = (await compareApp(migration(from, to), "shop")).filter((each) => !isEqual(each));
    expect(differing.map(({ table, source, target }) => [table, source.rows, target.rows])).toEqual([["events", 3, 3]]);
  });

  it("finds a model whose bytes differ", async () => {
    const { from, to } = await open();
    await migrateApp(migration(from, to), "shop");
    const bytes = Buffer.from("BYTES of m1");
    await to.models.put("shop", model("m1", bytes, { createdAt: 1 }), [bytes]);
    const differing = (await compareApp(migration(from, to), "shop")).filter((each) => !isEqual(each));
    expect(differing.map(({ table }) => table)).toEqual(["models"]);
  });

  it("is rejected where the target has an app of that name from elsewhere, and changes nothing there", async () => {
    const { from, to } = await open();
    await to.apps.create(app("shop", { displayName: "Another" }));
    await expect(migrateApp(migration(from, to, { again: true }), "shop")).rejects.toThrow(AlreadyExists);
    expect(await to.apps.get("shop")).toMatchObject({ displayName: "Another" });
    expect(await to.copies.mark("shop")).toBeUndefined();
  });

  it("is rejected where the target has a copy of another source, unless it is requested again", async () => {
    const { from, to } = await open();
    const other = await kind!.openStore(now);
    await fillShop(other);
    await migrateApp(migration(other, to), "shop");
    await expect(migrateApp(migration(from, to), "shop")).rejects.toThrow(Conflict);
    expect((await migrateApp(migration(from, to, { again: true }), "shop")).outcome).toBe("copied");
    expect(await everything(to)).toEqual(await everything(from));
  });

  it("is rejected from a store to itself, and for an app that the source does not have", async () => {
    const { from, to } = await open();
    await expect(migrateApp(migration(from, from), "shop")).rejects.toThrow(InvalidArgument);
    await expect(migrateApp(migration(from, to), "nobody")).rejects.toThrow(NotFound);
  });

  it("is given up by a run that another run has replaced", async () => {
    const { from, to } = await open();
    let isFollowed = false;
    const onProgress: MigrationDeps["onProgress"] = ({ table }) => {
      if (isFollowed || table !== "visitors") return;
      isFollowed = true;
      void to.copies.begin("shop", (mark) => mark && { ...mark, run: "another" });
    };
    await expect(migrateApp(migration(from, to, { onProgress }), "shop")).rejects.toThrow(Conflict);
    expect((await to.copies.mark("shop"))?.run).toBe("another");
  });
});

describe("random apps", () => {
  it("are the same after a copy from each kind of store to the other and back", { timeout: 60_000 }, async () => {
    const path = kinds.length > 1 ? [kinds[0]!, kinds[1]!, kinds[0]!] : [kinds[0]!, kinds[0]!];
    const shops = fc.record({
      events: fc.uniqueArray(anyEvent, { maxLength: 8, selector: ({ eventId }) => eventId }),
      products: fc.uniqueArray(anyProduct, { maxLength: 8, selector: ({ productId }) => productId }),
      rows: fc.array(fc.tuple(anyId, anyInteraction), { maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(shops, async ({ events, products, rows }) => {
        const stores: Store[] = [];
        for (const each of path) stores.push(await each.openStore(now));
        const first = stores[0]!;
        await first.apps.create(app("shop"));
        await first.unitOfWork.run("shop", (tx) => {
          for (const one of events) tx.events.put(one.eventId, one);
          for (const one of products) tx.products.put(one.productId, one);
          for (const [visitorId, row] of rows) tx.putInteraction(visitorId, row);
        });
        for (let n = 1; n < stores.length; n++) {
          const report = await migrateApp(migration(stores[n - 1]!, stores[n]!), "shop");
          expect(report.outcome).toBe("copied");
        }
        expect(await everything(stores.at(-1)!)).toEqual(await everything(first));
      }),
      { numRuns: RUNS.few },
    );
  });
});
