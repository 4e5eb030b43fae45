import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { createTurns } from "../../../src/services/wire/turns.js";

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
