import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getOption, hasOption } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { FieldBehavior, field_behavior } from "../../src/gen/google/api/field_behavior_pb.js";
import { contractFiles } from "./contract-files.js";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "proto/aisle/v1");

/** What a comment begins with, and the annotation that says the same to programs. */
const BEHAVIOURS = [
  ["Required.", FieldBehavior.REQUIRED],
  ["Optional.", FieldBehavior.OPTIONAL],
  ["Output only.", FieldBehavior.OUTPUT_ONLY],
  ["Immutable.", FieldBehavior.IMMUTABLE],
] as const;

/** First line of the comment above each field of a message, by the full name of the field. */
function firstLines(): Map<string, string> {
  const lines = new Map<string, string>();
  for (const name of readdirSync(folder)) {
    let message = "";
    let comment: string[] = [];
    for (const line of readFileSync(join(folder, name), "utf8").split("\n")) {
      message = /^message (\w+)/.exec(line)?.[1] ?? message;
      const field = /^ +(?:[\w.<>, ]+ )?(\w+) = \d+/.exec(line)?.[1];
      if (field !== undefined) lines.set(`aisle.v1.${message}.${field}`, comment[0] ?? "");
      comment = /^\s*\/\//.test(line) ? [...comment, line.replace(/^\s*\/\/ ?/, "")] : [];
    }
  }
  return lines;
}

const fields = (await contractFiles()).flatMap((file) => file.messages).flatMap((message) => message.fields);

describe("the comment of a field", () => {
  it("begins with its behaviour, except in a oneof", () => {
    const lines = firstLines();
    const without = fields.filter(
      (field) =>
        field.oneof === undefined &&
        !BEHAVIOURS.some(([word]) => lines.get(`${field.parent.typeName}.${field.name}`)?.startsWith(word)),
    );
    expect(without.map(String)).toEqual([]);
  });

  it("names the behaviour that google.api.field_behavior declares", () => {
    const lines = firstLines();
    const wrong = fields.filter((field) => {
      const line = lines.get(`${field.parent.typeName}.${field.name}`) ?? "";
      const said = BEHAVIOURS.filter(([word]) => line.startsWith(word)).map(([, behaviour]) => behaviour);
      const declared = hasOption(field, field_behavior) ? getOption(field, field_behavior) : [];
      return JSON.stringify(said) !== JSON.stringify(declared);
    });
    expect(wrong.map(String)).toEqual([]);
  });
});
