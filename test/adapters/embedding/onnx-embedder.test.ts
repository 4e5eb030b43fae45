import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openOnnxEmbedder } from "../../../src/adapters/embedding/onnx-embedder.js";
import { loadOnnxRuntime, type OnnxRuntime, type OnnxTensor } from "../../../src/adapters/embedding/onnx-runtime.js";
import { Unavailable } from "../../../src/domain/errors.js";
import { TABLE, writeTinyModel } from "./tiny-model.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aisle-onnx-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The tiny model reckoned here, with the inputs it was given. */
function fakeRuntime(inputNames: readonly string[], outputOf?: (ids: number[]) => OnnxTensor) {
  const fed: Record<string, number[]>[] = [];
  let released = 0;
  const hidden = (ids: number[]): OnnxTensor => ({
    dims: [1, ids.length, 2],
    data: Float32Array.from(ids.flatMap((id) => TABLE[id]!)),
  });
  const runtime: OnnxRuntime = {
    Tensor: class {
      constructor(
        _type: "int64",
        readonly data: BigInt64Array,
        readonly dims: readonly number[],
      ) {}
    },
    InferenceSession: {
      create: async () => ({
        inputNames,
        outputNames: ["out"],
        run: async (feeds) => {
          const numbers = Object.entries(feeds).map(([name, { data }]) => {
            if (!(data instanceof BigInt64Array)) throw new Error("no int64");
            return [name, Array.from(data, Number)] as const;
          });
          fed.push(Object.fromEntries(numbers));
          return { out: (outputOf ?? hidden)(fed.at(-1)!.input_ids!) };
        },
        release: async () => void released++,
      }),
    },
  };
  return { load: async () => runtime, fed, released: () => released };
}

