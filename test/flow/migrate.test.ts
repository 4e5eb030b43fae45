import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { bareApp } from "../../src/domain/app.js";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { verifyStore } from "../../src/store/lmdb/verify.js";
import { migrateApp } from "../../src/store/migrate/migrate-app.js";
import { openMongoStore } from "../../src/store/mongo/store.js";
import { COPIED_TABLES } from "../../src/store/ports/copies.js";
import type { Store } from "../../src/store/ports/store.js";
import { fillShop } from "../contract/copies.js";
import { event, model, pointer } from "../contract/samples.js";
import { openAisle } from "../fixtures/aisle.js";
import { mongoBehindProxy, openMongoPeer } from "../fixtures/mongo-peer.js";
import { AISLE, runAisle, temporaryDirectory } from "../fixtures/server.js";
import { makeShop } from "../fixtures/small-shop.js";
import { storeKinds } from "../fixtures/stores.js";
import { databaseName, PATIENT } from "../store/mongo/open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer.stop());
const kinds = await storeKinds();

const EVENTS = 2000;

async function readAll(store: Store) {
  const tables = await Promise.all(COPIED_TABLES.map((table) => store.copies.scan("shop", table, "", EVENTS + 10)));
  const bytes = await store.models.read("shop", "m1");
  const pointed = await store.models.pointer("shop");
  return { app: await store.apps.get("shop"), tables, bytes: Buffer.concat(bytes ?? []).toString(), pointed };
}

/** Opens a store for reading, reads and closes it. */
async function contentOf(open: () => Promise<Store>) {
  const store = await open();
  try {
    return await readAll(store);
  } finally {
    await store.close();
  }
}

