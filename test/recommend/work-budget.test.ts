import { describe, expect, it } from "vitest";
import { WorkBudget } from "../../src/recommend/work-budget.js";

function openBudget() {
  const clock = { at: 0, idle: 0 };
  const budget = new WorkBudget(
    () => clock.at,
    () => clock.idle,
  );
  const spend = (ms: number) =>
    budget.spend(() => {
      clock.at += ms;
    });
  const wait = (ms: number, idle = ms) => {
    clock.at += ms;
    clock.idle += idle;
    budget.refill();
  };
  return { budget, clock, spend, wait };
}

describe("a work budget", () => {
  it("allows three hundredths of the time of an idle thread", async () => {
    const { budget, spend, wait } = openBudget();
    let spent = 0;
    for (let second = 0; second < 10; second++) {
      wait(1000);
      for (; !budget.isSpent; spent++) await spend(1);
    }
    // And what was saved up at the beginning.
    expect(spent).toBeGreaterThanOrEqual(285);
    expect(spent).toBeLessThanOrEqual(312);
  });

  it.each([1, 0.5])("allows five thousandths of the time of a thread that is busy %d of it", async (busy) => {
    const { budget, spend, wait } = openBudget();
    let spent = 0;
    for (let second = 0; second < 10; second++) {
      wait(1000, 1000 * (1 - busy));
      for (; !budget.isSpent; spent++) await spend(1);
    }
    expect(spent).toBeGreaterThanOrEqual(50);
    expect(spent).toBeLessThanOrEqual(82);
  });

  it("saves up no more than 30 ms", async () => {
    const { budget, spend, wait } = openBudget();
    wait(3_600_000);
    let spent = 0;
    for (; !budget.isSpent; spent++) await spend(1);
    expect(spent).toBe(30);
  });

  it("counts a step that is longer than a piece in full", async () => {
    const { budget, spend, wait } = openBudget();
    let spent = 0;
    for (let second = 0; second < 10; second++) {
      wait(1000);
      for (; !budget.isSpent; spent += 8) await spend(8);
    }
    expect(spent).toBeLessThanOrEqual(340);
  });

  it("rests no longer than a second after a step of any length", async () => {
    const { budget, spend, wait } = openBudget();
    await spend(60_000);
    expect(budget.isSpent).toBe(true);
    wait(1001);
    expect(budget.isSpent).toBe(false);
  });

  it("leaves some steps each second to a store that is slow to answer", async () => {
    const { budget, clock, wait } = openBudget();
    const waitForStore = () =>
      budget.spend(async () => {
        await Promise.resolve();
        clock.at += 200;
        clock.idle += 200;
      });
    let steps = 0;
    for (let second = 0; second < 10; second++) {
      wait(1000);
      for (; !budget.isSpent; steps++) await waitForStore();
    }
    expect(steps).toBeGreaterThanOrEqual(150);
  });
});
