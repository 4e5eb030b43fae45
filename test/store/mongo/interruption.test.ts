import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Collection } from "mongodb";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { Applier } from "../../../src/store/mongo/apply-commit.js";
import { Commits, encodeRedo } from "../../../src/store/mongo/commits.js";
import { connect } from "../../../src/store/mongo/connection.js";
import { keyOf } from "../../../src/store/mongo/keys.js";
import type { Write } from "../../../src/store/mongo/staged-tables.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import { WRITER_LIMITS } from "../../../src/store/mongo/writer.js";
import { NO_PEER, openMongoPeer } from "../../fixtures/mongo-peer.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const WRITE = fileURLToPath(new URL("./children/write.ts", import.meta.url));

const peer = await openMongoPeer();
afterAll(() => peer?.stop());

/** A store, and the means by which another server would have committed to the same database. */
async function storeAndAnother(leftMs = 30) {
  const database = databaseName();
  const url = peer!.url(database);
  const store = await openMongoStore({ url, now: () => 1000, limits: { ...PATIENT, leftMs } });
  const { connection } = await connect(url, PATIENT.answerMs, () => undefined);
  const applier = new Applier(connection, () => 1000);
  onTestFinished(async () => {
    await store.close();
    await connection.client.close();
    await peer!.drop(database);
  });
  return { store, url, commits: new Commits(connection, applier), applier };
}

function redoOf(writes: readonly Write[]): Uint8Array {
  const redo = encodeRedo(writes);
  if (redo === undefined) throw new Error("too much for one commit");
  return redo;
}

/** What a commit of the other server writes: two keys that belong together. */
function pair(value: string | undefined): Write[] {
  return ["a", "b"].map((key) => ({
    table: "visitorKeys",
    key: keyOf("shop", key),
    stored: value,
    known: false,
  }));
}

