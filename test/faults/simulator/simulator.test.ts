import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { seed } from "../../fixtures/runs.js";

const RUN = join(import.meta.dirname, "run.mjs");

function simulate(...options: string[]): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [RUN, ...options], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr });
    });
  });
}

/** What a run found and counted, without how long it took. */
const withoutTimes = (said: string) => said.replace(/"seconds":[^,]*,"perMinute":[^,]*,/, "");

it("simulated histories of kills, power cuts, stops, partitions and wrong clocks lose, double and forget nothing", {
  timeout: 240_000,
}, async () => {
  const { code, said } = await simulate("--histories", "80", "--seed", String(seed()));
  expect(said).toContain('"failed":0,"histories":80');
  expect(code).toBe(0);
});

it.each([
  "acknowledges before the sync",
  "takes a lost lease for a held one (no fencing)",
  "forgets a table when it erases (history)",
  "claims a key after the write",
  "forgets the latch after a failed write",
  "does not sync the directory",
])("the simulator finds the planted fault: %s", { timeout: 240_000 }, async (mutant) => {
  const { code, said } = await simulate("--histories", "100", "--stop-at-fault", "--mutant", mutant);
  expect(said).toMatch(/^seed \d+: /m);
  expect(code).toBe(1);
});

it.each([
  ["an erasure after a server had begun with a clock that was ahead", "565"],
  ["an erasure by a server after another one, whose clock was ahead, took the events", "6615027"],
])("a history that once failed passes: %s", { timeout: 240_000 }, async (_, seed) => {
  const { said } = await simulate("--seed", seed);
  expect(said).toContain('"failed":0');
});

it("the seed of a failed history repeats it", { timeout: 240_000 }, async () => {
  const planted = ["--mutant", "forgets the latch after a failed write"];
  const { said } = await simulate("--histories", "100", "--stop-at-fault", ...planted);
  const seed = /^seed (\d+): /m.exec(said)?.[1] ?? "";
  const [again, onceMore] = [await simulate("--seed", seed, ...planted), await simulate("--seed", seed, ...planted)];
  expect(said.split("\n").filter((line) => line.startsWith("seed"))).toEqual(
    again.said.split("\n").filter((line) => line.startsWith("seed")),
  );
  expect(withoutTimes(onceMore.said)).toBe(withoutTimes(again.said));
});
