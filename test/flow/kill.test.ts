import { describe, expect, it } from "vitest";
import { rpcClients, startServer } from "../fixtures/server.js";
import { serverStoreKinds } from "../fixtures/server-stores.js";

/** Rounds on an embedded store, which is put back together from its files; a long run asks for 200. */
const EMBEDDED_ROUNDS = Number(process.env.AISLE_KILL_ROUNDS ?? 20);
const ROUNDS: Readonly<Record<string, number>> = { embedded: EMBEDDED_ROUNDS };
const OTHER_ROUNDS = 6;
const CALLERS = 16;
const SEED = 20_261_121;

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Sends events to the server until it is gone; the ids of those that were answered 200. */
function load(facadeUrl: string) {
  const ids: string[] = [];
  const caller = async (n: number) => {
    for (let i = 0; ; i++) {
      const body = `app_id=shop&action_type=product_view&product_ids=p${i % 50}&c_id=c${n}&fp_ccid=f${n}`;
      try {
        const answer = await fetch(`${facadeUrl}/trace`, { method: "POST", body: new URLSearchParams(body) });
        if (answer.status === 200) ids.push(answer.headers.get("x-service-event-id") ?? "");
        await answer.arrayBuffer();
      } catch {
        return; // the server is gone
      }
    }
  };
  return { ids, ended: Promise.all(Array.from({ length: CALLERS }, (_, n) => caller(n))) };
}

async function lostOf(rpcUrl: string, ids: readonly string[]): Promise<string[]> {
  const { events } = rpcClients(rpcUrl);
  const lost: string[] = [];
  const look = (eventId: string) => events.getEvent({ appId: "shop", eventId }).catch(() => lost.push(eventId));
  for (let at = 0; at < ids.length; at += 50) await Promise.all(ids.slice(at, at + 50).map(look));
  return lost;
}

describe.each(await serverStoreKinds())("kill -9 at random moments under load: $name", ({ name, newStore, env }) => {
  it(
    "every event answered 200 is there after it",
    async () => {
      const store = await newStore();
      const random = seededRandom(SEED);
      let server = await startServer({ store, env });
      await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
      for (let round = 0; round < (ROUNDS[name] ?? OTHER_ROUNDS); round++) {
        const { ids, ended } = load(server.facadeUrl);
        // So many answers, which a slow machine needs longer for, and then somewhere in the next transactions.
        const enough = 1 + random() * 150;
        await expect.poll(() => ids.length, { interval: 5, timeout: 30_000 }).toBeGreaterThan(enough);
        await new Promise((resolve) => setTimeout(resolve, random() * 20));
        await server.end("SIGKILL");
        await ended;
        server = await startServer({ store, env });
        expect(await lostOf(server.rpcUrl, ids)).toEqual([]);
      }
    },
    300_000 + EMBEDDED_ROUNDS * 10_000,
  );
});
