import { setTimeout as sleep } from "node:timers/promises";
import { createHttpEmbedder } from "../adapters/embedding/http-embedder.js";
import { openOnnxEmbedder } from "../adapters/embedding/onnx-embedder.js";
import { loadOnnxRuntime } from "../adapters/embedding/onnx-runtime.js";
import { readTextVectors } from "../learning/snapshot/text-vectors.js";
import type { TextEmbedding } from "../learning/training/semantic.js";
import type { ModelStore } from "../store/ports/model-store.js";
import type { EmbedderLocation } from "./settings/embedder-location.js";

/**
 * The text model at a location, with cached vectors of the app's newest snapshot; undefined for the
 * built-in embedder, taught by visits or not.
 */
export function textEmbedding(
  location: EmbedderLocation,
  appId: string,
  models: Pick<ModelStore, "list" | "read">,
): TextEmbedding | undefined {
  if (location.kind === "builtin" || location.kind === "visits") return undefined;
  return {
    open: async () => {
      if (location.kind === "onnx") return openOnnxEmbedder(location.path, loadOnnxRuntime);
      return createHttpEmbedder({
        ...location,
        fetch,
        sleep: async (ms) => void (await sleep(ms)),
        random: Math.random,
        now: Date.now,
      });
    },
    kept: async () => {
      const [newest] = await models.list(appId);
      const bytes = newest && (await models.read(appId, newest.modelId));
      return bytes && readTextVectors(bytes);
    },
  };
}
