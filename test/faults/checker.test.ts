import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { AISLE, temporaryDirectory } from "../fixtures/server.js";
import { rounds } from "./faults.js";

const run = promisify(execFile);
const CHECK = join(import.meta.dirname, "../../checker/check.py");

it("a checker that knows only the public interfaces finds nothing lost, doubled, wrong or dead", {
  timeout: 600_000,
}, async () => {
  const directory = await temporaryDirectory();
  const history = join(directory, "history.jsonl");
  const serve = `${process.execPath} ${AISLE} serve --store embedded:{dir}/store --facade-port {rest} --rpc-port {rpc}`;
  const backup = `${process.execPath} ${AISLE} backup --store embedded:{dir}/store --to {copy}/store`;
  const commands = ["--serve", serve, "--backup", backup, "--history", history];
  const plan = ["--seed", "20261124", "--rounds", String(rounds(8, 60)), "--seconds", "60"];
  const { stdout } = await run("python3", [CHECK, ...commands, ...plan], {
    env: { ...process.env, TMPDIR: directory },
  });
  const result: unknown = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(result).toMatchObject({ seed: 20261124, lost: 0, doubled: 0, wrong: 0, dead: 0 });
});

/** What the checker says of a server that counted so many events, after callers of `told` had an answer and of `untold` none. */
async function judged(counted: number, told: number, untold: number): Promise<string> {
  const program = `
from check import History, judge_counters
history = History("/dev/null", {})
history.told, history.untold = ${told}, ${untold}
judge_counters([${counted}, ${counted - 200}, 200], history)
print(history.faults["wrong"])`;
  const { stdout } = await run("python3", ["-c", program], { env: { ...process.env, PYTHONPATH: join(CHECK, "..") } });
  return stdout.trim();
}

it("the checker lets a server count the events of calls without an answer, and no others", async () => {
  expect(await judged(1600, 1000, 600)).toBe("[]");
  expect(await judged(1000, 1000, 600)).toBe("[]");
  expect(await judged(1601, 1000, 600)).toMatch(/1601 counted as acknowledged.*callers were told 1000/);
  expect(await judged(999, 1000, 600)).toMatch(/999 counted as acknowledged/);
});
