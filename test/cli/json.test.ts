import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import { type FakeServer, startFakeServer } from "./fake-server.js";
import { collector, commandDeps, runCommand } from "./run-command.js";

/** What these print is JSON in any case, or no text for people. */
const WITHOUT = ["serve", "completion", "complete", "privacy export"];

let server: FakeServer;
beforeAll(async () => {
  server = await startFakeServer();
});
afterAll(() => server.close());

/** All commands that do something, as the words after `aisle`. */
function leaves(command: Command, path: readonly string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[path.join(" "), command]];
  return command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
}

/** Runs a command as on a terminal. */
async function onTerminal(args: readonly string[], env: Record<string, string>) {
  const [stdout, stderr] = [collector(), collector()];
  for (const { output } of [stdout, stderr]) Object.assign(output, { isTTY: true, columns: 100 });
  await runCommand(args, { stdout: stdout.output, stderr: stderr.output, env });
  return `${stdout.text()}${stderr.text()}`;
}

describe("aisle", () => {
  it("has --json on every command that prints a text", async () => {
    const all = leaves(await createProgram(commandDeps())).filter(([name]) => !WITHOUT.includes(name));
    expect(all.length).toBeGreaterThan(50);
    const without = all.filter(([, command]) => !command.options.some(({ long }) => long === "--json"));
    expect(without.map(([name]) => name)).toEqual([]);
  });

  it("has an example in the help of every command", async () => {
    const all = leaves(await createProgram(commandDeps())).filter(([name]) => name !== "complete");
    for (const [name] of all) {
      const { stdout } = await runCommand([...name.split(" "), "--help"]);
      expect(stdout, name).toContain(`\n  $ aisle ${name}`);
    }
  });

  it.each([
    ["frame remove --app shop --id cart", {}],
    ["token --name crm --scope read", { token: expect.stringMatching(/^aisle_/), line: expect.any(String) }],
    ["backup --to /tmp/copy", { directory: "/tmp/copy" }],
  ])("prints nothing but JSON for %s --json", async (command, answer) => {
    const { exitCode, stdout } = await runCommand([...command.split(" "), "--json"], {
      env: { AISLE_SERVER: server.url },
    });
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, answer]);
  });

  it("prints JSON after a dry run with --json", async () => {
    const args = ["frame", "remove", "--app", "shop", "--id", "cart", "--dry-run", "--json"];
    const { stdout } = await runCommand(args, { env: { AISLE_SERVER: server.url } });
    expect(JSON.parse(stdout)).toEqual({ dryRun: true });
  });

  it("colours help and errors on a terminal alone, and not with NO_COLOR", async () => {
    const code = "\u001b[";
    expect(await onTerminal(["--help"], {})).toContain(code);
    expect(await onTerminal(["token", "--name", " "], {})).toContain(`${code}31m`);
    expect(await onTerminal(["--help"], { NO_COLOR: "1" })).not.toContain(code);
    expect((await runCommand(["--help"])).stdout).not.toContain(code);
  });
});
