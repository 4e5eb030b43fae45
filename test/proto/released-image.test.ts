import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFileRegistry, type DescFile, fromBinary } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { contractFiles } from "./contract-files.js";

function partsOf(type: ReturnType<typeof nestedTypes> extends Iterable<infer T> ? T : never): string[] {
  if (type.kind === "message") return type.fields.map((field) => `${field} = ${field.number}, ${field.fieldKind}`);
  if (type.kind === "enum") return type.values.map((value) => `${value} = ${value.number}`);
  if (type.kind === "service") return type.methods.map((method) => `${method}: ${method.input} to ${method.output}`);
  return [];
}

/** Every element that a client can use, as text with its number and type. */
function elementsOf(file: DescFile): string[] {
  return [...nestedTypes(file)].flatMap((type) => [`${file.name}: ${type}`, ...partsOf(type)]);
}

it("proto/released.binpb has every element of proto/aisle/v1 (npm run release-contract)", async () => {
  const image = readFileSync(join(import.meta.dirname, "../../proto/released.binpb"));
  const released = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
  const known = new Set([...released.files].flatMap(elementsOf));
  const elements = (await contractFiles()).flatMap(elementsOf);
  expect(elements.length).toBeGreaterThan(900);
  expect(elements.filter((element) => !known.has(element))).toEqual([]);
});
