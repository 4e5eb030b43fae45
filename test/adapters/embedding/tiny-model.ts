/**
 * A sentence model of a few hundred bytes, made here: its hidden state of a token is that token's row of a table.
 * ONNX files are protobuf messages (onnx.proto of onnx/onnx: ModelProto, GraphProto, NodeProto, TensorProto).
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BinaryWriter } from "@bufbuild/protobuf/wire";

const FLOAT = 1;
const INT64 = 7;

const VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "tent", "tea", "##pot", "blue"];

/** Row of each token: [1, 0] for tents, [0, 1] for tea, [0, 0] else. */
export const TABLE = [
  [0, 0],
  [0, 0],
  [0, 0],
  [0, 0],
  [1, 0],
  [0, 1],
  [0, 1],
  [0, 0],
];

/** Writes `model.onnx`, `tokenizer.json` and the configuration files; `output` is the name of what the model gives. */
export function writeTinyModel(folder: string, output = "last_hidden_state"): void {
  writeFileSync(join(folder, "model.onnx"), model(output));
  writeFileSync(join(folder, "tokenizer.json"), JSON.stringify(tokenizer()));
  writeFileSync(join(folder, "tokenizer_config.json"), JSON.stringify({ model_max_length: 6 }));
}

function model(output: string): Uint8Array {
  const dims = [TABLE.length, 2];
  const floats = new Uint8Array(Float32Array.from(TABLE.flat()).buffer);
  const table = new BinaryWriter();
  for (const dim of dims) table.uint32(8).int64(dim);
  table.uint32(16).int32(FLOAT).uint32(66).string("table").uint32(74).bytes(floats);
  const node = new BinaryWriter();
  node.uint32(10).string("table").uint32(10).string("input_ids").uint32(18).string(output).uint32(34).string("Gather");
  const graph = new BinaryWriter();
  graph.uint32(10).bytes(node.finish()).uint32(18).string("tiny").uint32(42).bytes(table.finish());
  graph.uint32(90).bytes(value("input_ids", INT64, [1, "n"]));
  graph.uint32(98).bytes(value(output, FLOAT, [1, "n", 2]));
  const opset = new BinaryWriter().uint32(16).int64(13).finish();
  return new BinaryWriter().uint32(8).int64(8).uint32(58).bytes(graph.finish()).uint32(66).bytes(opset).finish();
}

function value(name: string, type: number, dims: readonly (number | string)[]): Uint8Array {
  const shape = new BinaryWriter();
  for (const dim of dims) {
    const one = new BinaryWriter();
    if (typeof dim === "number") one.uint32(8).int64(dim);
    else one.uint32(18).string(dim);
    shape.uint32(10).bytes(one.finish());
  }
  const tensor = new BinaryWriter().uint32(8).int32(type).uint32(18).bytes(shape.finish()).finish();
  const whole = new BinaryWriter().uint32(10).bytes(tensor).finish();
  return new BinaryWriter().uint32(10).string(name).uint32(18).bytes(whole).finish();
}

function tokenizer(): object {
  const special = (content: string) => ({
    id: VOCABULARY.indexOf(content),
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  });
  const marks = ["[CLS]", "[SEP]"];
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: ["[PAD]", "[UNK]", ...marks].map(special),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      type: "TemplateProcessing",
      single: [
        { SpecialToken: { id: "[CLS]", type_id: 0 } },
        { Sequence: { id: "A", type_id: 0 } },
        { SpecialToken: { id: "[SEP]", type_id: 0 } },
      ],
      pair: [],
      special_tokens: Object.fromEntries(marks.map((id) => [id, { id, ids: [VOCABULARY.indexOf(id)], tokens: [id] }])),
    },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(VOCABULARY.map((token, id) => [token, id])),
    },
  };
}
