import { describe, expect, it } from "vitest";
import { runAtOnce, runInPieces, type Steps } from "../../../src/learning/snapshot/yielding-steps.js";

/** Works for some milliseconds in each step. */
function* slow(steps: number): Steps<number> {
  for (let step = 0; step < steps; step++) {
    const until = performance.now() + 2;
    while (performance.now() < until);
    yield;
  }
  return steps;
}

describe("work in steps", () => {
  it("gives the same result in pieces as at once", async () => {
    expect(await runInPieces(slow(3))).toBe(3);
    expect(runAtOnce(slow(3))).toBe(3);
  });

  it("lets other work run between pieces", async () => {
    let turns = 0;
    let goesOn = true;
    const turn = () => {
      turns++;
      if (goesOn) setImmediate(turn);
    };
    setImmediate(turn);
    await runInPieces(slow(10));
    goesOn = false;
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it("rejects with the error that a step throws", async () => {
    function* failing(): Steps<void> {
      yield;
      throw new Error("damaged");
    }
    await expect(runInPieces(failing())).rejects.toThrow("damaged");
  });
});
