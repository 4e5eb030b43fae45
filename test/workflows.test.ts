import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = join(import.meta.dirname, "..");
const folder = join(root, ".github/workflows");
const scripts = Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts);

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly { readonly uses?: string; readonly run?: string }[] }>
  >;
}

const read = (name: string): Workflow => parse(readFileSync(join(folder, name), "utf8"));
const commandsOf = (workflow: Workflow) =>
  Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run?.trim().split("\n") ?? []));

/** What is wrong with a command of a workflow; nothing when it can be run. */
function problemOf(command: string): string | undefined {
  const [program = "", ...args] = command.split(" ");
  if (program === "npm") {
    const name = args[0] === "run" ? args[1] : args[0];
    return name !== undefined && scripts.includes(name) ? undefined : `${command}: no such script`;
  }
  if (!program.includes("/") || !existsSync(join(root, program))) return `${command}: no such program`;
  accessSync(join(root, program), constants.X_OK);
  return undefined;
}

describe(".github/workflows", () => {
  it.each(readdirSync(folder))("%s parses and calls only scripts that exist", (name) => {
    const commands = commandsOf(read(name));
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.map(problemOf).filter((problem) => problem !== undefined)).toEqual([]);
  });

  it("run .ci/run on each push", () => {
    const workflow = read("ci.yml");
    expect(Object.keys(workflow.on)).toContain("push");
    expect(commandsOf(workflow)).toEqual([".ci/run"]);
  });

  it("run every test each night", () => {
    const workflow = read("nightly.yml");
    expect(Object.keys(workflow.on)).toContain("schedule");
    expect(commandsOf(workflow)).toContain("npm run test:all");
  });

  it("would find a script that does not exist", () => {
    expect(problemOf("npm run no-such")).toBe("npm run no-such: no such script");
    expect(problemOf(".ci/no-such")).toBe(".ci/no-such: no such program");
  });
});
