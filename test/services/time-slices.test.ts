import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { TimeSlices } from "../../src/services/time-slices.js";

function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

it("time slices leave turns of the event loop to others while many work", async () => {
  const slices = new TimeSlices();
  let inTurn = 0;
  let most = 0;
  let left = 200;
  const workers = Array.from({ length: left }, async () => {
    await slices.take();
    work(1);
    most = Math.max(most, ++inTurn);
    left--;
  });
  while (left > 0) {
    await setImmediate();
    inTurn = 0;
  }
  await Promise.all(workers);
  expect(most).toBeLessThan(10);
});

it("time slices come in the order in which they were asked for, also after a pause", async () => {
  const slices = new TimeSlices();
  const done: number[] = [];
  const ask = (n: number) => slices.take().then(() => done.push(n));
  await Promise.all(Array.from({ length: 150 }, (_, n) => ask(n)));
  await setImmediate();
  await ask(150);
  expect(done).toEqual(Array.from({ length: 151 }, (_, n) => n));
});

it("time slices go on in every turn of the event loop, however long the rest of it takes", async () => {
  const slices = new TimeSlices();
  let done = 0;
  const workers = Array.from({ length: 20 }, () => slices.take().then(() => ++done));
  let turns = 0;
  while (done < workers.length) {
    turns++;
    await setImmediate();
    work(5);
  }
  expect(turns).toBeLessThan(3 * workers.length);
});
