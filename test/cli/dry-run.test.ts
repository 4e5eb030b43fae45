import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Command } from "commander";
import { expect, it, onTestFinished } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import { directoryBytes } from "../fixtures/directory-bytes.js";
import { type FullShop, openFullShop } from "../flow/full-shop.js";
import { commandDeps, runCommand } from "./run-command.js";

const END = "Dry run: the server accepts this; nothing was changed\n";

/** By command: its arguments besides --app, and what it prints when not `END`. */
const CASES: Record<string, readonly [args: (shop: FullShop, folder: string) => readonly string[], printed?: string]> =
  {
    "app create": [() => ["new"]],
    "app set": [() => ["shop", "--double-opt-in", "on"]],
    "app delete": [() => ["shop"]],
    "import products": [
      (_, folder) => [join(folder, "products.csv"), "--full", "--force"],
      "1 products would be stored",
    ],
    "import events": [(_, folder) => [join(folder, "events.csv")], "1 events would be stored"],
    "import contacts": [(_, folder) => [join(folder, "contacts.csv")], "1 contacts would be stored"],
    train: [() => []],
    evaluate: [() => []],
    "frame set": [() => ["--id", "new", "--recommended", "4", "--alternative", "4"]],
    "frame remove": [() => ["--id", "home"]],
    "frame rollback": [() => ["--id", "home", "--to", "1"]],
    "feed set": [() => ["--id", "g", "--url", "https://shop.example/g.xml", "--every", "1h"]],
    "feed run": [() => ["--id", "f"]],
    "feed remove": [() => ["--id", "f"]],
    "group set": [() => ["--id", "new", "--tag", "t"]],
    "group remove": [() => ["--id", "gifts"]],
    "model activate": [({ olderModelId }) => ["--id", olderModelId]],
    "model hold": [() => []],
    "model release": [() => []],
    "events replay": [
      ({ rejectedEventId }, folder) => ["--id", rejectedEventId, "--event", join(folder, "event.json")],
      "would be recorded",
    ],
    link: [() => ["--for", "unsubscribe", "--email", "ann@example.com"]],
    "privacy erase": [() => ["--email", "ann@example.com"], "Would remove"],
    "suppress add": [() => ["ann@example.com"], "1 addresses would be suppressed now"],
    "suppress remove": [() => ["ann@example.com"], "1 were not"],
    "hook set": [() => ["--url", "https://shop.example/new"]],
    "hook remove": [() => []],
    "hook resend": [() => []],
    "signing-secret create": [() => []],
    "signing-secret rotate": [() => []],
    "signing-secret remove": [({ secretId }) => ["--id", secretId]],
  };

function commandsWith(option: string, command: Command, words: readonly string[] = []): string[] {
  const own = command.options.some(({ long }) => long === option) ? [words.join(" ")] : [];
  return [...own, ...command.commands.flatMap((child) => commandsWith(option, child, [...words, child.name()]))];
}

it("every command with --dry-run has a case", async () => {
  const commands = commandsWith("--dry-run", await createProgram(commandDeps()));
  expect(commands.sort()).toEqual(Object.keys(CASES).sort());
});

/** A full shop, served by gRPC. */
async function serve() {
  const shop = await openFullShop();
  const server = createServer(connectNodeAdapter({ routes: shop.routes })).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { shop, url: `http://127.0.0.1:${port}` };
}

async function filesFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "aisle-test-"));
  await writeFile(join(folder, "products.csv"), "id,title\np9,New\n");
  await writeFile(join(folder, "events.csv"), "type,visitor,product_id\nproduct_view,c1,p1\n");
  await writeFile(join(folder, "contacts.csv"), "email,status\nnew@example.com,subscribed\n");
  await writeFile(join(folder, "event.json"), JSON.stringify({ actionType: "other" }));
  return folder;
}

it("--dry-run tells what each command would do, and changes no byte of the store", async () => {
  const { shop, url } = await serve();
  const folder = await filesFolder();
  const before = await directoryBytes(shop.directory);
  for (const [command, [argsOf, printed = END]] of Object.entries(CASES)) {
    const args = [...command.split(" "), ...argsOf(shop, folder)];
    const app = command.startsWith("app ") ? [] : ["--app", "shop"];
    const ended = await runCommand([...args, ...app, "--dry-run", "--server", url]);
    expect([command, ended]).toEqual([command, { exitCode: 0, stdout: expect.stringContaining(printed), stderr: "" }]);
    expect([command, await directoryBytes(shop.directory)]).toEqual([command, before]);
  }
});

it("--dry-run fails as the command itself", async () => {
  const { url } = await serve();
  const args = ["model", "activate", "--id", "none", "--app", "shop", "--server", url];
  const ended = await runCommand([...args, "--dry-run"]);
  expect(ended).toMatchObject({
    exitCode: 1,
    stderr: 'error: There is no such model ("aisle model list" shows the models)\n',
  });
  expect(ended).toEqual(await runCommand(args));
});
