import { execFile } from "node:child_process";
import { chmod, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect } from "vitest";
import {
  AISLE,
  freePort,
  type Owner,
  type ServerProcess,
  startServer,
  temporaryDirectory,
} from "../fixtures/server.js";
import { type CommandBlock, outputPattern, type Page, readPage } from "./page.js";

const CHECKOUT = join(import.meta.dirname, "../..");

/** What a reader finds in the checkout; everything that commands write falls into a directory of the test. */
const LINKED = ["bin", "deploy", "docs", "package.json"];

/** One block may train a shop or two. */
const BLOCK_MS = 60_000;

/**
 * Somebody who types what pages say, into a shell that stops at the first failure. Three things differ from a reader's
 * machine: the ports 8080 and 8081 are free ones, in commands and in what they print; `npx aisle` is the checkout's
 * command line without npm's start before it; `npm start` is a server without the demo shop.
 */
export async function createReader(owner: Owner): Promise<{ follow(page: Page): Promise<void> }> {
  const directory = await temporaryDirectory(owner);
  for (const name of LINKED) await symlink(join(CHECKOUT, name), join(directory, name));
  const programs = await temporaryDirectory(owner);
  const npx = join(programs, "npx");
  await writeFile(npx, `#!/bin/sh\n[ "$1" = aisle ] && shift && exec "${process.execPath}" "${AISLE}" "$@"\n`);
  await chmod(npx, 0o755);
  const facade = await freePort();
  const rpc = await freePort();
  const env = {
    AISLE_FACADE_PORT: String(facade),
    AISLE_RPC_PORT: String(rpc),
    AISLE_SERVER: `http://127.0.0.1:${rpc}`,
    NO_COLOR: "1",
    PATH: `${programs}${delimiter}${process.env.PATH ?? ""}`,
  };
  const toOurs = (text: string) => text.replaceAll(":8080", `:${facade}`).replaceAll(":8081", `:${rpc}`);
  const toShown = (text: string) =>
    text.replaceAll(`${facade}`, "8080").replaceAll(`${rpc}`, "8081").replaceAll(directory, "…");
  let servers: ServerProcess[] = [];

  async function serve({ kind, text, place }: CommandBlock): Promise<void> {
    const words = /^(?:npm start|npx aisle serve)((?: \S+)*)$/.exec(toOurs(text));
    if (words === null) throw new Error(`${place}: one line that starts a server is expected`);
    if (kind === "server") {
      for (const one of servers) expect(await one.end("SIGTERM"), `${place}: a server before it ends`).toBe(0);
      servers = [];
    }
    const flags = (words[1] ?? "").split(" ").filter(Boolean);
    servers.push(await startServer({ defaults: false, flags, env, cwd: directory, owner }));
  }

  function run({ text, output, place }: CommandBlock): Promise<void> {
    return new Promise((resolve, reject) => {
      const options = { cwd: directory, env: { ...process.env, ...env }, timeout: BLOCK_MS };
      execFile("bash", ["-euo", "pipefail", "-c", toOurs(text)], options, (error, stdout, stderr) => {
        if (error) return reject(new Error(`${place}: ${text}\n${stdout}${stderr}`, { cause: error }));
        if (output === undefined) return resolve();
        try {
          expect(toShown(stdout), place).toMatch(outputPattern(output));
          resolve();
        } catch (difference) {
          reject(difference);
        }
      });
    });
  }

  async function follow(page: Page): Promise<void> {
    if (page.after !== undefined) await follow(readPage(page.after));
    for (const block of page.blocks) {
      if (block.kind === "run") await run(block);
      if (block.kind === "server" || block.kind === "beside") await serve(block);
    }
  }
  return { follow };
}
