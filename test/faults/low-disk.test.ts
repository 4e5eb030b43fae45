import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { verifyStore } from "../../src/store/lmdb/verify.js";
import type { Store } from "../../src/store/ports/store.js";
import { event } from "../contract/samples.js";
import {
  freePort,
  launchServer,
  rpcClients,
  runAisle,
  sharedOwner,
  startServer,
  temporaryDirectory,
} from "../fixtures/server.js";
import { EventLoad, storedEvents } from "./event-load.js";
import { expectServesAgain } from "./expect-recovery.js";
import { rounds } from "./faults.js";
import { recordFault } from "./report.js";

const MIB = 2 ** 20;
const FULL_ROUNDS = rounds(3, 30);
const LOW_ROUNDS = rounds(2, 20);
const FULL = /The disk of \S+ is full: lock\.mdb needs 36 KiB; free some space/;
const WAIT = { interval: 20, timeout: 30_000 };

/** Whether this user may mount a disk of its own: root, where nothing forbids it. */
async function canMount(): Promise<boolean> {
  const { owner, release } = sharedOwner();
  try {
    await openDisk(1, owner);
    return true;
  } catch {
    return false;
  } finally {
    await release();
  }
}

/** A disk in memory of so many MiB; it goes away with its owner. */
async function openDisk(mib: number, owner?: Parameters<typeof temporaryDirectory>[0]): Promise<string> {
  const directory = await temporaryDirectory(owner);
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mib}m`, "tmpfs", directory]);
  if (status !== 0) throw new Error("No disk can be mounted");
  (owner ?? onTestFinished)(async () => void spawnSync("umount", ["-l", directory]));
  return directory;
}

describe.skipIf(!(await canMount()))("a small disk (needs root and the right to mount)", () => {
  it("that fills up fails one write, then refuses writes and keeps every acknowledged event", async () => {
    const disk = await openDisk(2);
    let [acknowledged, lost, refused] = [0, 0, 0];
    for (let round = 0; round < FULL_ROUNDS; round++) {
      const directory = join(disk, `store-${round}`);
      const text = "x".repeat(100 + 150 * round);
      const opened = (): Promise<Store> => openEmbeddedStore({ directory, now: Date.now, limits: { minFreeBytes: 0 } });
      const store = await opened();
      const put = (id: string) =>
        store.unitOfWork.run("shop", (tx) => tx.events.put(id, event(id, { platform: text })));
      const confirmed: string[] = [];
      for (let n = 0; ; n++) {
        const ids = Array.from({ length: 8 }, (_, i) => `e${String(n * 8 + i).padStart(6, "0")}`);
        const works = await Promise.allSettled(ids.map(put));
        confirmed.push(...ids.filter((_, i) => works[i]?.status === "fulfilled"));
        if (works.some(({ status }) => status === "rejected")) break;
      }
      for (let n = 0; n < 20; n++) await expect(put(`after-${n}`)).rejects.toMatchObject({ name: "Unavailable" });
      await expect(store.ready()).rejects.toMatchObject({ name: "Unavailable" });
      refused += 20;
      await store.close();
      expect((await verifyStore(directory)).faults).toEqual([]);
      const again = await opened();
      for (const id of confirmed) if ((await again.events.get("shop", id)) === undefined) lost++;
      await again.close();
      acknowledged += confirmed.length;
      await rm(directory, { recursive: true });
    }
    expect(lost).toBe(0);
    expect(acknowledged).toBeGreaterThan(FULL_ROUNDS * 50);
    const seen = `then ${refused} more refused; not ready until opened anew; each file sound`;
    recordFault("full-disk", "embedded", { rounds: FULL_ROUNDS, acknowledged, lost, duplicated: 0, wrong: 0, seen });
  }, 180_000);

  it("that runs low stops intake before a write fails, and intake resumes when there is room", async () => {
    const disk = await openDisk(310); // 256 MiB are kept free
    const directory = join(disk, "store");
    mkdirSync(directory);
    const server = await startServer({ directory });
    await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
    const load = new EventLoad();
    const readiness = async () => {
      const answer = await fetch(`${server.facadeUrl}/readyz`);
      return JSON.stringify([answer.status, await answer.json()]);
    };
    let refused = 0;
    let isLoading = true;
    const caller = async () => {
      while (isLoading) {
        const told = await load.post(server.facadeUrl);
        if (told.kind === "refused" && told.by instanceof Response) {
          expect([told.by.status, told.by.headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^\d+$/)]);
          refused++;
        } else expect(told.kind).toBe("accepted");
        await pause(5);
      }
    };
    const calling = Promise.all(Array.from({ length: 8 }, caller));
    calling.catch(() => undefined);
    for (let round = 0; round < LOW_ROUNDS; round++) {
      const filler = join(disk, "filler");
      await writeFile(filler, Buffer.alloc(60 * MIB));
      await expect.poll(readiness, WAIT).toMatch(/^\[503,.*The disk of the store has less than 256 MiB left/);
      await rm(filler);
      await expect.poll(readiness, WAIT).toMatch(/^\[200,/);
      const enough = load.acknowledged.size + 20;
      await expect.poll(() => load.acknowledged.size, WAIT).toBeGreaterThan(enough);
    }
    isLoading = false;
    await calling;
    const counts = load.judge(await storedEvents(server.rpcUrl));
    expect(counts).toMatchObject({ lost: 0, duplicated: 0, wrong: 0 });
    expect(refused).toBeGreaterThan(0);
    const seen = `${refused.toLocaleString("en")} refused with 503; no write failed; took events again by itself`;
    recordFault("low-disk", "embedded", { rounds: LOW_ROUNDS, ...counts, seen });
  }, 240_000);

  it("that is full of a restored backup: the server waits, and serves when there is room, and the doctor sees it", async () => {
    const root = await temporaryDirectory();
    const made = await startServer({ directory: join(root, "made") });
    await rpcClients(made.rpcUrl).apps.createApp({ app: { appId: "shop" } });
    const disk = await openDisk(8);
    const directory = join(disk, "store");
    const { code: copied } = await runAisle(["backup", "--store", `embedded:${join(root, "made")}`, "--to", directory]);
    expect(copied).toBe(0);
    await made.end("SIGTERM");
    const filler = join(disk, "filler");
    await writeFile(filler, Buffer.alloc(8 * MIB)).catch(() => undefined); // until the disk is full
    const { code, stdout } = await runAisle(["doctor", "--store", `embedded:${directory}`]);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/problem +disk +.* MB free; below .* writes are refused/),
    ]);
    const port = await freePort();
    const facadeUrl = `http://127.0.0.1:${port}`;
    const { output, ready } = launchServer({
      directory,
      flags: ["--facade-port", String(port), "--min-free-mib", "1"],
    });
    const readiness = async () => JSON.stringify(await (await fetch(`${facadeUrl}/readyz`)).json());
    await expect.poll(() => readiness().catch(String), WAIT).toMatch(/could not be reached/);
    expect((await new EventLoad().post(facadeUrl)).kind).toBe("refused");
    await rm(filler);
    await ready;
    await expectServesAgain({ facadeUrl, output }, FULL);
  }, 120_000);
});
