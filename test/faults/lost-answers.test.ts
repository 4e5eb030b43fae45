import { request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { rpcClients, startServer } from "../fixtures/server.js";
import { serverStoreKinds } from "../fixtures/server-stores.js";
import { openTcpProxy } from "../fixtures/tcp-proxy.js";
import { faultStoreOf, rounds } from "./faults.js";
import { recordFault } from "./report.js";

const EVENTS = rounds(40, 400);
const SENDERS = 8;
/** The server is killed and started again when so many events have been begun. */
const RESTARTS_AT = Array.from({ length: EVENTS / 20 }, (_, n) => 10 + n * 20);

interface Answer {
  readonly status: number;
  readonly eventId: string;
}

/** Sends a form on a connection of its own; undefined when that ends before the answer. `written` is told when all was sent. */
function send(port: number, key: string, written: () => void): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const headers = { "content-type": "application/x-www-form-urlencoded", "idempotency-key": key };
    const call = request({ port, method: "POST", path: "/trace", agent: false, headers }, (answer) => {
      const eventId = String(answer.headers["x-service-event-id"] ?? "");
      answer.on("error", () => resolve(undefined));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, eventId }));
      answer.resume();
    });
    call.on("error", () => resolve(undefined));
    call.on("finish", written);
    call.end(`app_id=shop&action_type=order&order_id=${key}&product_ids=p1&c_id=c-${key}`);
  });
}

describe.each(await serverStoreKinds())(
  "events sent again with their idempotency key: $name",
  ({ name, newStore, env }) => {
    it(
      "are stored once, though answers were lost, connections reset and the server was killed",
      async () => {
        const store = await newStore();
        let server = await startServer({ store, env });
        await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
        const target = { host: "127.0.0.1", port: Number(new URL(server.facadeUrl).port) };
        const proxy = await openTcpProxy(target);
        onTestFinished(() => proxy.close());

        const answers = new Map<string, string>();
        let lost = 0;
        let begun = 0;
        let restarting: Promise<void> = Promise.resolve();
        const restart = async () => {
          await server.end("SIGKILL");
          server = await startServer({ store, env });
          target.port = Number(new URL(server.facadeUrl).port);
        };
        /** Each event loses one or two answers, and then is sent until it has one. */
        const deliver = async (number: number) => {
          const key = `key-${number}`;
          for (let attempt = 0; ; attempt++) {
            const isCut = attempt < 1 + (number % 2);
            if (isCut && number % 3 !== 0) proxy.swallow(1);
            const resets = isCut && number % 3 === 0;
            const answer = await send(proxy.port, key, () => resets && setImmediate(() => proxy.reset()));
            if (answer?.status === 200) {
              const before = answers.get(key);
              if (before !== undefined) expect(answer.eventId).toBe(before);
              answers.set(key, answer.eventId);
              if (!isCut) return;
            } else lost++;
            await restarting;
          }
        };
        const sender = async () => {
          while (begun < EVENTS) {
            const number = begun++;
            if (RESTARTS_AT.includes(number)) restarting = restart();
            await deliver(number);
          }
        };
        await Promise.all(Array.from({ length: SENDERS }, sender));
        proxy.restore();

        // Once more, all of them, and by now without any trouble.
        for (const [key, eventId] of answers) {
          expect(await send(proxy.port, key, () => undefined)).toEqual({ status: 200, eventId });
        }
        const { events } = await rpcClients(server.rpcUrl).events.listEvents({ appId: "shop", pageSize: 1000 });
        const ids = new Set(events.map(({ eventId }) => eventId));
        const keys = new Map(events.map(({ eventId, order }) => [order?.orderId ?? "", eventId]));
        const counts = {
          acknowledged: answers.size,
          lost: [...answers.values()].filter((eventId) => !ids.has(eventId)).length,
          duplicated: events.length - keys.size,
          wrong: [...answers].filter(([key, eventId]) => keys.get(key) !== eventId).length,
        };
        expect(counts).toEqual({ acknowledged: EVENTS, lost: 0, duplicated: 0, wrong: 0 });
        expect(events).toHaveLength(EVENTS);
        expect(lost).toBeGreaterThan(EVENTS / 2);
        const seen = `${lost.toLocaleString("en")} answers lost, ${RESTARTS_AT.length} restarts; each key had one event id`;
        recordFault("lost-answers", faultStoreOf(name), { rounds: EVENTS, ...counts, seen });
      },
      180_000 + EVENTS * 500,
    );
  },
);
