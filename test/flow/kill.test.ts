import { expect, it } from "vitest";
import { rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";

const ROUNDS = 20;
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

it(`every event answered 200 is there after kill -9 at random moments under load, ${ROUNDS} rounds`, async () => {
  const directory = await temporaryDirectory();
  const random = seededRandom(SEED);
  let server = await startServer({ directory });
  await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
  let acknowledged = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { facadeUrl } = server;
    const ids: string[] = [];
    let killed = false;
    const caller = async (n: number) => {
      for (let i = 0; !killed; i++) {
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
    const callers = Array.from({ length: CALLERS }, (_, n) => caller(n));
    await new Promise((resolve) => setTimeout(resolve, 50 + random() * 350));
    await server.end("SIGKILL");
    killed = true;
    await Promise.all(callers);

    server = await startServer({ directory });
    const { events } = rpcClients(server.rpcUrl);
    const lost: string[] = [];
    for (const eventId of ids) {
      await events.getEvent({ appId: "shop", eventId }).catch(() => lost.push(eventId));
    }
    expect(lost).toEqual([]);
    acknowledged += ids.length;
  }
  expect(acknowledged).toBeGreaterThan(ROUNDS * 10);
}, 300_000);
