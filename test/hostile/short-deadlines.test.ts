import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { rounds } from "../faults/faults.js";
import { hasNginx, openNginx } from "../fixtures/nginx.js";
import { type ServerProcess, sharedOwner, startServer, temporaryDirectory } from "../fixtures/server.js";
import { openTcpProxy } from "../fixtures/tcp-proxy.js";
import { buildGoCallers, type Calling, callByGrpcJsInTurns, hasGo, type Outcomes } from "./grpc-callers.js";
import { type StormOutcome, stormOn } from "./short-deadlines.js";

/** So long each client hurries; `AISLE_TEST_ATTACK_MS` makes it longer, `npm run faults -- short-deadlines` 3 minutes. */
const FOR_MS = Number(process.env.AISLE_TEST_ATTACK_MS ?? rounds(6_000, 180_000));
const TEST_MS = 60_000 + FOR_MS;
/** Such a server took 13 GB. */
const MOST_MIB = 1_500;

const go = hasGo();
const nginx = hasNginx();
const { owner, release } = sharedOwner();
let server: ServerProcess;
let pids: number[];
let byGo: (calling: Calling) => Promise<Outcomes>;
const CLIENTS = [
  ["grpc-js", () => callByGrpcJsInTurns, true],
  ["grpc-go", () => byGo, go],
] as const;

beforeAll(async () => {
  const directory = await temporaryDirectory(owner);
  server = await startServer({ directory, flags: ["--demo"], owner });
  pids = server.pids();
  if (go) byGo = await buildGoCallers(await temporaryDirectory(owner));
}, 300_000);
afterAll(release);

const rpcPort = () => Number(new URL(server.rpcUrl).port);

function expectUnharmed(name: string, outcome: StormOutcome) {
  const { hasty, patient, healthy, memoryMib } = outcome;
  console.log(`${name}, ${FOR_MS / 1000} s, Node ${process.versions.node}: ${JSON.stringify(outcome)}`);
  expect(hasty.DeadlineExceeded).toBeGreaterThan(500);
  expect(Object.keys(hasty)).not.toContain("Internal");
  for (const codes of Object.values(patient)) expect(Object.keys(codes)).toEqual(["OK"]);
  expect(healthy).toBe(true);
  expect(memoryMib).not.toBeGreaterThan(MOST_MIB);
  expect(server.pids()).toEqual(pids);
}

describe.each(CLIENTS)("ten callers of %s with a deadline of 2 ms on one connection", (name, client, isThere) => {
  it.skipIf(!isThere)(
    "fail no other call",
    async () => expectUnharmed(name, await stormOn(server, client(), FOR_MS)),
    TEST_MS,
  );

  it.skipIf(!isThere || !nginx).each([
    ["opens a connection for each call", 0],
    ["keeps its connections", 16],
  ])(
    "fail no other call behind an HTTP proxy that %s",
    async (kind, kept) => {
      const port = await openNginx(rpcPort(), kept, onTestFinished);
      const outcome = await stormOn(server, client(), FOR_MS, `127.0.0.1:${port}`);
      expectUnharmed(`${name} behind an HTTP proxy that ${kind}`, outcome);
    },
    TEST_MS,
  );

  it.skipIf(!isThere)(
    "fail no other call behind a TCP proxy that is 1 ms away",
    async () => {
      const proxy = await openTcpProxy({ host: "127.0.0.1", port: rpcPort() });
      onTestFinished(() => proxy.close());
      proxy.delay(1);
      const outcome = await stormOn(server, client(), FOR_MS, `127.0.0.1:${proxy.port}`);
      expectUnharmed(`${name} behind a TCP proxy`, outcome);
    },
    TEST_MS,
  );
});
