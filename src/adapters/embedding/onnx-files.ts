import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Unavailable } from "../../domain/errors.js";

/** The files of a sentence model, as model hubs lay them out. */
export interface OnnxFiles {
  readonly model: string;
  /** Content of `tokenizer.json` and `tokenizer_config.json`; the latter defaults to `{}`. */
  readonly tokenizer: object;
  readonly tokenizerConfig: object;
  /** Maximum tokens read of a text. */
  readonly maxTokens: number;
  /** Changes with the content of the files. */
  readonly fingerprint: string;
}

const MODEL_NAMES = ["model.onnx", join("onnx", "model.onnx")];
const MOST_TOKENS = 512;

/**
 * Finds the files of a model. `path` is a folder with `model.onnx` (there or in `onnx/`) or such a file; the tokenizer
 * lies beside the model or in the folder above. Throws Unavailable that says which file is missing or not readable.
 */
export function findOnnxFiles(path: string): OnnxFiles {
  const model = modelFile(path);
  const folders = [dirname(model), dirname(dirname(model))];
  const find = (name: string) => folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  const tokenizerFile = find("tokenizer.json");
  if (tokenizerFile === undefined) throw new Unavailable("tokenizer.json is missing beside the ONNX model");
  const configFile = find("tokenizer_config.json");
  const sentenceFile = find("sentence_bert_config.json");
  const tokenizerConfig = configFile === undefined ? {} : readObject(configFile);
  const limits = [
    numberOf(sentenceFile === undefined ? {} : readObject(sentenceFile), "max_seq_length"),
    numberOf(tokenizerConfig, "model_max_length"),
    MOST_TOKENS,
  ].filter((limit) => limit !== undefined && limit >= 1);
  const hash = createHash("sha256");
  for (const file of [model, tokenizerFile, configFile]) if (file !== undefined) hash.update(read(file));
  const maxTokens = Math.min(...limits.map(Number));
  return {
    model,
    tokenizer: readObject(tokenizerFile),
    tokenizerConfig,
    maxTokens,
    fingerprint: `${hash.digest("hex").slice(0, 32)} ${maxTokens}`,
  };
}

function modelFile(path: string): string {
  const candidates = [path, ...MODEL_NAMES.map((name) => join(path, name))];
  const found = candidates.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
  if (found === undefined) throw new Unavailable("no ONNX model at this path");
  return found;
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new Unavailable("a file of the ONNX model is unreadable", undefined, { cause });
  }
}

function readObject(file: string): object {
  let value: unknown;
  try {
    value = JSON.parse(read(file).toString("utf8"));
  } catch (cause) {
    throw new Unavailable("a tokenizer file is not JSON", undefined, { cause });
  }
  if (typeof value !== "object" || value === null) throw new Unavailable("a tokenizer file holds no object");
  return value;
}

function numberOf(value: object, name: string): number | undefined {
  const found: unknown = new Map(Object.entries(value)).get(name);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}