describe.skipIf(peer === undefined)(`interrupted commits: ${peer?.name ?? NO_PEER}`, () => {
  const begun = async (rev: number, writes: readonly Write[]) => {
    const opened = await storeAndAnother();
    const { store, commits } = opened;
    await store.unitOfWork.run("shop", (tx) => {
      tx.visitorKeys.put("a", "old");
      tx.visitorKeys.put("b", "old");
    });
    expect(await commits.begin("shop", rev, "another:1", redoOf(writes))).toBe(true);
    const read = () =>
      store.unitOfWork.run("shop", (tx) => ["a", "b", "c"].map((key) => tx.visitorKeys.get(key) ?? "none"));
    const write = () => store.unitOfWork.run("shop", (tx) => tx.visitorKeys.put("c", `${tx.visitorKeys.get("a")}!`));
    return { ...opened, read, write };
  };

  it("one that was begun is finished by the next work of another server, which sees it", async () => {
    const { read, write } = await begun(2, pair("new"));
    await write();
    expect(await read()).toEqual(["new", "new", "new!"]);
  });

  it("one that was applied in part is finished", async () => {
    const { read, applier } = await begun(2, pair("new"));
    await applier.apply("shop", 2, pair("new").slice(0, 1));
    expect(await read()).toEqual(["new", "new", "none"]);
  });

  it("one that was applied is finished", async () => {
    const { read, write, applier } = await begun(2, pair("new"));
    await applier.apply("shop", 2, pair("new"));
    await write();
    expect(await read()).toEqual(["new", "new", "new!"]);
  });

  it("one that removes is finished", async () => {
    const { read, applier } = await begun(2, pair(undefined));
    await applier.apply("shop", 2, pair(undefined).slice(1));
    expect(await read()).toEqual(["none", "none", "none"]);
  });

  it("one is finished also when that is waited for as long as a server waits", async () => {
    const { store, commits } = await storeAndAnother(WRITER_LIMITS.leftMs);
    await commits.begin("shop", 1, "another:1", redoOf(pair("new")));
    expect(await store.unitOfWork.run("shop", (tx) => tx.visitorKeys.get("a"))).toBe("new");
  });

  it("one is finished in time also when the store answers slowly", async () => {
    const { store, commits } = await storeAndAnother(500);
    await commits.begin("shop", 1, "another:1", redoOf(pair("new")));
    const findOne = Collection.prototype.findOne;
    vi.spyOn(Collection.prototype, "findOne").mockImplementation(async function (this: Collection, ...args) {
      await pause(100);
      return findOne.apply(this, args);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const from = performance.now();
    expect(await store.unitOfWork.run("shop", (tx) => tx.visitorKeys.get("a"))).toBe("new");
    expect(performance.now() - from).toBeLessThan(4000);
  });

  it("one whose server comes back late changes nothing any more", async () => {
    const { read, write, store, commits, applier } = await begun(2, pair("new"));
    await write();
    await store.unitOfWork.run("shop", (tx) => {
      tx.visitorKeys.put("a", "newer");
      tx.visitorKeys.delete("b");
    });
    await applier.apply("shop", 2, pair("new"));
    await commits.finish("shop", 2);
    expect(await read()).toEqual(["newer", "none", "new!"]);
    await write();
    expect(await read()).toEqual(["newer", "none", "newer!"]);
  });

  it("one that is begun when its number is long past is made nowhere", async () => {
    const { store, commits } = await storeAndAnother();
    for (let n = 0; n < 60; n++) await store.unitOfWork.run("shop", (tx) => tx.visitorKeys.put("a", `${n}`));
    await expect.poll(() => commits.begin("shop", 2, "another:1", redoOf(pair("wrong")))).toBe(true);
    const read = () => store.unitOfWork.run("shop", (tx) => [tx.visitorKeys.get("a"), tx.visitorKeys.get("b")]);
    expect(await read()).toEqual(["59", undefined]);
    await store.unitOfWork.run("shop", (tx) => tx.visitorKeys.put("b", `${tx.visitorKeys.get("a")}!`));
    expect(await read()).toEqual(["59", "59!"]);
  });

  it("what they wrote is taken out of those of an app that nobody uses for a while, which goes on afterwards", async () => {
    const { store, commits, url } = await storeAndAnother();
    const write = (value: string) => store.unitOfWork.run("shop", (tx) => tx.visitorKeys.put("a", value));
    await write("1");
    await write("2");
    const kept = async () => [(await commits.at("shop", 1))?.redo, (await commits.at("shop", 2))?.redo];
    expect(await kept()).toEqual([expect.anything(), expect.anything()]);
    await expect.poll(kept, { timeout: 25_000 }).toEqual([undefined, undefined]);
    const another = await openMongoStore({ url, now: () => 1000, limits: PATIENT });
    onTestFinished(() => another.close());
    await another.unitOfWork.run("shop", (tx) => tx.visitorKeys.put("b", `${tx.visitorKeys.get("a")}!`));
    expect(await store.unitOfWork.run("shop", (tx) => tx.visitorKeys.get("b"))).toBe("2!");
  });

  it("one of an app that nobody uses any more is finished by upkeep", async () => {
    const { store, commits } = await storeAndAnother();
    await commits.begin("quiet", 1, "another:1", redoOf([{ ...pair("new")[0]!, key: keyOf("quiet", "a") }]));
    await expect.poll(() => commits.head("quiet"), { timeout: 20_000 }).toBe(1);
    expect(await store.unitOfWork.run("quiet", (tx) => tx.visitorKeys.get("a"))).toBe("new");
  });

  it("a process that is killed loses nothing it has acknowledged and leaves nothing half done", async () => {
    const database = databaseName();
    const url = peer!.url(database);
    onTestFinished(() => peer!.drop(database));
    let acknowledged = 0;
    for (const answers of [1, 7, 23, 60]) {
      const child = spawn(process.execPath, ["--import", "tsx", WRITE, url], { stdio: ["ignore", "pipe", "inherit"] });
      const ended = once(child, "close");
      let answered = 0;
      for await (const line of createInterface(child.stdout)) {
        acknowledged = Math.max(acknowledged, Number(line));
        if (++answered === answers) child.kill("SIGKILL");
      }
      await ended;
      expect(answered).toBeGreaterThanOrEqual(answers);
    }
    const store = await openMongoStore({ url, now: Date.now, limits: { ...PATIENT, leftMs: 50 } });
    onTestFinished(() => store.close());
    const [count, statusAt] = await store.unitOfWork.run("shop", (tx) => [
      Number(tx.visitorKeys.get("count")),
      tx.orders.get("o")?.statusAt,
    ]);
    const events = await store.events.list("shop", "", 10_000, false);
    expect(count).toBeGreaterThanOrEqual(acknowledged);
    expect(statusAt).toBe(count);
    expect(events.map((one) => Number(one.eventId.slice(1)))).toEqual(Array.from({ length: count! }, (_, i) => i + 1));
  });
});
