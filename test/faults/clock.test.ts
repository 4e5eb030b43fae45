import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { rpcClients, startServer } from "../fixtures/server.js";
import { serverStoreKinds } from "../fixtures/server-stores.js";
import { eventReader, expectListed, isSubscribed, KeyedEvents, shiftedClock, subscribe } from "./clock.js";
import { storedEvents } from "./event-load.js";
import { expectServesAgain } from "./expect-recovery.js";
import { faultStoreOf, rounds } from "./faults.js";
import { randomOfThisRun } from "./random.js";
import { recordFault } from "./report.js";

const HOUR = 3600_000;
const FIRST = [25 * HOUR, -25 * HOUR];
const JUMP_MS = 6_000;
const EVENTS = 20;
const JUMPED = /the system clock jumped/;

describe.each(await serverStoreKinds())("a wrong system clock: $name", ({ name, newStore, env }) => {
  const random = randomOfThisRun(0);
  /** 25 hours ahead, 25 hours back, then any time within two months. */
  const shifts = Array.from(
    { length: rounds(2, 12) },
    (_, n) => FIRST[n] ?? (random() < 0.5 ? -1 : 1) * Math.round(HOUR * (1 + random() * 720)),
  );

  it(
    "stores nothing twice, lists every event and lets every contact unsubscribe during and after a jump of 6 s",
    async () => {
      const clock = await shiftedClock();
      const server = await startServer({ store: await newStore(), env: { ...env, ...clock.env() } });
      const { facadeUrl, rpcUrl } = server;
      await rpcClients(rpcUrl).apps.createApp({ app: { appId: "shop" } });
      const events = new KeyedEvents();
      const reader = eventReader();
      await expectListed(rpcUrl, reader, await events.send(facadeUrl, EVENTS));
      let slowest = 0;
      for (const [round, shift] of shifts.entries()) {
        const who = `visitor-${round}`;
        await clock.set(shift);
        const until = performance.now() + JUMP_MS;
        const during = [...(await events.send(facadeUrl, EVENTS))];
        await subscribe(facadeUrl, who, "1");
        expect(await isSubscribed(facadeUrl, who)).toBe(true);
        expect(await events.resend(facadeUrl)).toBe(0);
        await pause(Math.max(0, until - performance.now()));
        during.push(...(await events.send(facadeUrl, 1)));
        await clock.set(0);
        await expectListed(rpcUrl, reader, during);
        await subscribe(facadeUrl, who, "0");
        expect(await isSubscribed(facadeUrl, who)).toBe(false);
        expect(await events.resend(facadeUrl)).toBe(0);
        await expectListed(rpcUrl, reader, await events.send(facadeUrl, EVENTS));
        slowest = Math.max(slowest, await expectServesAgain(server, JUMPED));
        await reader.read(rpcUrl);
      }
      const judged = events.judge(await storedEvents(rpcUrl));
      expect(judged).toMatchObject({ lost: 0, duplicated: 0 });
      recordFault("clock-jumps", faultStoreOf(name), {
        rounds: shifts.length,
        ...judged,
        seen: `each event was sent three times or more; served again after ${Math.ceil(slowest)} ms at most`,
      });
    },
    120_000 + shifts.length * 60_000,
  );

  it(
    "stores nothing twice, lists every event and lets every contact unsubscribe after a start with a wrong clock",
    async () => {
      const clock = await shiftedClock();
      const store = await newStore();
      const events = new KeyedEvents();
      const reader = eventReader();
      let start = 0;
      let slowest = 0;
      // Another boot each time: the machine has not counted the time between.
      const open = () => startServer({ store, env: { ...env, ...clock.env(`boot-${start++}`) } });
      let server = await open();
      await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
      await expectListed(server.rpcUrl, reader, await events.send(server.facadeUrl, EVENTS));
      for (const [round, shift] of shifts.entries()) {
        await server.end("SIGTERM");
        await clock.set(shift);
        server = await open();
        const who = [`set-right-${round}`, `started-anew-${round}`] as const;
        for (const one of who) await subscribe(server.facadeUrl, one, "1");
        expect(await events.resend(server.facadeUrl)).toBe(0);
        await expectListed(server.rpcUrl, reader, await events.send(server.facadeUrl, EVENTS));
        await clock.set(0);
        await pause(2_000); // as long as every worker looks at the clock
        await subscribe(server.facadeUrl, who[0], "0");
        expect(await isSubscribed(server.facadeUrl, who[0])).toBe(false);
        expect(await events.resend(server.facadeUrl)).toBe(0);
        await expectListed(server.rpcUrl, reader, await events.send(server.facadeUrl, EVENTS));
        slowest = Math.max(slowest, await expectServesAgain(server, JUMPED));
        await server.end("SIGTERM");
        server = await open();
        await reader.read(server.rpcUrl);
        await subscribe(server.facadeUrl, who[1], "0");
        expect(await isSubscribed(server.facadeUrl, who[1])).toBe(false);
        expect(await events.resend(server.facadeUrl)).toBe(0);
        await expectListed(server.rpcUrl, reader, await events.send(server.facadeUrl, EVENTS));
      }
      const judged = events.judge(await storedEvents(server.rpcUrl));
      expect(judged).toMatchObject({ lost: 0, duplicated: 0 });
      recordFault("wrong-clock", faultStoreOf(name), {
        rounds: shifts.length,
        ...judged,
        seen: `each event was sent three times or more; served again after ${Math.ceil(slowest)} ms at most`,
      });
    },
    120_000 + shifts.length * 90_000,
  );
});
