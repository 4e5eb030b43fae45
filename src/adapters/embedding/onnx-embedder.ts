import { Tokenizer } from "@huggingface/tokenizers";
import { Unavailable } from "../../domain/errors.js";
import type { TextEmbedder } from "../embedder.js";
import { findOnnxFiles } from "./onnx-files.js";
import type { OnnxRuntime, OnnxSession, OnnxTensor } from "./onnx-runtime.js";

const INPUTS: ReadonlySet<string> = new Set(["input_ids", "attention_mask", "token_type_ids"]);

/**
 * A local sentence model in ONNX form with its tokenizer (Reimers, Gurevych: Sentence-BERT, 2019): the mean of its last
 * hidden states, or its `sentence_embedding` when it pools by itself. Nothing is ever downloaded.
 *
 * One text at a time, by one thread: texts of a batch are padded to the longest, and sums in another order round
 * differently, so a vector would depend on its neighbours; alone, the same text has the same bits. Rejects with
 * Unavailable for files or models that cannot be used.
 */
export async function openOnnxEmbedder(path: string, loadRuntime: () => Promise<OnnxRuntime>): Promise<TextEmbedder> {
  const files = findOnnxFiles(path);
  const tokensOf = createTokens(files.tokenizer, files.tokenizerConfig, files.maxTokens);
  const runtime = await loadRuntime();
  const session = await open(runtime, files.model);
  const unknown = session.inputNames.filter((name) => !INPUTS.has(name));
  if (unknown.length > 0 || !session.inputNames.includes("input_ids")) {
    await session.release();
    throw new Unavailable("the ONNX model has inputs other than input_ids, attention_mask and token_type_ids");
  }

  const embed = async (text: string): Promise<Float32Array> => {
    const tokens = tokensOf(text);
    const dims = [1, tokens.length];
    const tensor = (value: (token: number) => number) =>
      new runtime.Tensor(
        "int64",
        BigInt64Array.from(tokens, (token) => BigInt(value(token))),
        dims,
      );
    const feeds: Record<string, OnnxTensor> = {};
    for (const name of session.inputNames) {
      if (name === "input_ids") feeds[name] = tensor((token) => token);
      else feeds[name] = tensor(() => (name === "attention_mask" ? 1 : 0));
    }
    try {
      return sentenceVector(await session.run(feeds), session.outputNames);
    } catch (cause) {
      if (cause instanceof Unavailable) throw cause;
      throw new Unavailable("the ONNX model failed on a text", undefined, { cause });
    }
  };

  return {
    name: `onnx ${files.fingerprint}`,
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (const text of texts) vectors.push(await embed(text));
      return vectors;
    },
    close: () => session.release(),
  };
}

async function open(runtime: OnnxRuntime, model: string): Promise<OnnxSession> {
  try {
    return await runtime.InferenceSession.create(model, {
      executionProviders: ["cpu"],
      executionMode: "sequential",
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
    });
  } catch (cause) {
    throw new Unavailable("the ONNX model cannot be opened", undefined, { cause });
  }
}

/** Token ids of a text, with those that enclose every text; a longer text loses its end but keeps the closing token. */
function createTokens(tokenizer: object, config: object, maxTokens: number): (text: string) => number[] {
  let known: Tokenizer;
  let around: number[];
  try {
    known = new Tokenizer(tokenizer, config);
    around = [...known.encode("").ids];
  } catch (cause) {
    throw new Unavailable("the tokenizer of the ONNX model is of an unsupported kind", undefined, { cause });
  }
  const closing = around.length >= 2 ? around.at(-1) : undefined;
  return (text) => {
    const ids = [...known.encode(text).ids];
    if (ids.length <= maxTokens) return ids;
    return closing === undefined ? ids.slice(0, maxTokens) : [...ids.slice(0, maxTokens - 1), closing];
  };
}

function sentenceVector(outputs: Readonly<Record<string, OnnxTensor>>, names: readonly string[]): Float32Array {
  const pooled = outputs.sentence_embedding;
  if (pooled !== undefined) return numbersOf(pooled).slice();
  const hidden =
    outputs.last_hidden_state ?? names.map((name) => outputs[name]).find((found) => found?.dims.length === 3);
  const [, length = 0, dimensions = 0] = hidden?.dims ?? [];
  if (hidden === undefined || hidden.dims.length !== 3 || length === 0 || dimensions === 0)
    throw new Unavailable("the ONNX model outputs neither sentence_embedding nor hidden states");
  const states = numbersOf(hidden);
  const sums = new Float64Array(dimensions);
  for (let t = 0; t < length; t++) for (let d = 0; d < dimensions; d++) sums[d]! += states[t * dimensions + d]!;
  return Float32Array.from(sums, (sum) => sum / length);
}

function numbersOf({ data }: OnnxTensor): Float32Array {
  if (!(data instanceof Float32Array)) throw new Unavailable("the ONNX model outputs no 32-bit floats");
  return data;
}
