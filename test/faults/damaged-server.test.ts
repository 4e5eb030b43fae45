import { cp, open } from "node:fs/promises";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  launchServer,
  rpcClients,
  runAisle,
  type ServerProcess,
  sharedOwner,
  startServer,
  temporaryDirectory,
} from "../fixtures/server.js";
import { EventLoad, type StoredEvent, storedEventOf } from "./event-load.js";
import { rounds } from "./faults.js";
import { randomOfThisRun } from "./random.js";
import { recordFault } from "./report.js";

const ROUNDS = rounds(4, 60);
const EVENTS = 200;
const MOST_BITS = 64;
/** Sent to each damaged server. */
const MORE_EVENTS = 5;
/** So long an answer may take on a busy machine. None may take for ever. */
const ANSWER_MS = 20_000;

const { owner, release } = sharedOwner();
const load = new EventLoad();
let sound = "";

beforeAll(async () => {
  sound = join(await temporaryDirectory(owner), "store");
  const server = await startServer({ directory: sound, owner });
  await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
  while (load.acknowledged.size < EVENTS)
    await Promise.all(Array.from({ length: 8 }, () => load.post(server.facadeUrl)));
  await server.end("SIGTERM");
});
afterAll(release);

/** Turns bits over in the file of a store, which may be open in a process: it sees what is written there. */
async function flipBits(directory: string, random: () => number): Promise<void> {
  const file = await open(join(directory, "data.mdb"), "r+");
  const { size } = await file.stat();
  const byte = Buffer.alloc(1);
  for (let bits = 1 + Math.floor(random() * MOST_BITS); bits > 0; bits--) {
    const at = Math.floor(random() * size);
    await file.read(byte, 0, 1, at);
    byte[0] = (byte[0] ?? 0) ^ (1 << Math.floor(random() * 8));
    await file.write(byte, 0, 1, at);
  }
  await file.close();
}

/** What came of the questions to a server: values, and how often it said that there is none or that it cannot tell. */
interface Asked {
  readonly values: StoredEvent[];
  missing: number;
  refused: number;
  broken: number;
}

async function askFor(ids: Iterable<string>, { rpcUrl, facadeUrl }: ServerProcess): Promise<Asked> {
  const asked: Asked = { values: [], missing: 0, refused: 0, broken: 0 };
  const { events } = rpcClients(rpcUrl);
  const failed = (error: unknown) => {
    const { code } = ConnectError.from(error);
    expect(code, "an answer that never comes").not.toBe(Code.DeadlineExceeded);
    if (code === Code.NotFound) asked.missing++;
    else if (code === Code.Unavailable) asked.broken++;
    else asked.refused++;
  };
  for (const eventId of ids) {
    const { event } = await events.getEvent({ appId: "shop", eventId }, { timeoutMs: ANSWER_MS }).catch((error) => {
      failed(error);
      return { event: undefined };
    });
    const stored = event && storedEventOf(event);
    if (stored) asked.values.push(stored);
  }
  await events
    .listEvents({ appId: "shop", pageSize: EVENTS }, { timeoutMs: ANSWER_MS })
    .then((page) => asked.values.push(...page.events.flatMap((event) => storedEventOf(event) ?? [])), failed);
  const signal = AbortSignal.timeout(ANSWER_MS);
  const status = await fetch(`${facadeUrl}/subscription_status?app_id=shop&fpcid=f1`, { signal }).catch((error) => {
    expect(error).not.toMatchObject({ name: "TimeoutError" });
    return undefined;
  });
  if (status === undefined) asked.broken++;
  return asked;
}

const REPORTED = /damage|corrupt|not a store|MDB_/i;

describe("bits flipped in the file of a server", () => {
  it(
    "never cause a wrong answer: the server reports the damage and either continues or stops",
    async () => {
      const seen = { right: 0, wrong: 0, unreported: 0, refused: 0, ended: 0, notStarted: 0, found: 0 };
      const known = [...load.acknowledged.values()];
      // Where the damage ends servers at once, further rounds ask the others.
      for (let round = 0; round < ROUNDS || (seen.right <= EVENTS && round < 3 * ROUNDS); round++) {
        const random = randomOfThisRun(round + 1);
        const directory = join(await temporaryDirectory(), "store");
        await cp(sound, directory, { recursive: true });
        const isRunning = round % 2 === 0;
        if (!isRunning) await flipBits(directory, random);
        const { ready, output, child, ended } = launchServer({ directory });
        const server = await ready.catch(() => undefined);
        if (server === undefined) {
          await ended;
          // Its own words, or the signal by which LMDB ended it.
          expect(child.signalCode ?? output()).toMatch(/SIG|damage|corrupt|MDB_|store/i);
          seen.notStarted++;
          continue;
        }
        const [pid] = server.pids();
        if (isRunning) await flipBits(directory, random);
        const before = new Set(load.acknowledged.values());
        for (let n = 0; n < MORE_EVENTS; n++) await load.post(server.facadeUrl);
        const added = [...load.acknowledged.values()].filter((id) => !before.has(id));
        const asked = await askFor([...known, ...added], server);
        const hasEnded = pid === undefined || !server.pids().includes(pid); // another may be in its place
        expect(asked.broken > 0 && !hasEnded, "an answer that broke off while the process lives").toBe(false);
        await server.end("SIGTERM");
        const { wrong } = load.judge(asked.values);
        seen.wrong += wrong;
        seen.right += asked.values.length - wrong;
        seen.refused += asked.refused;
        if (hasEnded) seen.ended++;
        const verified = await runAisle(["doctor", "--store", `embedded:${directory}`, "--verify"]);
        const isFound = verified.code !== 0;
        if (isFound) seen.found++;
        if (asked.refused + asked.missing > 0 && !hasEnded && !isFound && !REPORTED.test(output())) seen.unreported++;
      }
      expect(seen).toMatchObject({ wrong: 0, unreported: 0 });
      expect(seen.found + seen.notStarted + seen.ended, "the damage was real").toBeGreaterThan(0);
      expect(seen.right).toBeGreaterThan(EVENTS);
      recordFault("flipped-server", "embedded", {
        rounds: ROUNDS,
        acknowledged: ROUNDS * EVENTS,
        lost: seen.unreported,
        duplicated: 0,
        wrong: seen.wrong,
        seen: `${seen.right.toLocaleString("en")} right answers, ${seen.refused} refused; ${seen.found} stores found damaged by verification; ${seen.ended} servers ended, ${seen.notStarted} did not start`,
      });
    },
    120_000 + ROUNDS * 30_000,
  );
});
