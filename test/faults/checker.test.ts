import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { AISLE, temporaryDirectory } from "../fixtures/server.js";
import { rounds } from "./faults.js";

const run = promisify(execFile);
const CHECK = join(import.meta.dirname, "../../checker/check.py");

it("a checker that knows only the public interfaces finds nothing lost, doubled or wrong", {
  timeout: 600_000,
}, async () => {
  const directory = await temporaryDirectory();
  const history = join(directory, "history.jsonl");
  const serve = `${process.execPath} ${AISLE} serve --store embedded:{dir}/store --facade-port {rest} --rpc-port {rpc}`;
  const plan = ["--serve", serve, "--seed", "20261124", "--rounds", String(rounds(8, 60)), "--seconds", "60"];
  const { stdout } = await run("python3", [CHECK, ...plan, "--history", history], {
    env: { ...process.env, TMPDIR: directory },
  });
  const result: unknown = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(result).toMatchObject({ seed: 20261124, lost: 0, doubled: 0, wrong: 0 });
});
