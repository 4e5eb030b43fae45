import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rpcClients, sharedOwner, startServer, temporaryDirectory } from "../fixtures/server.js";
import { collector, runCommand } from "./run-command.js";

let url = "";
const { owner, release } = sharedOwner();
beforeAll(async () => {
  const server = await startServer({ directory: await temporaryDirectory(owner), owner });
  url = server.rpcUrl;
});
afterAll(release);
const apps = () => rpcClients(url).apps;
const appIds = async () => (await apps().listApps({})).apps.map(({ appId }) => appId);

/** Runs a command at a terminal where somebody types `answer`. */
async function typing(answer: string, ...args: string[]) {
  const stdin = Object.assign(Readable.from([answer]), { isTTY: true });
  const stderr = collector();
  const terminal = { stdin, stderr: Object.assign(stderr.output, { isTTY: true }) };
  const ended = await runCommand([...args, "--server", url], terminal);
  return { ...ended, stderr: stderr.text() };
}

describe("a command that cannot be undone", () => {
  beforeAll(async () => {
    await apps().createApp({ app: { appId: "shop" } });
  });
  afterAll(async () => {
    expect(await appIds()).not.toContain("shop");
  });

  it.each([
    [["app", "delete", "shop"], "deletes the app shop"],
    [["privacy", "erase", "--app", "shop", "--email", "a@b.example"], "erases all data about the person"],
    [["hook", "remove", "--app", "shop"], "ends the messages of shop"],
    [["signing-secret", "remove", "--app", "shop", "--id", "x"], "will be rejected"],
  ])("does nothing without a terminal and without --yes: %j", async (args, loss) => {
    const { exitCode, stderr } = await runCommand([...args, "--server", url]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(loss)]);
    expect(stderr).toContain("--yes confirms that");
    expect(await appIds()).toContain("shop");
  });

  it("does nothing when another word is typed than the one asked for", async () => {
    const { exitCode, stderr } = await typing("y\n", "app", "delete", "shop");
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("Type shop to go on: ")]);
    expect(await appIds()).toContain("shop");
  });

  it("erases a person of whom nothing is stored with --yes", async () => {
    const args = ["privacy", "erase", "--app", "shop", "--email", "a@b.example", "--yes", "--server", url];
    expect((await runCommand(args)).stdout).toContain("Nothing was to be removed");
  });

  it("erases the person whom standard input names, and refuses an empty one", async () => {
    const args = ["privacy", "erase", "--app", "shop", "--email", "-", "--yes", "--server", url];
    const read = async (lines: string[]) => runCommand(args, { stdin: Readable.from(lines) });
    expect((await read(["a@b.example\n"])).stdout).toContain("Nothing was to be removed");
    expect((await read(["a@b\u0000\n"])).exitCode).not.toBe(0);
    expect(await read([])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("standard input is empty") });
    const two = await runCommand([...args, "--phone", "-"], { stdin: Readable.from(["a@b.example\n"]) });
    expect(two).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("only one value") });
  });

  it("prints the operation of an erasure with --no-wait, which ends by itself", async () => {
    const person = ["--app", "shop", "--email", "a@b.example"];
    const { stdout } = await runCommand(["privacy", "erase", ...person, "--yes", "--no-wait", "--server", url]);
    const waited = await runCommand(["operation", "wait", stdout.trim(), "--app", "shop", "--server", url]);
    expect([waited.exitCode, waited.stdout]).toEqual([0, `${stdout.trim()}: erase visitor, succeeded\n`]);
  });

  it("is done when the word is typed", async () => {
    const { exitCode, stdout } = await typing("shop\n", "app", "delete", "shop");
    expect([exitCode, stdout]).toEqual([0, "App shop is deleted\n"]);
  });
});
