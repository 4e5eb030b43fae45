import { describe, expect, it } from "vitest";
import { WorkBudget } from "../../src/recommend/work-budget.js";

function openBudget() {
  const clock = { at: 0 };
  const budget = new WorkBudget(() => clock.at);
  const spend = (ms: number) =>
    budget.spend(() => {
      clock.at += ms;
    });
  const wait = (ms: number) => {
    clock.at += ms;
    budget.refill();
  };
  return { budget, spend, wait };
}

describe("a work budget", () => {
  it("allows three hundredths of the time that passes", async () => {
    const { budget, spend, wait } = openBudget();
    let spent = 0;
    for (let second = 0; second < 10; second++) {
      wait(1000);
      for (; !budget.isSpent; spent++) await spend(1);
    }
    // And what was saved up at the beginning.
    expect(spent).toBeGreaterThanOrEqual(300);
    expect(spent).toBeLessThanOrEqual(312);
  });

  it("saves up no more than 30 ms", async () => {
    const { budget, spend, wait } = openBudget();
    wait(3_600_000);
    let spent = 0;
    for (; !budget.isSpent; spent++) await spend(1);
    expect(spent).toBe(30);
  });

  it("leaves some steps each second to a store that is slow to answer", async () => {
    const { budget, spend, wait } = openBudget();
    let steps = 0;
    for (let second = 0; second < 10; second++) {
      wait(1000);
      for (; !budget.isSpent; steps++) await spend(200);
    }
    expect(steps).toBeGreaterThanOrEqual(150);
  });
});
