import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DEMO_APP_ID } from "../../src/server/demo/catalogue.js";
import { rounds } from "../faults/faults.js";
import { type ServerProcess, sharedOwner, startServer, temporaryDirectory } from "../fixtures/server.js";
import { buildGoCallers, type Calling, callByGrpcJs, hasGo, type Outcomes } from "./grpc-callers.js";
import { callHeaders, END_HEADERS, END_STREAM, frame, PREFACE, settings } from "./http2-frames.js";
import { openRaw } from "./raw-socket.js";
import { residentMib } from "./short-deadlines.js";

/** So long the clients go on; `npm run faults -- soak` makes it ten minutes. */
const FOR_MS = Number(process.env.AISLE_TEST_SOAK_MS ?? rounds(15_000, 600_000));
/** A neighbour's new connection has its answers within this time, on a machine that does all the rest too. */
const NEW_CONNECTION_MS = 10_000;
/** By so much memory may grow in the second half, in MiB: V8 collects late while it has room. */
const MOST_GROWTH_MIB = 200;

const RECOMMEND = "/aisle.v1.RecommendationService/Recommend";
/** A RecommendRequest for the demo. */
const ASKED = Buffer.from([0x0a, DEMO_APP_ID.length, ...Buffer.from(DEMO_APP_ID)]);
const OVERSIZED = new Uint8Array(5 * 1024 * 1024);

const go = hasGo();
const { owner, release } = sharedOwner();
let server: ServerProcess;
let client: (calling: Calling) => Promise<Outcomes> = callByGrpcJs;

beforeAll(async () => {
  server = await startServer({ directory: await temporaryDirectory(owner), flags: ["--demo"], owner });
  if (go) client = await buildGoCallers(await temporaryDirectory(owner));
}, 300_000);
afterAll(release);

/** A call whose message is cut short, or whose stream never ends, on a connection that then goes away. */
async function brokenCalls(until: number): Promise<number> {
  const port = Number(new URL(server.rpcUrl).port);
  const truncated = Buffer.from([0, 0, 0, 0, 100, 1, 2, 3]);
  let calls = 0;
  for (; Date.now() < until; await pause(20)) {
    const streams = Array.from({ length: 20 }, (_, n) => 2 * n + 1).flatMap((id) => [
      frame("headers", END_HEADERS, id, callHeaders(RECOMMEND)),
      // Every other one says that it has ended.
      frame("data", id % 4 === 1 ? END_STREAM : 0, id, truncated),
    ]);
    const { socket } = openRaw(port, Buffer.concat([PREFACE, settings(), ...streams]), owner);
    await pause(200);
    socket.destroy();
    calls += 20;
  }
  return calls;
}

/** One short-lived connection after the other, from the address of those who cancel. Gives how long each took, ms. */
async function reconnects(until: number, seen: Outcomes[]): Promise<number[]> {
  const times: number[] = [];
  const calling = { address: new URL(server.rpcUrl).host, method: RECOMMEND, message: ASKED, callers: 4 };
  while (Date.now() < until) {
    const startedAt = performance.now();
    seen.push(await callByGrpcJs({ ...calling, deadlineMs: NEW_CONNECTION_MS, calls: 2, forMs: 0 }));
    times.push(Math.round(performance.now() - startedAt));
  }
  return times.sort((a, b) => a - b);
}

it(
  "clients that rush, cancel, send too much or half and reconnect fail no call of others, and memory stays bounded",
  async () => {
    const until = Date.now() + FOR_MS;
    const shared = { address: new URL(server.rpcUrl).host, method: RECOMMEND, message: ASKED, forMs: FOR_MS };
    const abuse = Promise.all([
      client({ ...shared, callers: 8, deadlineMs: 20, random: true, patient: 1 }),
      client({ ...shared, callers: 8, deadlineMs: 20, random: true, cancels: true, patient: 1 }),
      client({ ...shared, message: OVERSIZED, patientMessage: ASKED, callers: 2, deadlineMs: 30_000, patient: 1 }),
      client({ ...shared, callers: 0, patient: 2 }),
    ]);
    const again: Outcomes[] = [];
    const others = Promise.all([brokenCalls(until), reconnects(until, again)]);
    const memory: number[] = [];
    const sampling = setInterval(() => memory.push(residentMib(server)), FOR_MS / 10);
    const [hurried, cancelled, oversized, neighbours] = await abuse;
    const [broken, times] = await others;
    clearInterval(sampling);
    const growth = residentMib(server) - (memory[4] ?? Number.NaN);
    console.log(
      `soak of ${FOR_MS / 1000} s, Node ${process.versions.node}: deadlines ${JSON.stringify(hurried.hasty.codes)}, ` +
        `cancellations ${JSON.stringify(cancelled.hasty.codes)}, oversized ${JSON.stringify(oversized.hasty.codes)}, ` +
        `${broken} broken calls; neighbours on the same connections ` +
        `${JSON.stringify([hurried, cancelled, oversized].map(({ patient }) => patient.codes))}, on another one ` +
        `${JSON.stringify(neighbours.patient.codes)}, on ${times.length} new ones (half within ` +
        `${times[Math.floor(times.length / 2)]} ms, all within ${times.at(-1)} ms); ` +
        `memory ${memory.join(", ")} MiB`,
    );

    expect(hurried.hasty.codes.DeadlineExceeded).toBeGreaterThan(100);
    expect(cancelled.hasty.codes.Canceled ?? cancelled.hasty.codes.Cancelled).toBeGreaterThan(100);
    expect(oversized.hasty.codes.ResourceExhausted).toBeGreaterThan(10);
    expect(Object.keys(oversized.hasty.codes)).toEqual(["ResourceExhausted"]);
    expect(broken).toBeGreaterThan(100);
    for (const { patient } of [hurried, cancelled, oversized, neighbours])
      expect(Object.keys(patient.codes)).toEqual(["OK"]);
    for (const { hasty } of again) expect(Object.keys(hasty.codes)).toEqual(["OK"]);
    expect(growth).toBeLessThan(MOST_GROWTH_MIB);
    expect((await fetch(`${server.rpcUrl}/healthz`)).status).toBe(200);
  },
  FOR_MS + 120_000,
);
