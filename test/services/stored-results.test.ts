import { describe, expect, it } from "vitest";
import { newOperation } from "../../src/domain/operation.js";
import { operationMessage } from "../../src/services/operation-messages.js";

/** Results of November 2026, when figures were maps by name and algorithms had names. */
const STORED = {
  model:
    "Ut8BCgJtMRIKMjAyNjAxMDEwMBgBIgYIgPLWygYqBgiA8tbKBjAFOgIIAkIMCghwcm9kdWN0cxAHQgoKBm9yZGVycxADSicKEWFzc29jaWF0aW9uX3J1bGVzEAEiEAoFcnVsZXMRAAAAAAAAKEBKWAoKYmxlbmRfY2FydBABIhQKCXF1ZXN0aW9ucxEAAAAAAABOQCIWCgtoaXRfcmF0ZV8yMBEAAAAAAADQPyIaCg93ZWlnaHRfZmV3X2NhcnQRAAAAAAAA4D9KGAoGcmFua2VyGg50b28gZmV3IHZpc2l0cw==",
  evaluation:
    "WpsCCgYIgPLWygYQAxoMCghwcm9kdWN0cxAHGhEKDWp1ZGdlZF92aXNpdHMQBCJRCgluZXh0X2l0ZW0QBBgJKkAKBGVhc2UQAxoWCgtoaXRfcmF0ZV8yMBEAAAAAAADgPyIeCAEQARgCIhYKC2hpdF9yYXRlXzIwEQAAAAAAAOA/KicKEWFzc29jaWF0aW9uX3J1bGVzEAEiEAoFcnVsZXMRAAAAAAAAKEAqWAoKYmxlbmRfY2FydBABIhQKCXF1ZXN0aW9ucxEAAAAAAABOQCIWCgtoaXRfcmF0ZV8yMBEAAAAAAADQPyIaCg93ZWlnaHRfZmV3X2NhcnQRAAAAAAAA4D8qGAoGcmFua2VyGg50b28gZmV3IHZpc2l0cw==",
  erasure: "YjYKAmUxEgYIgPLWygYaBgiA8tbKBiIKCgZldmVudHMQBCISCg5yZWplY3RlZEV2ZW50cxABKAI=",
};

describe("the stored result of an operation from before typed figures", () => {
  const open = (result: string) => {
    const operation = { ...newOperation("o1", "train_model", 1), state: "succeeded", endedAt: 2, result } as const;
    return operationMessage("shop", operation).result;
  };

  it("opens without its figures: a model", () => {
    expect(open(STORED.model)).toMatchObject({
      case: "model",
      value: {
        modelId: "m1",
        version: "2026010100",
        sizeBytes: 5n,
        algorithms: [{ included: true }, {}, { reason: "too few visits" }],
      },
    });
  });

  it("opens without its figures: an evaluation", () => {
    expect(open(STORED.evaluation)).toMatchObject({
      case: "evaluation",
      value: { seed: 3, tasks: [{ queryCount: 4, rankings: [{ histories: [{ queryCount: 2 }] }] }] },
    });
  });

  it("opens without its figures: an erasure", () => {
    expect(open(STORED.erasure)).toMatchObject({ case: "erasure", value: { erasureId: "e1", keptContactCount: 2 } });
  });
});
