import { describe, expect, it } from "vitest";
import { RateLimited } from "../../src/domain/errors.js";
import { createReplicaSenderLimit } from "../../src/intake/replica-sender-limit.js";
import { createSenderLimit, LimitTable, limitKey, type SenderLimit } from "../../src/intake/sender-limit.js";
import type { TallyBoard, TallySheet } from "../../src/store/ports/tally-board.js";

const OUTSIDER = { network: "203.0.113.0/24" };
const SHOP = { network: "198.51.100.0/24" };

/** How many of `count` requests are let in. */
async function admitted(limit: SenderLimit, key: string, count: number): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: count }, async () => limit(key)));
  for (const outcome of outcomes)
    if (outcome.status === "rejected" && !(outcome.reason instanceof RateLimited)) throw outcome.reason;
  return outcomes.filter(({ status }) => status === "fulfilled").length;
}

describe("the limit of backend senders", () => {
  it("is the documented one for the shop's own systems and for each other network, of each app", async () => {
    const limit = createSenderLimit(() => 0);
    for (const key of [
      limitKey("shop", OUTSIDER),
      limitKey("shop", SHOP),
      limitKey("shop", { network: "" }),
      limitKey("shop", undefined),
      limitKey("other", OUTSIDER),
    ]) {
      expect(await admitted(limit, key, 150)).toBe(100);
    }
  });

  it("has keys that do not reveal the network", () => {
    expect(limitKey("shop", OUTSIDER)).toMatch(/^shop [A-Za-z0-9_-]{16}$/);
    expect(limitKey("shop", OUTSIDER)).toBe(limitKey("shop", { ...OUTSIDER }));
  });

  it("forgets the networks that asked longest ago, and never the shop", () => {
    const table = new LimitTable<number>(3);
    table.set("shop", 0);
    for (let n = 1; n <= 1000; n++) table.set(limitKey("shop", { network: `10.0.${n}.0/24` }), n);
    expect(table.size).toBe(4);
    expect(table.values()).toEqual([0, 998, 999, 1000]);
    table.set(limitKey("shop", { network: "10.0.998.0/24" }), 998);
    table.set(limitKey("shop", OUTSIDER), 1);
    expect(table.values()).toEqual([0, 1000, 998, 1]);
  });

  it("cannot be used up by an outsider in processes that share a store, whose networks do not fill the board", async () => {
    let now = 0;
    let counts = 0;
    const sheets = new Map<string, TallySheet>();
    const board: TallyBoard = {
      exchange: async (own) => {
        sheets.set(own.holder, own);
        return [...sheets.values()].filter(({ holder }) => holder !== own.holder);
      },
      leave: async (holder) => void sheets.delete(holder),
    };
    const processes = ["one", "two"].map((holder) =>
      createReplicaSenderLimit({ board, holder, newCount: () => `c${counts++}`, monotonicNow: () => now }),
    );
    for (let round = 0; round < 40; round++, now += 250) {
      for (const { limit } of processes) await admitted(limit, limitKey("shop", OUTSIDER), 200);
      for (const { exchange } of processes) await exchange();
    }
    for (let n = 0; n < 5000; n++) await admitted(processes[0]!.limit, limitKey("shop", { network: `10.${n}` }), 1);
    for (const { limit } of processes) {
      expect(await admitted(limit, limitKey("shop", SHOP), 15)).toBe(15);
      expect(await admitted(limit, limitKey("shop", undefined), 15)).toBe(15);
    }
    for (const { exchange } of processes) await exchange();
    expect(sheets.get("one")?.tallies.length).toBeLessThanOrEqual(257);
  });
});
