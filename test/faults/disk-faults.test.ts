import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { verifyStore } from "../../src/store/lmdb/verify.js";
import { rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";
import { describeWithShim, shimEnvironment } from "./disk-shim.js";
import { EventLoad, storedEvents } from "./event-load.js";
import { expectServesAgain } from "./expect-recovery.js";
import { rounds } from "./faults.js";
import { randomOfThisRun } from "./random.js";
import { recordFault } from "./report.js";

const ROUNDS = rounds(2, 12);
const CALLERS = 16;
/** LMDB may end the process itself when a page that it writes ahead of the commit fails. */
const REPLACED = /a process (stopped accepting writes|ended); replacing it/;

describeWithShim("a server whose disk fails once, under load", () => {
  it.each([
    ["sync-fails", "sync EIO once"],
    ["write-fails", "write EIO once"],
    ["no-space", "write ENOSPC once"],
    ["short-write", "write short once"],
  ] as const)(
    "replaces the process that failed, serves again, and has every acknowledged event: %s",
    async (fault, says) => {
      const random = randomOfThisRun(fault.length);
      const sums = { rounds: 0, acknowledged: 0, lost: 0, duplicated: 0, wrong: 0 };
      let slowest = 0;
      const directory = await temporaryDirectory();
      const store = join(directory, "store");
      const load = new EventLoad();
      for (let round = 0; round < ROUNDS; round++) {
        const file = join(directory, "fault");
        const env = shimEnvironment({ directory: store, fault: file });
        const server = await startServer({ directory: store, env });
        if (round === 0) await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
        const before = load.acknowledged.size;
        const stop = load.untilStopped(server.facadeUrl, CALLERS);
        await expect
          .poll(() => load.acknowledged.size, { interval: 5, timeout: 30_000 })
          .toBeGreaterThan(before + random() * 100);
        await writeFile(file, says);
        await expect.poll(() => server.output(), { interval: 20, timeout: 60_000 }).toMatch(REPLACED);
        await stop();
        const took = await expectServesAgain(server, REPLACED);
        slowest = Math.max(slowest, took);
        expect(server.output()).not.toMatch(/DataDamaged|is damaged/); // LMDB may read no more, but nothing is
        for (const line of server.output().split("\n").slice(1))
          if (line !== "") expect(JSON.parse(line)).toBeTypeOf("object"); // lmdb's own words, too
        expect((await load.post(server.facadeUrl)).kind).toBe("accepted");
        expect(await server.end("SIGTERM")).toBe(0);
        expect((await verifyStore(store)).faults).toEqual([]);
      }
      const counts = load.judge(await storedEvents((await startServer({ directory: store })).rpcUrl));
      expect(counts).toMatchObject({ lost: 0, duplicated: 0, wrong: 0 });
      sums.rounds += ROUNDS;
      sums.acknowledged += counts.acknowledged;
      const seen = `served again within ${Math.ceil(slowest / 1000)} s, each store sound`;
      recordFault(fault, "embedded", { ...sums, seen });
    },
    60_000 + ROUNDS * 120_000,
  );
});
