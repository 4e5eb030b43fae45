import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import { openMongoPeer } from "../../fixtures/mongo-peer.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const WRITE = fileURLToPath(new URL("./children/write.ts", import.meta.url));

const peer = await openMongoPeer();
afterAll(() => peer.stop());

describe(`a process over a MongoDB store that is killed: ${peer.name}`, () => {
  it("loses no acknowledged work and leaves none half done", async () => {
    const database = databaseName();
    const url = peer.url(database);
    onTestFinished(() => peer.drop(database));
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
    const store = await openMongoStore({ url, now: Date.now, limits: PATIENT });
    onTestFinished(() => store.close());
    const [count, statusAt] = await store.unitOfWork.run("shop", (tx) => [
      Number(tx.visitorKeys.get("count")),
      tx.orders.get("o")?.statusAt,
    ]);
    const events = await store.events.list("shop", "", 10_000, false);
    expect(count).toBeGreaterThanOrEqual(acknowledged);
    expect(statusAt).toBe(count);
    expect(events.map((one) => Number(one.eventId.slice(1)))).toEqual(Array.from({ length: count! }, (_, i) => i + 1));
  }, 120_000);
});
