/**
 * Seeded histories: two servers run works on one app at the same time, while the replica set loses commands and answers, cuts
 * connections, lags and changes its primary. AISLE_MONGO_HISTORIES says how many there are, AISLE_MONGO_SEED where they begin; a
 * failed one names its seed.
 */
import { expect, it } from "vitest";
import { Unavailable } from "../../../src/domain/errors.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import type { Transaction } from "../../../src/store/ports/unit-of-work.js";
import { event } from "../../contract/samples.js";
import { seed as seedOfThisRun } from "../../fixtures/runs.js";
import { type Command, type Fate, openTestReplicaSet, type TestReplicaSet } from "../../peers/mongo/replica-set.js";
import { databaseName } from "./open-mongo.js";

const HISTORIES = Number(process.env.AISLE_MONGO_HISTORIES ?? (process.env.AISLE_FAULTS === "full" ? 10_000 : 150));
const FIRST_SEED = Number(process.env.AISLE_MONGO_SEED ?? seedOfThisRun());
/** A new primary is found within some 600 ms, so there are fewer of these. */
const FAILOVER_SHARE = 0.006;
const FAULT_SHARE = 0.18;
/** Histories of one replica set: it keeps all that was written, and gets slower. */
const OF_ONE_SET = 250;
const WORKS = 16;
const ACCOUNTS = ["a", "b", "c"];

/** Random numbers below 1 from a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const numberAt = (tx: Transaction, key: string) => Number(tx.visitorKeys.get(key) ?? 0);

/** Moves one unit between two accounts, appends a link to a chain and records an event. */
function work(tx: Transaction, id: string, from: string, to: string): void {
  const links = numberAt(tx, "links");
  tx.visitorKeys.put("links", String(links + 1));
  tx.visitorKeys.put(`link ${links}`, id);
  tx.visitorKeys.put(from, String(numberAt(tx, from) - 1));
  tx.visitorKeys.put(to, String(numberAt(tx, to) + 1));
  tx.events.put(id, event(id));
}

/** What every reader must find: nothing moved by half, no link missing. */
function state(tx: Transaction) {
  const links = numberAt(tx, "links");
  return {
    sum: ACCOUNTS.reduce((sum, account) => sum + numberAt(tx, account), 0),
    chain: Array.from({ length: links }, (_, n) => tx.visitorKeys.get(`link ${n}`)),
  };
}

/** The driver may still look for the primary when the faults have ended. */
async function whenHealed<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Unavailable) || attempt === 5) throw error;
    }
  }
}

async function runHistory(
  seed: number,
  members: TestReplicaSet,
  stores: readonly Store[],
): Promise<{ faults: number; acknowledged: number }> {
  const random = randomFrom(seed);
  const appId = `history${seed}`;
  const below = (count: number) => Math.floor(random() * count);
  let faults = 0;
  members.onCommand = ({ name }: Command): Fate => {
    if (name === "getMore" || name === "hello") return "answer";
    const dice = random();
    if (dice >= FAULT_SHARE) return "answer";
    faults++;
    if (dice < FAILOVER_SHARE) members.failOver();
    else if (dice < 0.02) members.cut();
    else if (dice < 0.04) members.lag(below(20));
    return dice < 0.11 ? "lose command" : "lose answer";
  };
  const acknowledged: string[] = [];
  const torn: unknown[] = [];
  const works = Array.from({ length: WORKS }, async (_, n) => {
    const store = stores[n % stores.length]!;
    const id = `e${String(n).padStart(3, "0")}`;
    const [from, to] = [ACCOUNTS[below(3)]!, ACCOUNTS[below(3)]!];
    try {
      if (n % 4 === 3) {
        const seen = await store.unitOfWork.run(appId, state);
        if (seen.sum !== 0 || seen.chain.includes(undefined)) torn.push(seen);
        return;
      }
      await store.unitOfWork.run(appId, (tx) => work(tx, id, from, to));
      acknowledged.push(id);
    } catch {
      // its outcome is unknown: it may be there once or not at all
    }
  });
  await Promise.all(works);
  members.onCommand = () => "answer";
  members.lag(0);
  const found = await whenHealed(() => stores[0]!.unitOfWork.run(appId, state));
  const listed = await whenHealed(() => stores[1]!.events.list(appId, "", 1000, false));
  const events = listed.map(({ eventId }) => eventId);
  const context = `seed ${seed}`;
  expect(torn, context).toEqual([]);
  expect(found.sum, context).toBe(0);
  expect(new Set(found.chain).size, context).toBe(found.chain.length); // nothing twice
  expect([...found.chain].sort(), context).toEqual(events);
  expect(events, context).toEqual(expect.arrayContaining(acknowledged));
  return { faults, acknowledged: acknowledged.length };
}

it(
  `${HISTORIES} histories of faults lose no acknowledged work, make none twice and show none by half`,
  async () => {
    const total = { faults: 0, acknowledged: 0 };
    const end = FIRST_SEED + HISTORIES;
    for (let first = FIRST_SEED; first < end; first += OF_ONE_SET) {
      const members = await openTestReplicaSet();
      members.limitTransactions(500);
      const url = members.url(databaseName());
      const open = () => openMongoStore({ url, now: () => 1000, limits: { answerMs: 5000 } });
      const stores = [await open(), await open()];
      for (let seed = first; seed < Math.min(end, first + OF_ONE_SET); seed++) {
        const { faults, acknowledged } = await runHistory(seed, members, stores).catch((cause: unknown) => {
          throw new Error(`The history of seed ${seed} failed`, { cause });
        });
        total.faults += faults;
        total.acknowledged += acknowledged;
      }
      for (const store of stores) await store.close();
      await members.close();
    }
    process.stderr.write(
      `mongo histories: ${HISTORIES} from seed ${FIRST_SEED}, ${total.faults} faults, ${total.acknowledged} works acknowledged\n`,
    );
    expect(total.faults).toBeGreaterThan(HISTORIES);
  },
  HISTORIES * 2000 + 60_000,
);
