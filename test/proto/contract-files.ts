import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { DescFile } from "@bufbuild/protobuf";

const folder = join(import.meta.dirname, "../../src/gen/aisle/v1");

function isFile(value: unknown): value is DescFile {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "file";
}

/** The generated descriptions of all files of proto/aisle/v1. */
export async function contractFiles(): Promise<DescFile[]> {
  const modules = await Promise.all(
    readdirSync(folder).map((name): Promise<Record<string, unknown>> => import(join(folder, name))),
  );
  return modules.flatMap((exported) => Object.values(exported).filter(isFile));
}
