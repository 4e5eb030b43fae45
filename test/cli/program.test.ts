import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createProgram, type ProgramDeps } from "../../src/cli/program.js";
import type { ServeFlags } from "../../src/cli/serve-command.js";
import { ConfigError, readConfig, SETTINGS } from "../../src/server/settings/config.js";
import { type FakeServer, startFakeServer } from "./fake-server.js";
import { commandDeps, runCommand } from "./run-command.js";

let server: FakeServer;
beforeAll(async () => {
  server = await startFakeServer();
});
afterAll(() => server.close());

const COMMANDS = [
  ["completion"],
  ["app", "delete"],
  ["serve"],
  ["app", "create"],
  ["app", "list"],
  ["import", "products"],
  ["import", "events"],
  ["export"],
  ["train"],
  ["evaluate"],
  ["recommend"],
  ["frame", "set"],
  ["frame", "list"],
  ["frame", "show"],
  ["frame", "remove"],
  ["frame", "history"],
  ["frame", "rollback"],
  ["frame", "report"],
  ["status"],
  ["events", "tail"],
  ["migrate"],
  ["doctor"],
];

describe("aisle", () => {
  it.each(COMMANDS)("shows help with an example for %s %s", async (...command) => {
    const words = command.filter((word) => typeof word === "string" && word !== "");
    const { exitCode, stdout } = await runCommand([...words, "--help"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Usage: aisle ${words.join(" ")}`);
    expect(stdout).toContain(`Example:\n  $ aisle ${words.join(" ")}`);
  });

  it("takes the app from AISLE_APP and the port from AISLE_RPC_PORT where no option names them", async () => {
    const env = { AISLE_APP: "shop", AISLE_RPC_PORT: new URL(server.url).port };
    const { exitCode, stdout } = await runCommand(["status", "--fpcid", "6f0c2f8ab1"], { env });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("identified")]);
    expect(server.state.statusRequests.at(-1)?.appId).toBe("shop");
  });

  it("refuses an AISLE_APP that is no id", async () => {
    const { exitCode, stderr } = await runCommand(["status", "--fpcid", "1"], { env: { AISLE_APP: "a b" } });
    expect([exitCode, stderr]).toEqual([2, "error: AISLE_APP: 1 to 64 letters, digits, _ or - are accepted\n"]);
  });

  it("shows its commands in groups for help, with exit code 0", async () => {
    const { exitCode, stdout } = await runCommand(["help"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/A shop, from its files to its lists:\n {2}app .*\n {2}import /);
  });

  it("shows the same list of commands whether their modules are loaded or not", async () => {
    const { stdout } = await runCommand(["--help"]);
    const program = await createProgram(commandDeps());
    expect(stdout).toContain(program.helpInformation().split("Commands:")[0]);
  });

  it("completes commands and prints a script for the shell", async () => {
    const lines = vi.spyOn(console, "log").mockImplementation(() => undefined);
    await runCommand(["completion", "bash"]);
    expect(lines.mock.calls.flat().join("\n")).toContain("bash completion for aisle");
    lines.mockClear();
    await runCommand(["complete", "--", "import", "ev"]);
    expect(lines.mock.calls.flat()).toContain("events\tstore past events and orders from a file");
    lines.mockRestore();
  });

  it("shows its version", async () => {
    expect(await runCommand(["--version"])).toEqual({ exitCode: 0, stdout: "1.2.3\n", stderr: "" });
  });

  it.each([
    [[], "Usage: aisle"],
    [["serv"], "Did you mean serve?"],
    [["train"], "required option '--app <id>' not specified"],
    [["train", "--app", "a b"], "1 to 64 letters, digits, _ or - are accepted"],
    [["train", "--app", "shop", "--bogus"], "unknown option '--bogus'"],
    [["evaluate", "--app", "shop", "--queries", "0"], "from 1 to 1000000"],
    [["app", "create"], "missing required argument 'id'"],
    [["frame", "set", "--app", "a", "--id", "b", "--recommended", "101", "--alternative", "0"], "from 0 to 100"],
    [
      "frame set --app a --id b --recommended 1 --alternative 0 --diversity 1.01".split(" "),
      "A number from 0 to 1 is accepted",
    ],
    [["recommend", "--app", "shop", "--limit", "-1"], "from 0 to 100"],
    [["events", "tail", "--app", "shop", "--limit", "5x"], "from 0 to 1000"],
    [["train", "--app", "shop", "--server", "localhost:8081"], "--server (AISLE_SERVER): an http or https address"],
    [["import", "products", "x.csv", "--app", "shop", "--map", "colour=x"], "--map: FIELD=COLUMN is accepted"],
    [["import", "products", "x.csv", "--app", "shop", "--currency", "euro"], "A code of three letters"],
  ])("exits with 2 for the usage error %j", async (args, text) => {
    const { exitCode, stderr } = await runCommand(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(text);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it("exits with 1 and one line when no server answers", async () => {
    const { exitCode, stderr } = await runCommand(["app", "list", "--server", "http://127.0.0.1:1"]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'error: No Aisle server answers at http://127.0.0.1:1: start one with "aisle serve", or name one with --server or AISLE_SERVER\n',
    );
  });

  it("exits with 1 and one line when the port speaks another protocol", async () => {
    const other = createServer((_, response) => response.end("hello"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const { exitCode, stderr } = await runCommand(["app", "list", "--server", `http://127.0.0.1:${port}`]);
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: No Aisle server answers at [^\n]+\n$/);
  });

  it.each([
    [["train"]],
    [["evaluate"]],
    [["status", "--fpcid", "x"]],
    [["recommend"]],
    [["events", "tail"]],
    [["frame", "list"]],
    [["import", "events", "-", "--type", "product_view"]],
  ])("exits with 1 and one line for an unknown app in %j", async (command) => {
    const { exitCode, stderr } = await runCommand([...command, "--app", "nobody"], {
      env: { AISLE_SERVER: server.url },
      stdin: Readable.from([Buffer.from("visitor,product_id\nv,p\n")]),
    });
    expect([exitCode, stderr]).toEqual([1, 'error: There is no such app ("aisle app list" shows the apps)\n']);
  });

  it("prefers --server to AISLE_SERVER", async () => {
    const { exitCode } = await runCommand(["app", "list", "--server", server.url], {
      env: { AISLE_SERVER: "http://127.0.0.1:1" },
    });
    expect(exitCode).toBe(0);
  });

  it("exits with 130 when interrupted", async () => {
    const { exitCode, stderr } = await runCommand(["app", "list", "--server", server.url], {
      signal: AbortSignal.abort(),
    });
    expect([exitCode, stderr]).toEqual([130, ""]);
  });
});

describe("aisle serve", () => {
  it("passes its flags on as given", async () => {
    const seen: ServeFlags[] = [];
    const serve: ProgramDeps["serve"] = async (flags) => {
      seen.push(flags);
    };
    const args = "serve --store embedded:x --facade-port 1 --rpc-port 2 --host h --rpc-host r --insecure-rpc --demo";
    expect((await runCommand(args.split(" "), { serve })).exitCode).toBe(0);
    expect(seen).toEqual([
      { store: "embedded:x", facadePort: "1", rpcPort: "2", host: "h", rpcHost: "r", insecureRpc: true, demo: true },
    ]);
  });

  it("exits with 2 and one line when the configuration is refused", async () => {
    const serve: ProgramDeps["serve"] = async (flags) => {
      readConfig(flags, {});
    };
    const { exitCode, stderr } = await runCommand(["serve", "--facade-port", "x"], { serve });
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      "error: --facade-port (AISLE_FACADE_PORT): a port from 0 to 65535 is accepted, 0 for any free one\n",
    );
  });

  it("exits with 1 and one line when the server fails", async () => {
    const serve: ProgramDeps["serve"] = async () => {
      throw new Error("port 8080 is taken\nby another");
    };
    const { exitCode, stderr } = await runCommand(["serve"], { serve });
    expect([exitCode, stderr]).toEqual([1, "error: port 8080 is taken by another\n"]);
  });

  it("has a flag for every setting, and its help names every variable", async () => {
    const program = await createProgram(commandDeps());
    const serve = program.commands.find((command) => command.name() === "serve");
    const settings = Object.values(SETTINGS);
    const flags = serve?.options.filter(({ negate }) => !negate).map((option) => option.long);
    // --force is for one start alone.
    expect(flags?.sort()).toEqual([...settings.map(({ flag }) => flag), "--force"].sort());
    for (const { flag, variable } of settings) {
      expect(serve?.options.find((option) => option.long === flag)?.description).toContain(variable);
    }
    expect(new ConfigError(SETTINGS.store, "x").message).toBe("--store (AISLE_STORE): x");
  });
});
