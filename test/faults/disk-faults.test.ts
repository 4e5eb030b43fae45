import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { verifyStore } from "../../src/adapters/embedded/verify.js";
import { rpcClients, type ServerProcess, startServer, temporaryDirectory } from "../fixtures/server.js";
import { describeWithShim, shimEnvironment } from "./disk-shim.js";
import { EventLoad, storedEvents, type Told } from "./event-load.js";
import { rounds } from "./faults.js";
import { seededRandom } from "./random.js";
import { recordFault } from "./report.js";

const ROUNDS = rounds(2, 12);
const CALLERS = 16;

/** Events while the disk is well again but the store has met the fault, and what each was told. */
async function afterwards(load: EventLoad, server: ServerProcess): Promise<Told[]> {
  const clients = rpcClients(server.rpcUrl);
  const calls = Array.from({ length: 10 }, () => [load.post(server.facadeUrl), load.record(clients)]);
  return Promise.all(calls.flat());
}

/** Nothing is taken; callers are told to come again. */
async function expectShut(server: ServerProcess, told: readonly Told[]): Promise<void> {
  for (const one of told) {
    if (one.kind !== "refused") throw new Error(`an event was ${one.kind}`);
    if (one.by instanceof ConnectError) {
      expect(one.by.code).toBe(Code.Unavailable);
      continue;
    }
    expect([one.by.status, await one.by.json()]).toEqual([503, { error: "Service temporarily unavailable" }]);
    expect(one.by.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  }
  expect(server.output()).not.toMatch(/damaged/); // nothing is, though LMDB may read no more
  const ready = await fetch(`${server.facadeUrl}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, { error: "Not ready", reason: expect.any(String) }]);
  expect((await fetch(`${server.facadeUrl}/healthz`)).status).toBe(200);
}

describeWithShim("a server whose disk fails once, under load", () => {
  it.each([
    ["sync-fails", "sync EIO once"],
    ["write-fails", "write EIO once"],
    ["no-space", "write ENOSPC once"],
    ["short-write", "write short once"],
  ] as const)(
    "acknowledges nothing more until it is started anew, and then has all it acknowledged: %s",
    async (fault, says) => {
      const directory = await temporaryDirectory();
      const random = seededRandom(fault.length);
      const load = new EventLoad();
      let refused = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const file = join(directory, "fault");
        const store = join(directory, "store");
        const server = await startServer({ directory: store, env: shimEnvironment({ directory: store, fault: file }) });
        if (round === 0) await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
        const before = load.acknowledged.size;
        const ended = load.untilRefused(server.facadeUrl, CALLERS);
        await expect
          .poll(() => load.acknowledged.size, { interval: 5, timeout: 30_000 })
          .toBeGreaterThan(before + random() * 100);
        await writeFile(file, says);
        await ended;
        const acknowledged = load.acknowledged.size;
        await expectShut(server, await afterwards(load, server));
        refused += CALLERS + 20;
        expect(load.acknowledged.size).toBe(acknowledged);
        await server.end(round % 2 === 0 ? "SIGKILL" : "SIGTERM");
        expect((await verifyStore(store)).faults).toEqual([]);
        const again = await startServer({ directory: store });
        expect(load.judge(await storedEvents(again.rpcUrl))).toMatchObject({ lost: 0, duplicated: 0, wrong: 0 });
        expect((await load.post(again.facadeUrl)).kind).toBe("accepted");
        await again.end("SIGTERM");
        if (round === ROUNDS - 1) {
          const counts = load.judge(await storedEvents((await startServer({ directory: store })).rpcUrl));
          const seen = `then ${refused} refused with 503 or UNAVAILABLE until the start; not ready`;
          recordFault(fault, "embedded", { rounds: ROUNDS, ...counts, seen });
        }
      }
    },
    60_000 + ROUNDS * 30_000,
  );
});