describe("an ONNX sentence model", () => {
  it("returns the mean of the hidden states of all tokens", async () => {
    writeTinyModel(folder);
    const fake = fakeRuntime(["input_ids"]);
    const its = await openOnnxEmbedder(folder, fake.load);
    // [CLS] tent [SEP] and [CLS] tea ##pot [SEP].
    const vectors = await its.embed(["Tent", "teapot"]);
    expect(fake.fed.map(({ input_ids }) => input_ids)).toEqual([
      [2, 4, 3],
      [2, 5, 6, 3],
    ]);
    expect(vectors.map((vector) => [...vector])).toEqual([
      [Math.fround(1 / 3), 0],
      [0, 0.5],
    ]);
  });

  it("gets an attention mask of ones and token types of zeros where it has such inputs", async () => {
    writeTinyModel(folder);
    const fake = fakeRuntime(["input_ids", "attention_mask", "token_type_ids"]);
    await (await openOnnxEmbedder(folder, fake.load)).embed(["tent"]);
    expect(fake.fed[0]).toEqual({ input_ids: [2, 4, 3], attention_mask: [1, 1, 1], token_type_ids: [0, 0, 0] });
  });

  it("reads the beginning of a long text and keeps its closing token", async () => {
    writeTinyModel(folder);
    const fake = fakeRuntime(["input_ids"]);
    await (await openOnnxEmbedder(folder, fake.load)).embed(["tent tent tent tent tent tea tea"]);
    expect(fake.fed[0]?.input_ids).toEqual([2, 4, 4, 4, 4, 3]);
  });

  it("may do its own pooling", async () => {
    writeTinyModel(folder);
    const fake = fakeRuntime(["input_ids"], () => ({ dims: [1, 2], data: Float32Array.of(3, 4) }));
    const session = await (await fake.load()).InferenceSession.create("", {});
    const load = async (): Promise<OnnxRuntime> => ({
      ...(await fake.load()),
      InferenceSession: {
        create: async () => ({
          ...session,
          run: async (feeds) => ({ sentence_embedding: (await session.run(feeds)).out! }),
        }),
      },
    });
    const [vector] = await (await openOnnxEmbedder(folder, load)).embed(["tent"]);
    expect([...vector!]).toEqual([3, 4]);
  });

  it("takes its name from the content of its files", async () => {
    writeTinyModel(folder);
    const nameOf = async () => (await openOnnxEmbedder(folder, fakeRuntime(["input_ids"]).load)).name;
    const before = await nameOf();
    expect(await nameOf()).toBe(before);
    writeFileSync(join(folder, "tokenizer_config.json"), JSON.stringify({ model_max_length: 7 }));
    expect(await nameOf()).not.toBe(before);
  });

  it("is also found in the folder onnx/ beside its tokenizer, and by the path of its file", async () => {
    writeTinyModel(folder);
    mkdirSync(join(folder, "onnx"));
    renameSync(join(folder, "model.onnx"), join(folder, "onnx", "model.onnx"));
    const { load } = fakeRuntime(["input_ids"]);
    const { name } = await openOnnxEmbedder(folder, load);
    expect((await openOnnxEmbedder(join(folder, "onnx", "model.onnx"), load)).name).toBe(name);
  });

  it("is released when it is closed, and when it cannot be used", async () => {
    writeTinyModel(folder);
    const fake = fakeRuntime(["input_ids"]);
    await (await openOnnxEmbedder(folder, fake.load)).close();
    expect(fake.released()).toBe(1);
    const strange = fakeRuntime(["pixel_values"]);
    await expect(openOnnxEmbedder(folder, strange.load)).rejects.toThrow("inputs other than");
    expect(strange.released()).toBe(1);
  });

  it("is rejected when files are missing or of another kind", async () => {
    const { load } = fakeRuntime(["input_ids"]);
    await expect(openOnnxEmbedder(join(folder, "missing"), load)).rejects.toThrow("no ONNX model");
    writeFileSync(join(folder, "model.onnx"), "");
    await expect(openOnnxEmbedder(folder, load)).rejects.toThrow("tokenizer.json is missing");
    writeFileSync(join(folder, "tokenizer.json"), "{");
    await expect(openOnnxEmbedder(folder, load)).rejects.toThrow("is not JSON");
    writeFileSync(join(folder, "tokenizer.json"), "{}");
    await expect(openOnnxEmbedder(folder, load)).rejects.toThrow(Unavailable);
  });

  it("is rejected when it outputs neither hidden states nor a sentence vector", async () => {
    writeTinyModel(folder);
    const fake = fakeRuntime(["input_ids"], () => ({ dims: [1, 2], data: Float32Array.of(1, 2) }));
    await expect((await openOnnxEmbedder(folder, fake.load)).embed(["tent"])).rejects.toThrow("neither");
  });
});

/** The real runtime, from the checkout or the folder that AISLE_TEST_ONNXRUNTIME names. */
async function realRuntime(): Promise<OnnxRuntime | undefined> {
  const named = process.env.AISLE_TEST_ONNXRUNTIME;
  try {
    return named ? createRequire(join(named, "x.js"))("onnxruntime-node") : await loadOnnxRuntime();
  } catch {
    return undefined;
  }
}

const real = await realRuntime();

describe.skipIf(real === undefined)("onnxruntime-node (needs it installed, or AISLE_TEST_ONNXRUNTIME)", () => {
  it("returns the values computed by hand for a tiny model, with the same bits each time", async () => {
    writeTinyModel(folder);
    const its = await openOnnxEmbedder(folder, async () => real!);
    const first = await its.embed(["Tent", "blue teapot", ""]);
    expect(first.map((vector) => [...vector])).toEqual([
      [Math.fround(1 / 3), 0],
      [0, Math.fround(2 / 5)],
      [0, 0],
    ]);
    expect(await its.embed(["Tent", "blue teapot", ""])).toEqual(first);
    await its.close();
  });

  it("rejects a file that is not a model", async () => {
    writeTinyModel(folder);
    writeFileSync(join(folder, "model.onnx"), "tent");
    await expect(openOnnxEmbedder(folder, async () => real!)).rejects.toThrow("cannot be opened");
  });
});

describe("without onnxruntime-node", () => {
  it.skipIf(real !== undefined && !process.env.AISLE_TEST_ONNXRUNTIME)("reports that it is not installed", async () => {
    await expect(loadOnnxRuntime()).rejects.toThrow("onnxruntime-node is not installed");
  });
});
