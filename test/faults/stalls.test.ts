import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";
import { describeWithShim, shimEnvironment } from "./disk-shim.js";
import { EventLoad, storedEvents } from "./event-load.js";
import { expectServesAgain } from "./expect-recovery.js";
import { rounds } from "./faults.js";
import { randomOfThisRun } from "./random.js";
import { recordFault } from "./report.js";

/** Of each kind of stall, on LANES servers each. All servers run at the same time. */
const ROUNDS = rounds(1, 7);
const LANES = rounds(1, 2);
/** A kind of failure is logged once a minute. */
const BETWEEN_MS = 25_000;
const CALLERS = 8;
const DISK_MS = 36_000;
const PAUSE_MS = 40_000;

describeWithShim("a server that stalls under load", () => {
  it(
    "refuses writes during the stall, recovers with the same processes, and logs what happened",
    async () => {
      const sums = { rounds: 0, acknowledged: 0, lost: 0, duplicated: 0, wrong: 0 };
      let slowest = 0;
      const lane = async (kind: "disk" | "process", n: number) => {
        const random = randomOfThisRun(100 * n + kind.length);
        const directory = await temporaryDirectory();
        const store = join(directory, "store");
        const fault = join(directory, "fault");
        const env = shimEnvironment({ directory: store, fault });
        const server = await startServer({ directory: store, env });
        await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
        const load = new EventLoad();
        for (let round = 0; round < ROUNDS; round++) {
          if (round > 0) await pause(BETWEEN_MS);
          const from = server.output().length;
          const pids = server.pids();
          const before = load.acknowledged.size;
          let isOver = false;
          const caller = async () => {
            while (!isOver) if ((await load.post(server.facadeUrl)).kind !== "accepted") await pause(50);
          };
          const callers = Promise.all(Array.from({ length: CALLERS }, caller));
          const enough = before + 1 + random() * 10;
          await expect.poll(() => load.acknowledged.size, { interval: 5, timeout: 60_000 }).toBeGreaterThan(enough);
          if (kind === "disk") {
            await writeFile(fault, `sync stall${DISK_MS} once`);
            await pause(DISK_MS);
          } else {
            const victim = pids.at(-1) ?? 0;
            process.kill(victim, "SIGSTOP");
            await pause(PAUSE_MS);
            process.kill(victim, "SIGCONT");
          }
          const named = kind === "disk" ? /the disk of the store stalls/ : /this process stood still/;
          const output = () => server.output().slice(from);
          slowest = Math.max(slowest, await expectServesAgain({ facadeUrl: server.facadeUrl, output }, named));
          isOver = true;
          await callers;
          expect(server.pids()).toEqual(pids);
          expect(output()).not.toMatch(/stopped accepting writes|replacing it/);
          sums.rounds++;
        }
        const counts = load.judge(await storedEvents(server.rpcUrl));
        expect(counts).toMatchObject({ lost: 0, duplicated: 0, wrong: 0 });
        sums.acknowledged += counts.acknowledged;
        expect(await server.end("SIGTERM")).toBe(0);
      };
      const lanes = Array.from({ length: LANES }, (_, n) => [lane("disk", n), lane("process", n)]);
      await Promise.all(lanes.flat());
      const seen = `served again within ${Math.ceil(slowest / 1000)} s, no process replaced`;
      recordFault("stalls", "embedded", { ...sums, seen });
    },
    300_000 + ROUNDS * 180_000,
  );
});