describe(`aisle migrate: ${peer.name}`, () => {
  const now = Date.now;
  const embedded = (directory: string) => () => openEmbeddedStore({ directory, now, readOnly: true });
  const mongo = (url: string) => () => openMongoStore({ url, now, readOnly: true, limits: PATIENT });

  /** An embedded store with a shop, and the address of an empty database. */
  const open = async () => {
    const directory = join(await temporaryDirectory(), "source");
    const store = await openEmbeddedStore({ directory, now });
    await fillShop(store, "shop", now());
    for (let from = 0; from < EVENTS; from += 1000) {
      await store.unitOfWork.run("shop", (tx) => {
        for (let n = from; n < from + 1000; n++) tx.events.put(`f${n}`, event(`f${n}`, { platform: `Event ${n}` }));
      });
    }
    const bytes = Buffer.from("bytes");
    await store.models.put("shop", model("m1", bytes), [bytes]);
    await store.models.setPointer("shop", () => pointer("m1", "1"));
    await store.close();
    const database = databaseName();
    onTestFinished(() => peer.drop(database));
    return { directory, url: peer.url(database) };
  };

  it("copies an app to a database and on to another directory, which is sound and equal", {
    timeout: 90_000,
  }, async () => {
    const { directory, url } = await open();
    const there = await runAisle(["migrate", "--from", `embedded:${directory}`, "--to", url]);
    expect([there.code, there.stderr]).toEqual([0, expect.not.stringContaining("error")]);
    expect(there.stdout).toMatch(/^App shop is copied, [\d,]+ rows written; source and target are equal$/m);
    expect(there.stdout).toMatch(/^ {2}events +2,003 +2,003 +[0-9a-f]{12}$/m);
    expect(there.stdout + there.stderr).not.toContain(url);
    const back = join(await temporaryDirectory(), "back");
    const andBack = await runAisle(["migrate", "--from", url, "--to", `embedded:${back}`, "--app", "shop", "--json"]);
    expect(andBack.code).toBe(0);
    expect(JSON.parse(andBack.stdout)).toMatchObject({ equal: true, apps: [{ appId: "shop", outcome: "copied" }] });
    const content = await contentOf(embedded(directory));
    expect(await contentOf(mongo(url))).toEqual(content);
    expect(await contentOf(embedded(back))).toEqual(content);
    expect(await verifyStore(back)).toMatchObject({ faultCount: 0 });
    const checked = await runAisle([
      "migrate",
      "--from",
      `embedded:${directory}`,
      "--to",
      `embedded:${back}`,
      "--check",
    ]);
    expect([checked.code, checked.stdout]).toEqual([
      0,
      expect.stringContaining("App shop: source and target are equal\n"),
    ]);
  });

  it("continues when it is run again after a kill", { timeout: 300_000 }, async () => {
    const { directory, url } = await open();
    // Slow enough for the test to see each place of the copy.
    const slow = await mongoBehindProxy(peer, url.slice(url.lastIndexOf("/") + 1).replace(/\?.*/, ""));
    onTestFinished(() => slow.proxy.close());
    slow.proxy.delay(5);
    const args = ["migrate", "--from", `embedded:${directory}`, "--to", slow.url];
    const target = await openMongoStore({ url, now, limits: PATIENT });
    onTestFinished(() => target.close());
    let before = "";
    for (let round = 0; round < 3; round++) {
      const child = spawn(process.execPath, [AISLE, ...args], { stdio: "ignore" });
      const ended = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
      const place = async () => {
        const mark = await target.copies.mark("shop");
        return mark === undefined || mark.state === "done" ? "" : `${mark.table} ${mark.upTo}`;
      };
      const isPast = (at: string) => at !== "" && at !== " " && at !== before;
      // A transaction that the killed process left open may hold the copy up until the database ends it.
      await expect.poll(place, { timeout: 90_000, interval: 5 }).toSatisfy(isPast);
      before = await place();
      child.kill("SIGKILL");
      expect(await ended).toBe("SIGKILL");
      expect(await target.apps.get("shop")).toBeUndefined();
    }
    const last = await runAisle(args);
    expect([last.code, last.stderr]).toEqual([0, expect.not.stringContaining("error")]);
    expect(await readAll(target)).toEqual(await contentOf(embedded(directory)));
  });

  it("exits with 1 and changes nothing when the target has that app, or is the source", async () => {
    const { directory, url } = await open();
    const target = await openMongoStore({ url, now, limits: PATIENT });
    onTestFinished(() => target.close());
    await target.apps.create(bareApp("shop", 1));
    const taken = await runAisle(["migrate", "--from", `embedded:${directory}`, "--to", url]);
    expect(taken.code).toBe(1);
    expect(taken.stderr).toMatch(/^error: App shop: The target already has an app with this id that is not a copy$/m);
    expect(await target.events.list("shop", "", 5, false)).toEqual([]);
    const same = await runAisle(["migrate", "--from", `embedded:${directory}`, "--to", `embedded:${directory}`]);
    expect([same.code, same.stderr]).toEqual([2, "error: --to (AISLE_MIGRATE_TO): must differ from --from\n"]);
  });

  it("shows no password, whatever fails", { timeout: 60_000 }, async () => {
    const { directory } = await open();
    for (const to of ["mongodb://ann:s3cret@127.0.0.1:1/aisle", "mongodb://ann:s3cret@[/x", "s3cret"]) {
      const { code, stdout, stderr } = await runAisle(["migrate", "--from", `embedded:${directory}`, "--to", to]);
      expect(code).toBeGreaterThan(0);
      expect(stderr).toMatch(/^error: --to \(AISLE_MIGRATE_TO\): [^\n]+\n$/);
      expect(stdout + stderr).not.toContain("s3cret");
    }
  });
});

describe.each(kinds.map((to) => ({ to, name: to.name })))("a shop copied to $name", ({ to }) => {
  it("answers as before with its model, and is trained again within a day", async () => {
    const before = await openAisle();
    await makeShop(before.rpc, "shop");
    await before.trainer.train("shop", () => undefined);
    const after = await openAisle(to.openStore);
    const deps = { from: before.store, to: after.store, now: before.now, newId: () => "run", again: false };
    const report = await migrateApp({ ...deps, onProgress: () => undefined }, "shop");
    expect(report.outcome).toBe("copied");
    const ask = { appId: "shop", currentProductIds: "p0", cId: "c0", productInteractions: [] };
    const answer = await before.recommend(ask);
    expect(answer.recommended).not.toEqual([]);
    expect(await after.recommend(ask)).toEqual(answer);
    after.now.at += 86_400_000;
    await after.automaticTraining.trainDue("auto", (_, error) => expect.unreachable(String(error)));
    expect(await after.store.models.list("shop")).toHaveLength(2);
  });
});
