import { expect, it } from "vitest";
import { ModelService } from "../../src/gen/aisle/v1/model_service_pb.js";
import { createEvaluator } from "../../src/learning/evaluation/evaluator.js";
import { createModelService } from "../../src/services/model-service.js";
import { directClient } from "../../src/services/wire/direct-clients.js";
import { emptyStore, testApp } from "../fixtures/store.js";

it("EvaluateModel stops the evaluation when its caller leaves, and accepts the next call", async () => {
  const { models } = await emptyStore();
  const apps = { get: async () => testApp("shop") };
  const signals: AbortSignal[] = [];
  const evaluate = createEvaluator({
    apps,
    runEvaluation: (_query, onProgress, signal) =>
      new Promise((_, reject) => {
        signals.push(signal);
        onProgress({ stage: "split", progress: 0 });
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  });
  const never = async () => {
    throw new Error("not asked for");
  };
  const service = createModelService({
    trainer: { train: never },
    evaluate,
    apps,
    models,
    activate: never,
    hold: never,
    mutation: () => never,
    report() {},
  });
  const client = directClient(ModelService, service);
  for (let round = 0; round < 2; round++) {
    for await (const { stage } of client.evaluateModel({ appId: "shop" })) {
      expect(stage).toBe("split");
      break;
    }
  }
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});
