/** Attacks that are cheap to send, beside honest callers: what those see meanwhile, and what is left 5 s later. */
import { afterAll, describe, expect, it } from "vitest";
import { rpcClients, sharedOwner, startServer, temporaryDirectory } from "../fixtures/server.js";
import { FLOODS } from "../hostile/floods.js";
import { type BesideAttack, besideAttack, type Phases } from "../hostile/measure-attack.js";
import { rounds } from "./faults.js";

/** In every run of the tests; `npm run faults` has all. */
const FEW = FLOODS.filter(({ name }) => name === "messages that never come" || name === "lists without a window");
const IS_FULL = rounds(0, 1) === 1;
const SECONDS = IS_FULL ? 10 : 3;
/** Main thread time while half of the calls wait, after the attack: 9 s without bounds, 0.3 s at a quarter of a processor. */
const MOST_BUSY_MS = 2_000;
const REFUSALS: readonly string[] = ["503", "Unavailable", "ResourceExhausted"];
/** V8 collects late while it has room. */
const MOST_GROWTH_MIB = 600;

const { owner, release } = sharedOwner();
afterAll(release);

function line(name: string, { trace, rpc, memory, cpu }: BesideAttack): string {
  const times = ({ before, during, after }: Phases) =>
    [before, during, after].map(({ p99, busy99 }) => `${p99.toFixed(0)} (${busy99.toFixed(1)})`).join(" → ");
  const whole = (numbers: object) => Object.values(numbers).map(Math.round).join(" → ");
  return `${name}: p99 (busy) of /trace ${times(trace)} ms, of GetApp ${times(rpc)} ms, ${whole(memory)} MiB, CPU ${whole(cpu)} ms/s`;
}

describe("a server under attack", () => {
  it.each((IS_FULL ? FLOODS : FEW).map(({ name }) => [name]))(
    "by %s refuses honest calls at most meanwhile, answers all 5 s later, and stays within its memory limit",
    async (name) => {
      const server = await startServer({ directory: await temporaryDirectory(owner), owner });
      await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
      const port = (url: string) => Number(new URL(url).port);
      const target = { facadePort: port(server.facadeUrl), rpcPort: port(server.rpcUrl), appId: "shop" };
      const ms = { before: SECONDS * 1000, attack: SECONDS * 1000, after: SECONDS * 1000 };
      const beside = await besideAttack(server.pids()[0] ?? 0, target, name, ms);
      console.log(line(name, beside));
      for (const { during, after } of [beside.trace, beside.rpc]) {
        // Callers of the port are not kept apart: while it is flooded, others may be told to come again.
        for (const way of Object.keys(during.failed)) expect(REFUSALS).toContain(way);
        expect(after.failed).toEqual({});
        expect(after.busy50).toBeLessThan(MOST_BUSY_MS);
      }
      expect(beside.memory.most - beside.memory.before).toBeLessThan(MOST_GROWTH_MIB);
      await server.end("SIGKILL");
    },
    180_000,
  );
});
