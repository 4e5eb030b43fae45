import { describe, expect, it } from "vitest";
import { createEvaluator, type RunEvaluation } from "../../../src/learning/evaluation/evaluator.js";
import type { Evaluation } from "../../../src/learning/evaluation/report.js";
import { testApp } from "../../fixtures/store.js";

const EVALUATION: Evaluation = { cutOff: 1, seed: 1, dataCounts: {}, tasks: [], algorithms: [] };
const QUERY = { appId: "shop", maxQueries: 10, seed: 1 };
const { signal } = new AbortController();

function evaluator(runEvaluation: RunEvaluation = async () => EVALUATION) {
  const apps = { get: async (appId: string) => (appId === "shop" ? testApp("shop") : undefined) };
  return createEvaluator({ apps, runEvaluation });
}

describe("the evaluator", () => {
  it("rejects an unknown app", async () => {
    await expect(evaluator().evaluate({ ...QUERY, appId: "none" }, () => {}, signal)).rejects.toMatchObject({
      resource: "app",
    });
  });

  it("rejects a second evaluation while one runs, and accepts one after a failure", async () => {
    let fail = (_: Error) => {};
    let runs = 0;
    const { evaluate, check } = evaluator(() => {
      if (runs++ > 0) return Promise.resolve(EVALUATION);
      return new Promise((_, reject) => {
        fail = reject;
      });
    });
    const first = evaluate(QUERY, () => {}, signal);
    await expect(evaluate(QUERY, () => {}, signal)).rejects.toMatchObject({ kind: "aborted" });
    await expect(check("shop")).rejects.toMatchObject({ kind: "aborted" });
    fail(new Error("away"));
    await expect(first).rejects.toThrow("away");
    expect(await evaluate(QUERY, () => {}, signal)).toBe(EVALUATION);
  });
});
