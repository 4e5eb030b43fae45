import { Unavailable } from "../../domain/errors.js";

/** The used part of `onnxruntime-node`. Operators install that package, so its own types may be missing. */
export interface OnnxRuntime {
  readonly Tensor: new (type: "int64", data: BigInt64Array, dims: readonly number[]) => OnnxTensor;
  readonly InferenceSession: {
    create(path: string, options: Readonly<Record<string, unknown>>): Promise<OnnxSession>;
  };
}

export interface OnnxTensor {
  readonly dims: readonly number[];
  /** Numbers of the model's own type, row by row. */
  readonly data: unknown;
}

export interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, OnnxTensor>>): Promise<Readonly<Record<string, OnnxTensor>>>;
  release(): Promise<void>;
}

// Typed `string`, so that the compiler does not resolve it: the package is no dependency.
const PACKAGE: string = "onnxruntime-node";

/** The installed runtime. Rejects with Unavailable when it is not installed or does not run here. */
export async function loadOnnxRuntime(): Promise<OnnxRuntime> {
  let loaded: unknown;
  try {
    loaded = await import(PACKAGE);
  } catch (cause) {
    throw new Unavailable("the package onnxruntime-node is not installed or does not run here", undefined, { cause });
  }
  const runtime = isRuntime(loaded) ? loaded : fieldOf(loaded, "default");
  if (!isRuntime(runtime)) throw new Unavailable("this version of onnxruntime-node is not supported");
  return runtime;
}

function isRuntime(value: unknown): value is OnnxRuntime {
  const session = fieldOf(value, "InferenceSession");
  return typeof fieldOf(value, "Tensor") === "function" && typeof fieldOf(session, "create") === "function";
}

function fieldOf(value: unknown, name: string): unknown {
  const hasFields = (typeof value === "object" && value !== null) || typeof value === "function";
  return hasFields ? Reflect.get(value, name) : undefined;
}
