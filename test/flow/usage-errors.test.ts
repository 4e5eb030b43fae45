import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  freePort,
  runAisle,
  type ServerProcess,
  sharedOwner,
  startServer,
  temporaryDirectory,
} from "../fixtures/server.js";

const shared = sharedOwner();
let server: ServerProcess;
let folder: string;

beforeAll(async () => {
  folder = await temporaryDirectory(shared.owner);
  server = await startServer({ directory: folder, owner: shared.owner });
});
afterAll(() => shared.release());

const aisle = (args: readonly string[], input = "") =>
  runAisle(args, { input, cwd: folder, env: { AISLE_SERVER: server.rpcUrl } });

/** What is wrong in one line, perhaps with a hint in brackets below, and never a stack. */
function expectOneClearLine(stderr: string): void {
  const lines = stderr.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^error: \S/);
  expect(lines.slice(1).filter((line) => !/^\(.*\)$/.test(line))).toEqual([]);
}

describe("an aisle command with a usage error", () => {
  it.each([
    ["an unknown command", ["recomend"]],
    ["a missing app", ["train"]],
    ["a missing file", ["import", "events", "--app", "shop"]],
    ["an unknown option", ["app", "list", "--colour"]],
    ["an id that cannot be one", ["app", "create", "a/b"]],
    ["a number that is none", ["recommend", "--app", "shop", "--limit", "many"]],
    ["a server address that is none", ["app", "list", "--server", "localhost"]],
    ["a column of no field", ["import", "products", "x.csv", "--app", "shop", "--map", "shade=colour"]],
  ])("exits with 2 and one line for %s", async (_, args) => {
    const { code, stdout, stderr } = await aisle(args);
    expect([code, stdout]).toEqual([2, ""]);
    expectOneClearLine(stderr);
  });

  it.each([
    ["train", ["train", "--app", "nobody"]],
    ["recommend", ["recommend", "--app", "nobody"]],
    ["status", ["status", "--app", "nobody", "--fpcid", "f"]],
    ["events tail", ["events", "tail", "--app", "nobody"]],
    ["import products", ["import", "products", "-", "--app", "nobody"]],
  ])("%s exits with 1 and one line that names the app when it does not exist", async (_, args) => {
    const { code, stderr } = await aisle(args, "id,title\na,A product\n");
    expect(code).toBe(1);
    expectOneClearLine(stderr);
    expect(stderr).toContain("no such app");
  });

  it("exits with 1 and one line that names a missing file", async () => {
    const { code, stderr } = await aisle(["import", "products", "nowhere.csv", "--app", "shop"]);
    expect(code).toBe(1);
    expectOneClearLine(stderr);
    expect(stderr).toContain("nowhere.csv");
  });

  it("exits with 1 and one line that names the address when no server answers", async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const { code, stderr } = await aisle(["app", "list", "--server", address]);
    expect(code).toBe(1);
    expectOneClearLine(stderr);
    expect(stderr).toContain(address);
  });
});

describe("aisle --help", () => {
  it("exits with 0 and lists the commands", async () => {
    const { code, stdout, stderr } = await aisle(["--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    for (const command of ["serve", "app", "import", "train", "recommend"]) expect(stdout).toMatch(`  ${command} `);
  });
});
