import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { rpcClients, type ServerProcess, startServer, temporaryDirectory } from "../fixtures/server.js";
import { EventLoad, storedEvents } from "./event-load.js";
import { type Fault, rounds } from "./faults.js";
import { randomOfThisRun } from "./random.js";
import { recordFault } from "./report.js";

/** Divided over LANES servers that run at the same time. */
const ROUNDS = rounds(1, 50);
const LANES = rounds(1, 2);
const CALLERS = 16;
/** All processes are gone so long after the end of the first one, on a busy machine. */
const GONE_MS = 30_000;

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // there is no such process
  }
}

/** A request whose body never comes: the server waits for it while it drains. */
async function openRequest({ facadeUrl }: ServerProcess): Promise<void> {
  const { hostname, port } = new URL(facadeUrl);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined); // the server ends
  socket.write(
    "POST /trace HTTP/1.1\r\nHost: shop\r\nContent-Length: 9\r\nExpect: 100-continue\r\n" +
      "Content-Type: application/x-www-form-urlencoded\r\n\r\n",
  );
  await once(socket, "data");
}

const ENDS: Readonly<Record<string, (server: ServerProcess) => Promise<void>>> = {
  "kill-first": async (server) => {
    await server.end("SIGKILL");
  },
  "second-signal": async (server) => {
    await openRequest(server);
    server.child.kill("SIGTERM");
    await pause(1_100);
    await server.end("SIGTERM");
  },
};

describe.each(["kill-first", "second-signal"] as const satisfies readonly Fault[])("%s", (fault) => {
  it(
    "leaves no process behind, and the next server opens the store with every acknowledged event",
    async () => {
      const sums = { rounds: 0, acknowledged: 0, lost: 0, duplicated: 0, wrong: 0 };
      let slowest = 0;
      const lane = async (lane: number) => {
        const random = randomOfThisRun(lane);
        const directory = join(await temporaryDirectory(), "store");
        const load = new EventLoad();
        const start = () => startServer({ directory });
        let server = await start();
        await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
        for (let round = 0; round < Math.ceil(ROUNDS / LANES); round++) {
          const before = load.acknowledged.size;
          const ended = load.untilRefused(server.facadeUrl, CALLERS);
          const enough = before + 1 + random() * 150;
          await expect.poll(() => load.acknowledged.size, { interval: 5, timeout: 60_000 }).toBeGreaterThan(enough);
          const pids = server.pids();
          expect(pids).toHaveLength(1);
          await ENDS[fault]?.(server);
          const began = performance.now();
          await expect.poll(() => pids.filter(lives), { interval: 20, timeout: GONE_MS }).toEqual([]);
          slowest = Math.max(slowest, performance.now() - began);
          await ended;
          server = await start();
          expect((await load.post(server.facadeUrl)).kind).toBe("accepted");
          sums.rounds++;
        }
        const counts = load.judge(await storedEvents(server.rpcUrl));
        expect(counts).toMatchObject({ lost: 0, duplicated: 0, wrong: 0 });
        sums.acknowledged += counts.acknowledged;
        await server.end("SIGKILL");
      };
      const lanes = Array.from({ length: LANES }, (_, n) => n);
      await Promise.all(lanes.map(lane));
      const seen = `no process left after ${Math.ceil(slowest)} ms, each next server served`;
      recordFault(fault, "embedded", { ...sums, seen });
    },
    300_000 + ROUNDS * 60_000,
  );
});
