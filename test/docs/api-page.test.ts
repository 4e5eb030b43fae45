import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const PROGRAM = `import { apiPages } from "./scripts/api-page.mjs"; console.log(JSON.stringify([...await apiPages()]));`;

let made: ReadonlyMap<string, string>;
beforeAll(() => {
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", PROGRAM], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 2 ** 20,
  });
  made = new Map(JSON.parse(printed));
});

describe("docs/api.md and docs/api-types.md", () => {
  it.each(["docs/api.md", "docs/api-types.md"])("%s is what npm run generate makes of the contract", (path) => {
    expect(read(path)).toBe(made.get(path));
  });

  it("have each path of openapi.json and each method of a service", () => {
    const page = read("docs/api.md");
    const paths = Object.keys(JSON.parse(read("docs/openapi.json")).paths);
    expect(paths.filter((path) => !page.includes(`${path}\n`))).toEqual([]);
    expect(AppService.methods.filter(({ name }) => !page.includes(`### ${name}\n`))).toEqual([]);
  });
});
