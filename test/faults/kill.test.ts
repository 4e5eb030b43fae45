import { describe, expect, it } from "vitest";
import { rpcClients, startServer } from "../fixtures/server.js";
import { serverStoreKinds } from "../fixtures/server-stores.js";
import { EventLoad, storedEvents } from "./event-load.js";
import { expectServesAgain } from "./expect-recovery.js";
import { faultStoreOf, rounds } from "./faults.js";
import { randomOfThisRun } from "./random.js";
import { recordFault } from "./report.js";

/** Rounds on an embedded store, which is put back together from its files. */
const EMBEDDED_ROUNDS = Number(process.env.AISLE_KILL_ROUNDS ?? rounds(10, 200));
const MONGO_ROUNDS = rounds(4, 30);
const CALLERS = 16;

describe.each(await serverStoreKinds())("kill -9 at random moments under load: $name", ({ name, newStore, env }) => {
  const count = faultStoreOf(name) === "embedded" ? EMBEDDED_ROUNDS : MONGO_ROUNDS;
  it(
    "loses no event that was answered 200, stores none twice and changes none",
    async () => {
      const store = await newStore();
      const random = randomOfThisRun(0);
      const load = new EventLoad();
      let unanswered = 0;
      let server = await startServer({ store, env });
      await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
      for (let round = 0; round < count; round++) {
        const before = load.acknowledged.size;
        const ended = load.untilRefused(server.facadeUrl, CALLERS);
        // So many answers, which a slow machine needs longer for, and then somewhere in the next transactions.
        const enough = before + 1 + random() * 150;
        const isEnough = () => load.acknowledged.size > enough;
        // A store that is late refuses: then there is nothing more to wait for.
        await Promise.race([ended, expect.poll(isEnough, { interval: 5, timeout: 60_000 }).toBe(true)]);
        await new Promise((resolve) => setTimeout(resolve, random() * 20));
        await server.end("SIGKILL");
        await ended;
        server = await startServer({ store, env });
        const stored = await storedEvents(server.rpcUrl);
        expect(load.judge(stored)).toMatchObject({ lost: 0, duplicated: 0, wrong: 0 });
        unanswered = stored.length - load.acknowledged.size;
      }
      await expectServesAgain(server, /aisle is ready/);
      const seen = `${unanswered} more were stored, whose answers were on their way`;
      recordFault("kill", faultStoreOf(name), {
        rounds: count,
        ...load.judge(await storedEvents(server.rpcUrl)),
        seen,
      });
    },
    300_000 + count * 10_000,
  );
});
