import { setImmediate } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { expect, it } from "vitest";
import { AppService } from "../../../src/gen/aisle/v1/app_service_pb.js";
import { createTurns } from "../../../src/services/wire/turns.js";
import { openListener } from "./rpc-fixture.js";

it("work begins at once while there is little, then waits in order for turns of a few milliseconds", async () => {
  let now = 0;
  const inTurn = createTurns(() => now);
  const done: number[] = [];
  for (let n = 0; n < 8; n++)
    inTurn(() => {
      now += 1;
      done.push(n);
    });
  expect(done).toEqual([0, 1]);
  const seen: number[] = [];
  while (done.length < 8) {
    await setImmediate();
    seen.push(done.length);
  }
  expect(Math.max(...seen.map((count, n) => count - (seen[n - 1] ?? 2)))).toBeLessThanOrEqual(2);
  expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

it("work that is dropped while it waits never runs, and the rest keeps its order, also after the queue was empty", async () => {
  let now = 0;
  const inTurn = createTurns(() => now);
  const done: string[] = [];
  const add = (name: string) =>
    inTurn(() => {
      now += 10;
      done.push(name);
    });
  for (const round of ["a", "b"]) {
    add(`${round}0`)();
    const drops = [1, 2, 3, 4].map((n) => add(`${round}${n}`));
    drops[0]?.();
    drops[2]?.();
    for (let n = 0; n < 5; n++) await setImmediate();
  }
  expect(done).toEqual(["a0", "a2", "a4", "b0", "b2", "b4"]);
});

it("work that throws does not keep other work from its turn", async () => {
  const inTurn = createTurns(() => 0);
  const done: string[] = [];
  expect(() =>
    inTurn(() => {
      throw new Error("it failed");
    }),
  ).toThrow("it failed");
  inTurn(() => done.push("next"));
  expect(done).toEqual(["next"]);
});

it("the promises of a work count, and settle before the next work begins", async () => {
  let now = 0;
  const inTurn = createTurns(() => now);
  const done: string[] = [];
  const work = (name: string) => () => {
    done.push(name);
    void Promise.resolve().then(() => {
      now += 5;
      done.push(`${name} ends`);
    });
  };
  now = 10;
  inTurn(() => {
    now += 2;
  });
  inTurn(work("a"));
  inTurn(work("b"));
  expect(done).toEqual([]);
  await setImmediate();
  expect(done).toEqual(["a", "a ends"]);
  await setImmediate();
  expect(done).toEqual(["a", "a ends", "b", "b ends"]);
});

it.each([
  ["gRPC", (baseUrl: string) => createGrpcTransport({ baseUrl })],
  ["Connect over HTTP/1.1", (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
])("calls that take long leave the event loop to others between each other: %s", async (_, transport) => {
  const order: ("call" | "others")[] = [];
  const { url } = await openListener({
    routes: (router) =>
      void router.service(AppService, {
        createApp: () => {
          order.push("call");
          globalThis.setImmediate(() => order.push("others"));
          const until = performance.now() + 5;
          while (performance.now() < until);
          return {};
        },
      }),
  });
  await Promise.all(
    Array.from({ length: 12 }, () => createClient(AppService, transport(url)).createApp({ app: { appId: "shop" } })),
  );
  const runs = order.join(" ").split("others");
  // A call whose body is read may still wait for its end, so a turn may begin two; the others come behind the next turn.
  expect(Math.max(...runs.map((run) => run.split("call").length - 1))).toBeLessThanOrEqual(5);
});
